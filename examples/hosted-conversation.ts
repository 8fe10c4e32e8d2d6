import { setImmediate } from 'node:timers/promises'
import { createAgent } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import type { ChatMessage } from '@x/interfaces'
import { functionModel } from '@x/testing'

// A function stands for a model: it tells how much of the conversation it was sent.
const model = functionModel(({ messages }) => `I was sent ${messages.length} messages.`)

// #region define
const support = defineChat({
  name: 'support',
  version: '1',
  state: { messages: [] as readonly ChatMessage[], answered: 0 },
  async onMessage({ messages, answered }, message, run, { end }) {
    if (message === 'bye') return end({ answered })
    const agent = createAgent({ name: 'support', model })
    const { messages: all } = await agent.run([...messages, { role: 'user', content: String(message) }], { run })
    // The last 6 are kept: the thousandth message costs what the tenth did.
    return { messages: all.slice(-6), answered: answered + 1 }
  },
})
// #endregion

const host = createHost({ chats: [support], at: sqlite(':memory:') })
const stop = new AbortController()
const work = host.work({ signal: stop.signal })
await host.submit(support, {}, { id: 'ann' })
for (const message of ['Hello?', 'My lamp is broken.', 'It is order 17.', 'Since Monday.', 'Thanks.', 'bye']) {
  while ((await host.get('ann'))?.state !== 'suspended') await setImmediate()
  await host.send('ann', message)
}
console.log(await host.result('ann'))
for await (const { event } of host.events('ann')) {
  if (event.type === 'receivedMessage') console.log(`${event.sender}: ${JSON.stringify(event.message.content)}`)
}
stop.abort()
await work
await host.close()
