import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { MAX_BODY_BYTES } from './json-body.ts'

/** The server to attack, and one of its chats. */
export interface Target {
  readonly origin: string
  readonly token: string
  readonly chat: string
}

/** The response of a server. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Sends a request with arbitrary headers, which a browser would not allow. */
export async function send(
  { origin }: Pick<Target, 'origin'>,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const sent = request(`${origin}${path}`, { method, headers })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of response) text += String(part)
  return { status: response.statusCode!, headers: response.headers, text }
}

/** Sends a post to the chat as its page would, with the changes of the test. */
export const post = (
  target: Target,
  headers: Record<string, string> = {},
  body = '{"text":"Hi"}',
  path = 'messages',
): Promise<Answer> =>
  send(target, path.startsWith('/') ? path : `/chats/${target.chat}/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${target.token}`,
      origin: target.origin,
      ...headers,
    },
    body,
  })

/** Requests that must be refused, with the expected status. */
export const ATTACKS: readonly (readonly [
  what: string,
  status: number,
  attack: (target: Target) => Promise<Answer>,
])[] = [
  ['without a token', 401, (at) => post(at, { authorization: '' })],
  ['with a wrong token', 401, (at) => post(at, { authorization: 'Bearer guess' })],
  ['for the events without a token', 401, (at) => send(at, '/events')],
  ['for the events of a chat without a token', 401, (at) => send(at, `/events?chat=${at.chat}`)],
  ['from another site', 403, (at) => post(at, { origin: 'http://evil.example' })],
  ['from another port of this machine', 403, (at) => post(at, { origin: 'http://127.0.0.1:1' })],
  ['from no site', 403, (at) => post(at, { origin: '' })],
  ['from another site, as the browser says', 403, (at) => post(at, { 'sec-fetch-site': 'cross-site' })],
  ['by a name that points here', 403, (at) => post(at, { host: 'evil.example', origin: 'http://evil.example' })],
  ['for the page by a name that points here', 403, (at) => send(at, '/', { headers: { host: 'evil.example' } })],
  ['that is no JSON', 400, (at) => post(at, {}, '{')],
  ['of another shape', 400, (at) => post(at, {}, '{"text":"Hi","more":1}')],
  ['without words', 400, (at) => post(at, {}, '{"text":"  "}')],
  ['of another type', 415, (at) => post(at, { 'content-type': 'text/plain' })],
  ['that is too long', 413, (at) => post(at, {}, JSON.stringify({ text: 'x'.repeat(MAX_BODY_BYTES) }))],
  ['for another path', 404, (at) => post(at, {}, '{}', '/nothing')],
  ['out of the folder of the page', 404, (at) => send(at, '/../package.json')],
  ['whose address cannot be read', 400, (at) => send(at, '//')],
  ['for a name that cannot be read', 404, (at) => post(at, {}, '{}', 'approvals/%zz')],
  ['by another method', 405, (at) => send(at, `/chats/${at.chat}/messages`)],
  ['to another chat', 404, (at) => post(at, {}, undefined, '/chats/another/messages')],
  ['to a chat that was guessed', 404, (at) => post(at, {}, undefined, `/chats/${guessed(at)}/messages`)],
  ['for the events of another chat', 404, (at) => send(at, `/events?chat=another&token=${at.token}`)],
  ['for the events of a guessed chat', 404, (at) => send(at, `/events?chat=${guessed(at)}&token=${at.token}`)],
  ['for a chat of another kind', 400, (at) => post(at, {}, '{"kind":"duel"}', '/chats')],
  ['for chats older than nothing', 400, (at) => post(at, {}, '{}', '/older-chats')],
  ['for older chats without a token', 401, (at) => post(at, { authorization: '' }, '{"after":""}', '/older-chats')],
  ['to decide on nothing', 409, (at) => post(at, {}, '{"allow":true}', 'approvals/1.1')],
  ['to answer nothing', 409, (at) => post(at, {}, '{"text":"blue"}', 'answers/1')],
]

/** A well-formed identifier that no server has made. */
const guessed = ({ chat }: Target): string => chat.replace(/^.{8}/u, '00000000')
