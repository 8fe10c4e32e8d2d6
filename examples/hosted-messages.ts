import { setImmediate } from 'node:timers/promises'
import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import { functionModel } from '@x/testing'

// A function stands for a model: it repeats what it was told.
const model = functionModel(({ messages }) => `Noted: ${messages.at(-1)?.content as string}. Anything else?`)

// #region define
const shop = defineChat({
  name: 'shop',
  version: '1',
  async run({ io, receive, run }) {
    const order = await receive()
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig: model })
    const person = new UserProxyAgent({ name: 'person', io, humanInputMode: 'ALWAYS' })
    const { summary } = await person.initiateChat(clerk, { message: String(order), run })
    return summary
  },
})
// #endregion

const host = createHost({ chats: [shop], at: sqlite(':memory:') })
const stop = new AbortController()
const work = host.work({ signal: stop.signal })
await host.submit(shop, {}, { id: 'order-1' })
// The first message is for `receive`, the others are for the questions of `person`. Each comes when no worker has the chat.
for (const message of ['two teas', 'a lemon cake', 'exit']) {
  while ((await host.get('order-1'))?.state !== 'suspended') await setImmediate()
  await host.send('order-1', message)
}
for await (const { event } of host.events('order-1')) {
  if (event.type === 'receivedMessage') console.log(`${event.sender}: ${JSON.stringify(event.message.content)}`)
  else if (event.type === 'chatEnd') console.log(event.type, event.outcome)
}
stop.abort()
await work
await host.close()
