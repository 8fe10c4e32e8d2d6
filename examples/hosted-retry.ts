import { createAgent } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import { functionModel } from '@x/testing'

// A function stands for a model that is overloaded twice.
let requests = 0
const model = functionModel(() => (++requests < 3 ? { error: 'overloaded' } : 'It is on its way.'))

// #region define
const support = defineChat({
  name: 'support',
  version: '1',
  // The default waits a second first, and tries for six hours.
  retry: { firstDelay: 0.1, for: 24 * 3600 },
  async run({ run }) {
    return (await createAgent({ name: 'support', model }).run('Where is my order?', { run })).text
  },
})
// #endregion

const host = createHost({ chats: [support], at: sqlite(':memory:') })
const stop = new AbortController()
const work = host.work({ signal: stop.signal })
await host.submit(support, {}, { id: 'question-1' })
console.log(await host.result('question-1'))
for await (const { event } of host.events('question-1')) {
  if (event.type === 'waitingToRetry') console.log(event.type, event.kind, `after failure ${event.failures}`)
  else if (event.type === 'modelCallEnd' || event.type === 'chatEnd') console.log(event.type, event.outcome)
}
stop.abort()
await work
await host.close()
