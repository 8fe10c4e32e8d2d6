import { setImmediate } from 'node:timers/promises'
import { createAgent, tool } from '../../../packages/agent/src/index.ts'
import { createHost, defineChat, monitoringHandler, sqlite } from '../../../packages/host/src/index.ts'
import { functionModel } from '../../../packages/testing/src/index.ts'
import { serve, type } from '../transcript.ts'

// A model that gives money back, for which somebody has to decide; of one order it only knows where it is.
const call = { id: 'c1', function: { name: 'refund', arguments: '{}' } }
const model = functionModel(({ messages }) =>
  JSON.stringify(messages).includes('Order 17') ? { tool_calls: [call] } : 'It is on its way.',
)
const refund = tool({ name: 'refund', description: 'Gives money back.', needsApproval: true, execute: () => 'done' })
const support = defineChat({
  ...{ name: 'support', version: '1', input: { type: 'object', properties: { text: { type: 'string' } } } },
  run: async ({ input, run }) =>
    (await createAgent({ name: 'clerk', model, tools: refund }).run(String(input['text']), { run })).text,
})
const host = createHost({ chats: [support], at: sqlite(':memory:') })
const stop = new AbortController()
const work = host.work({ signal: stop.signal, concurrency: 100 })
await host.submit(support, { text: 'Order 17 came broken.' }, { id: 'one' })
while ((await host.get('one'))?.state !== 'suspended') await setImmediate()
await host.submit(support, { text: 'Where is order 18?' }, { id: 'two' })
await host.result('two')

const monitor = monitoringHandler(host)
const { port, close } = await serve((request, response) => {
  if (!monitor(request, response)) response.writeHead(404).end()
})
await type(`curl -s localhost:3000/readyz`, { port })
await type(`curl -s localhost:3000/metrics | grep -E '^(hosted_chat|model_)'`, { port })
close()
stop.abort()
await work
await host.close()
