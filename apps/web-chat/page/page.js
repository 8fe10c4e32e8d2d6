// The whole page: a stream of events in, posts out. What models wrote becomes text nodes, never markup.
const token = location.hash.slice(1)
const [list, status, form, text, send, stop] = ['items', 'status', 'form', 'text', 'send', 'stop'].map((id) =>
  document.getElementById(id),
)
let busy = false

const say = (line) => (status.textContent = line)

/** Posts something, and shows why it was refused. */
async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    if (response.ok) say('')
    else say((await response.json()).error)
    return response.ok
  } catch {
    say('The server cannot be reached.')
    return false
  }
}

/** Makes an element with properties and children; texts become text nodes. */
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

const button = (label, onclick) => element('button', { type: 'button', textContent: label, onclick })

const shapes = {
  user: (item) => [item.text],
  assistant: (item) => [item.text],
  note: (item) => [item.text],
  tool(item) {
    const parts = [element('code', {}, `${item.name}(${item.arguments})`)]
    if (item.approval) parts.push(...approval(item))
    else parts.push(item.state === 'done' ? element('code', {}, `→ ${item.result}`) : item.state)
    return parts
  },
  question(item) {
    if (item.answer !== undefined) return [`${item.text} `, element('b', {}, item.answer ?? '(withdrawn)')]
    const field = element('input', { ariaLabel: item.text })
    return [`${item.text} `, field, button('Answer', () => post(`/answers/${item.id}`, { text: field.value }))]
  },
}

/** The buttons of a call that waits. */
function approval({ approval: id, arguments: args }) {
  const edited = element('textarea', { value: args, ariaLabel: 'Arguments', rows: 3 })
  const reason = element('input', { placeholder: 'reason', ariaLabel: 'Reason' })
  const path = `/approvals/${id}`
  const allow = () => {
    let changed
    try {
      changed = edited.value === args ? undefined : JSON.parse(edited.value)
    } catch {
      return say('The arguments are no JSON.')
    }
    return post(path, { allow: true, ...(changed && { arguments: changed }) })
  }
  const deny = () => post(path, { allow: false, ...(reason.value && { reason: reason.value }) })
  return [edited, button('Allow', allow), button('Deny', deny), reason]
}

/** Puts an item at its place. */
function put(index, item) {
  const made = element('article', { className: item.kind }, ...shapes[item.kind](item))
  if (list.children[index]) list.children[index].replaceWith(made)
  else list.append(made)
  return made
}

function setBusy(value) {
  busy = value
  send.hidden = busy
  stop.hidden = !busy
}

const changes = {
  all({ items, busy }) {
    list.replaceChildren()
    for (const [index, item] of items.entries()) put(index, item)
    list.lastElementChild?.scrollIntoView()
    setBusy(busy)
  },
  item: ({ index, item }) => put(index, item).scrollIntoView({ block: 'nearest' }),
  text: ({ index, text }) => list.children[index].append(text),
  busy: ({ busy }) => setBusy(busy),
}

async function submit() {
  const message = text.value.trim()
  if (message && !busy && (await post('/messages', { text: message }))) text.value = ''
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void submit()
})
text.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  form.requestSubmit()
})
stop.addEventListener('click', () => post('/stop', {}))

const events = new EventSource(`/events?token=${encodeURIComponent(token)}`)
events.addEventListener('message', ({ data }) => {
  const change = JSON.parse(data)
  changes[change.type](change)
})
events.addEventListener('open', () => say(''))
events.addEventListener('error', () => {
  const refused = events.readyState === EventSource.CLOSED
  say(refused ? 'Not let in: open the address that the server printed.' : 'The connection is gone; trying again.')
})
