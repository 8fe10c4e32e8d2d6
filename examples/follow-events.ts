import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AssistantAgent, customEvents, tool } from '@x/agent'
import type { XEvent } from '@x/interfaces'
import { EventFold, foldEvents } from '@x/kernel/events'
import { functionModel } from '@x/testing'
import { z } from 'zod'

// A function stands for a model: it orders, then answers.
const call = { id: 'c1', function: { name: 'place_order', arguments: '{"item":"kettle"}' } }
const model = functionModel(({ messages }) =>
  messages.at(-1)?.role === 'tool' ? 'The kettle is on its way.' : { tool_calls: [call] },
)

// #region own
const own = customEvents({ orderPlaced: z.object({ id: z.string(), item: z.string() }) })

const placeOrder = tool({
  name: 'place_order',
  description: 'Orders an item.',
  parameters: z.object({ item: z.string() }),
  async execute({ item }, { run }) {
    await run?.emit(own.event('orderPlaced', { id: 'o1', item }))
    return `order o1: ${item}`
  },
})
// #endregion

// #region page
async function sendRun(response: ServerResponse): Promise<void> {
  response.setHeader('content-type', 'text/event-stream')
  const gone = new Promise((resolve) => response.once('close', resolve))
  const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model })
  const chat = assistant.runStream('I need a kettle.', { tools: placeOrder })
  for await (const event of chat) {
    const hasRoom = response.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`)
    if (!hasRoom) await Promise.race([once(response, 'drain'), gone])
    if (response.destroyed) break // Nobody looks: the chat is stopped.
  }
  response.end()
}
const server = createServer((request, response) => {
  // An `EventSource` comes back behind the end, also of a run that broke off: 204 stops it, and no other run begins.
  if (request.headers['last-event-id'] !== undefined) response.writeHead(204).end()
  // A run that fails is broken off: its page must not take it for the whole, and the server goes on.
  else void sendRun(response).catch(() => response.destroy())
})
// #endregion
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
const sent = await (await fetch(`http://127.0.0.1:${port}`)).text()
server.close()
const events = [...sent.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as XEvent)

// #region fold
const { result, toolCalls, cost } = foldEvents(events)
console.log(
  toolCalls.map(({ name, arguments: given, result: text }) => [name, given, text]),
  cost,
)

const fold = new EventFold()
for (const event of events) {
  fold.add(event)
  if (own.is(event, 'orderPlaced')) console.log(`order ${event.data.id}: ${event.data.item}`)
  if (event.type === 'textDelta') console.log(fold.value.answers[0]?.text)
}
// #endregion
console.log(result)
