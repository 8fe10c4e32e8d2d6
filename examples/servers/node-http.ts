import { model } from './model.ts'
// #region program
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createAgent } from '@x/kit'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

/** Reads JSON of about 100,000 characters at most: a longer text is cut off, and then is no JSON. */
async function read(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) if (text.length < 100_000) text += part
  return JSON.parse(text)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await read(request).catch(() => null)) as { message?: unknown } | null
  // A text alone: who could send a list of messages could speak as the system.
  if (typeof body?.message !== 'string' || !body.message.trim())
    return void response.writeHead(400).end('Send a `message`.')
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
