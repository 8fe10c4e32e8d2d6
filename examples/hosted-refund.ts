import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { AssistantAgent, tool } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import { functionModel } from '@x/testing'

// A function stands for a model: it calls the tool, then answers.
const model = functionModel(({ messages }) => {
  const { role, content } = messages.at(-1)!
  if (role === 'tool') return `Refunded: ${JSON.stringify(content)}.`
  const order = /\d+/u.exec(JSON.stringify(content))?.[0]
  return { tool_calls: [{ id: 'c1', function: { name: 'refund', arguments: JSON.stringify({ order, euros: 25 }) } }] }
})
const file = join(mkdtempSync(join(tmpdir(), 'hosted-')), 'chats.db')

// #region bank
/** A service that knows a repeated request by its key, as payment services do. */
const payments = new Map<string, string>()
const bank = {
  refund(order: string, euros: number, { idempotencyKey }: { idempotencyKey: string }): string {
    const made = payments.get(idempotencyKey) ?? `${euros} euros for order ${order}`
    payments.set(idempotencyKey, made)
    return made
  },
}
// #endregion

// #region define
const refundTool = tool({
  name: 'refund',
  description: 'Gives money back.',
  parameters: { type: 'object', properties: { order: { type: 'string' }, euros: { type: 'number' } } },
  needsApproval: ({ euros }) => Number(euros) > 10,
  // A worker may die between the refund and the moment its answer is kept. The next one calls with the same key.
  execute: ({ order, euros }, { key }) => bank.refund(String(order), Number(euros), { idempotencyKey: key }),
})

const refund = defineChat({
  name: 'refund',
  version: '1',
  input: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  async run({ input, run }) {
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig: model })
    const message = `Order ${String(input['order'])} came broken.`
    const { text } = await clerk.run(message, { tools: refundTool, maxTurns: 8, run })
    return text
  },
})
// #endregion

// #region host
const host = createHost({ chats: [refund], at: sqlite(file) })

// A worker takes up chats until it is stopped. It is usually a process of its own.
const stop = new AbortController()
const work = host.work({ concurrency: 100, signal: stop.signal })

// Any process that opens the file: hands a chat in, follows it, decides, and gets its value.
await host.submit(refund, { order: '17' }, { id: 'order-17' })
for await (const { event } of host.events('order-17')) {
  if (event.type === 'approvalRequested') await host.decide('order-17', event.id, { allow: true }, { by: 'ann' })
}
console.log(await host.result('order-17'))
// #endregion

// The log of the chat, from its beginning: two turns of a worker, with the decision between them.
for await (const { event } of host.events('order-17')) {
  if ('outcome' in event) console.log(event.type, event.outcome)
  else if (event.type === 'approvalRequested') console.log(event.type, JSON.stringify(event.action))
}

// A second chat waits. What people who look after the host see:
await host.submit(refund, { order: '18' }, { id: 'order-18' })
while ((await host.get('order-18'))?.state !== 'suspended') await setImmediate()
console.log('host.pending():')
for await (const { chat, pending } of host.pending()) {
  const { action } = pending
  if (action.type === 'toolCall') console.log(`  ${chat}: ${action.name} ${JSON.stringify(action.arguments)}`)
}
console.log("host.decisions('order-17'):")
for (const { by, entry } of await host.decisions('order-17')) console.log(`  ${by}: ${JSON.stringify(entry.value)}`)
console.log('host.counts():')
for (const { name, state, count } of await host.counts()) console.log(`  ${name}, ${state}: ${count}`)
stop.abort()
await work
await host.close()
