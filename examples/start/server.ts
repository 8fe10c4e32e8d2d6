import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { shop } from './shop.ts'

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await json(request).catch(() => null)) as { message?: unknown } | null
  if (typeof body?.message !== 'string' || !body.message.trim())
    return void response.writeHead(400).end('Send a `message`.\n')
  const left = new AbortController()
  response.on('close', () => left.abort())
  try {
    for await (const text of shop.runStream(body.message, { signal: left.signal }).textStream) response.write(text)
    response.end('\n')
  } catch (error) {
    if (!left.signal.aborted) console.error(error)
    // An answer that has begun can only be broken off: its reader must not take it for the whole.
    if (response.headersSent) response.destroy()
    else response.writeHead(500).end('Something went wrong.\n')
  }
}

const port = Number(process.env.PORT ?? 3000)
const server = createServer((request, response) => void answer(request, response))
server.listen(port, () => console.log(`listening on ${port}`))
// A platform asks a program to end by this signal: running answers are finished, new ones refused.
process.on('SIGTERM', () => server.close())
