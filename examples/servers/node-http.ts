import { model } from './model.ts'
// #region program
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { createAgent } from '@x/kit'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const left = new AbortController()
  response.on('close', () => left.abort())
  try {
    const { message } = (await json(request)) as { message: string }
    for await (const text of agent.runStream(message, { signal: left.signal }).textStream) response.write(text)
    response.end()
  } catch (error) {
    console.error(error)
    // An answer that has begun can only be broken off: its reader must not take it for the whole.
    if (response.headersSent) response.destroy()
    else response.writeHead(500).end('Something went wrong.')
  }
}

export const server = createServer((request, response) => void answer(request, response))
// #endregion
