import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { LlmConfig } from '@x/interfaces'
import { createAgent } from '@x/kit'

/** About the most characters of a request. */
const MAX_LENGTH = 100_000

/** Reads JSON: a text that is too long is cut off, and then is no JSON. */
async function read(request: IncomingMessage) {
  let text = ''
  for await (const part of request.setEncoding('utf8')) if (text.length < MAX_LENGTH) text += part
  return JSON.parse(text)
}

/** Makes a server that answers `POST /chat` with a stream of text; any number of users may ask at once. */
export function createChatServer(model: LlmConfig): Server {
  const agent = createAgent({ name: 'assistant', model, instructions: 'You are a helpful assistant. Be brief.' })

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { message } = Object(await read(request).catch(() => null))
    // A text alone: who could send a list of messages could speak as the system.
    if (typeof message !== 'string' || !message.trim()) return void response.writeHead(400).end('Send a `message`.\n')
    const left = new AbortController()
    response.on('close', () => left.abort())
    try {
      response.setHeader('content-type', 'text/plain; charset=utf-8')
      for await (const text of agent.runStream(message, { signal: left.signal }).textStream) response.write(text)
      response.end('\n')
    } catch (error) {
      if (left.signal.aborted) return
      console.error(error)
      // An answer that has begun can only be broken off: its reader must not take it for the whole.
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end('Something went wrong.\n')
    }
  }

  return createServer((request, response) => {
    if (request.method === 'POST' && request.url === '/chat') void answer(request, response)
    else response.writeHead(404).end('Send `POST /chat`.\n')
  })
}
