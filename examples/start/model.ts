// Stands for OpenAI on this machine.
import { startFakeOpenAI } from '@x/testing'

const { url } = await startFakeOpenAI({
  port: 4010,
  replies: ({ messages, body }) => {
    const last = messages.at(-1)
    if (last?.role === 'tool') return `Order 17: ${String(last.content)}.`
    if (!body['tools']) return 'Paris.'
    return { tool_calls: [{ id: 'call_1', function: { name: 'order_status', arguments: '{"order":17}' } }] }
  },
})
console.log(`answering at ${url}`)
