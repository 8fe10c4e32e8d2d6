import { model } from './model.ts'
// #region program
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { createAgent } from '@x/kit'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await json(request).catch(() => null)) as { message?: unknown } | null
  // A text alone: who could send a list of messages could speak as the system.
  if (typeof body?.message !== 'string') return void response.writeHead(400).end('Send a `message`.')
  const left = new AbortController()
  response.on('close', () => left.abort())
  try {
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    for await (const text of agent.runStream(body.message, { signal: left.signal }).textStream) response.write(text)
    response.end()
  } catch (error) {
    if (left.signal.aborted) return
    console.error(error)
    // An answer that has begun can only be broken off: its reader must not take it for the whole.
    if (response.headersSent) response.destroy()
    else response.writeHead(500).end('Something went wrong.')
  }
}

export const server = createServer((request, response) => {
  if (request.method === 'POST' && request.url === '/chat') void answer(request, response)
  else response.writeHead(404).end()
})
// #endregion
