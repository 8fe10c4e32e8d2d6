// A page with the client of AG-UI, as its users write it.
import { buildResumeArray, HttpAgent, randomUUID, runHttpRequest, transformHttpEventStream } from '@ag-ui/client'

const query = new URLSearchParams(location.search)
const url = query.get('api')

/** A client that can read an answer again: `connectAgent`. */
class ChatAgent extends HttpAgent {
  connect(input) {
    return transformHttpEventStream(runHttpRequest(() => fetch(`${url}/connect`, this.requestInit(input))))
  }
}

const kept = query.has('resume') ? JSON.parse(sessionStorage.getItem('messages') ?? '[]') : []
const agent = new ChatAgent({ url, threadId: 'c1', initialMessages: kept })
const subagents = new Map()
const answers = {}
let status = 'ready'
let usage = ''

function element(tag, text, attributes = {}, ...children) {
  const made = Object.assign(document.createElement(tag), attributes)
  made.append(text, ...children)
  return made
}

const button = (text, onclick) => element('button', text, { onclick })

function callElement(call) {
  const { name, arguments: args } = call.function
  const result = agent.messages.find(({ toolCallId }) => toolCallId === call.id)
  return element('div', `${name} ${args} ${result ? JSON.stringify(result.content) : 'open'}`, { className: 'call' })
}

function messageElement({ role, content, toolCalls = [], subagentRunId }) {
  const of = subagentRunId ? `${role} of ${subagents.get(subagentRunId)?.name}` : role
  return element('article', '', { className: of }, element('p', content ?? ''), ...toolCalls.map(callElement))
}

function interruptElement({ id, reason, message }) {
  const decide = (payload) => () => answer(id, { status: 'resolved', payload })
  return reason === 'input_required'
    ? element('aside', message, {}, button('Blue', decide('blue')))
    : element(
        'aside',
        message,
        {},
        button('Allow', decide({ approved: true })),
        button('Deny', decide({ approved: false })),
      )
}

function show() {
  const open = agent.pendingInterrupts.filter(({ id }) => !answers[id])
  main.replaceChildren(
    ...agent.messages.filter(({ role }) => role !== 'tool').map(messageElement),
    ...[...subagents.values()].map(({ name, state }) => element('footer', `${name} is ${state}`)),
    ...open.map(interruptElement),
    element('footer', usage),
  )
  output.textContent = status
}

function answer(id, response) {
  answers[id] = response
  const { pendingInterrupts: asked } = agent
  if (asked.every((each) => answers[each.id])) {
    const own = Object.fromEntries(asked.map((each) => [each.id, answers[each.id]]))
    void run(() => agent.runAgent({ resume: buildResumeArray(asked, own) }))
  }
  show()
}

async function run(begin) {
  status = 'busy'
  const failed = []
  try {
    await begin()
  } catch (error) {
    failed.push(error.message)
  }
  status = [...failed, status].join(': ').replace(/busy$/u, 'ready')
  show()
}

agent.subscribe({
  onSubagentStartedEvent({ event: { subagentRunId: id, name } }) {
    subagents.set(id, { name, state: 'running' })
  },
  onSubagentFinishedEvent({ event: { subagentRunId: id, outcome } }) {
    subagents.get(id).state = outcome.type
  },
  onRunErrorEvent({ event }) {
    status = `error: ${event.message}`
  },
  onRunFinishedEvent: ({ event }) => {
    const tokens = event.usage.reduce((sum, { totalTokens }) => sum + totalTokens, 0)
    usage = `${tokens} tokens, ${event.metadata.terminationReason}`
  },
  onMessagesChanged: () => {
    sessionStorage.setItem('messages', JSON.stringify(agent.messages))
    show()
  },
})

const main = document.createElement('main')
const output = document.createElement('output')
const form = document.createElement('form')
form.append(Object.assign(document.createElement('input'), { name: 'text' }))
form.addEventListener('submit', (event) => {
  event.preventDefault()
  agent.addMessage({ id: randomUUID(), role: 'user', content: new FormData(form).get('text') })
  void run(() => agent.runAgent())
})
document.body.append(
  main,
  form,
  button('Stop', () => agent.abortRun()),
  output,
)
if (query.has('resume')) void run(() => agent.connectAgent())
show()
