import { say } from './dom.js'

/** Token of this page. It stands behind the `#` of the URL, which browsers do not send. */
export const token = location.hash.slice(1)

/** Sends a post; returns the response, or null after showing why it was refused. */
export async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    const answer = response.status === 204 ? {} : await response.json()
    say(response.ok ? '' : answer.error)
    return response.ok ? answer : null
  } catch {
    say('The server cannot be reached.')
    return null
  }
}

/** Listens to the changes of a chat until another chat is watched. */
export function watch(chat, onChange) {
  const events = new EventSource(`/events?chat=${chat}&token=${encodeURIComponent(token)}`)
  events.addEventListener('message', ({ data }) => onChange(JSON.parse(data)))
  events.addEventListener('open', () => say(''))
  events.addEventListener('error', () => {
    const refused = events.readyState === EventSource.CLOSED
    say(
      refused
        ? 'Not let in: open the address that the server printed, or choose another chat.'
        : 'The connection is gone; trying again.',
    )
  })
  return () => events.close()
}
