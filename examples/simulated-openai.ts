// Without a key, a server in a thread of this process stands for OpenAI: programs that import this file run anywhere.
import { once } from 'node:events'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { startFakeOpenAI } from '@x/testing'

/** Words of a question, and the answer to it. */
const ANSWERS = [
  ['Lasagna', '{"name":"Lasagna","steps":["Layer it.","Bake it."]}'],
  ['Say hello', 'Simulated: Hello.'],
  ['how many people', 'Simulated: About two million.'],
  ['line about rain', 'Simulated: Rain taps at the window.'],
  ['at the window', 'Simulated: Say which window.'],
  ['which window', 'Simulated: Rain taps at the attic window.'],
] as const

if (!isMainThread) {
  const server = await startFakeOpenAI({
    replies: ({ messages, body }) => {
      const last = messages.at(-1)
      const tools = body['tools']
      if (Array.isArray(tools) && tools.length > 0 && last?.role !== 'tool') {
        return { tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }] }
      }
      // Some clients write a text as a list of parts.
      const text = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content ?? '')
      if (last?.role === 'tool') return `Simulated: ${text}.`
      return ANSWERS.find(([words]) => text.includes(words))?.[1] ?? 'Simulated: Paris.'
    },
  })
  parentPort?.postMessage(server.url)
} else if (!process.env.OPENAI_API_KEY) {
  const worker = new Worker(new URL(import.meta.url))
  const [url] = (await once(worker, 'message')) as [string]
  worker.unref()
  process.env.OPENAI_API_KEY = 'sk-of-the-example'
  process.env.OPENAI_BASE_URL = url
}
