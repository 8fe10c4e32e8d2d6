import { setImmediate } from 'node:timers/promises'
import { createAgent, Steering, tool, UserProxyAgent, AssistantAgent } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import { functionModel } from '@x/testing'

// A function stands for a model: it reads three pages, or one if it is told to be quick.
const model = functionModel(({ messages }) => {
  const pages = messages.filter(({ role }) => role === 'tool').length
  const isQuick = messages.some(({ role, content }) => role === 'user' && content === 'One page is enough.')
  if (pages === 3 || (isQuick && pages > 0)) return `An answer from ${pages} page(s).`
  return { tool_calls: [{ id: `c${pages}`, function: { name: 'read_page', arguments: '{}' } }] }
})
const researcher = createAgent({ name: 'researcher', model })

/** Makes the tool, which takes a while: `onRead` is called while it works. */
const readPage = (onRead: () => unknown): ReturnType<typeof tool> =>
  tool({
    name: 'read_page',
    description: 'Reads the next page.',
    parameters: { type: 'object' },
    async execute() {
      await onRead()
      await setImmediate()
      return 'A page about lamps.'
    },
  })

// #region run
const started = Promise.withResolvers<void>()
const run = researcher.run('What is new about lamps?', { tools: readPage(started.resolve) })
await started.promise
const isTaken = await run.steer('One page is enough.')
const { text } = await run
console.log(isTaken, text)
// #endregion

// #region chat
const steering = new Steering()
const person = new UserProxyAgent({ name: 'person', humanInputMode: 'NEVER', silent: true, codeExecutionConfig: false })
const clerk = new AssistantAgent({
  name: 'clerk',
  llmConfig: functionModel(({ messages }) => `I was sent: ${messages.at(-1)?.content as string}`),
})
void steering.steer('In French, please.')
const { summary } = await person.initiateChat(clerk, { message: 'Hello.', maxTurns: 1, silent: true, steering })
console.log(summary)
// #endregion

// #region host
const reading = Promise.withResolvers<void>()
const steered = Promise.withResolvers<void>()
const research = defineChat({
  name: 'research',
  version: '1',
  async run({ run: hosted }) {
    const tools = readPage(async () => {
      reading.resolve()
      await steered.promise
    })
    return (await researcher.run('What is new about lamps?', { tools, run: hosted })).text
  },
})
const host = createHost({ chats: [research], at: sqlite(':memory:') })
const stop = new AbortController()
const work = host.work({ signal: stop.signal })
await host.submit(research, {}, { id: 'lamps' })
await reading.promise
// From any process that has the store:
await host.steer('lamps', 'One page is enough.', { id: 'click-1' })
steered.resolve()
console.log(await host.result('lamps'))
// #endregion
for await (const { event } of host.events('lamps')) {
  if (event.type === 'steeringMessage') console.log(`${event.agent} was told: ${event.text}`)
}
stop.abort()
await work
await host.close()
