import { startWireServer, type WireServer } from '@x/testing/wire'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { adapters } from './adapters.ts'

// Fake servers in a thread of their own, so that a blocking call can reach them.
const servers: [string, WireServer][] = []
for (const { name, format } of adapters) {
  servers.push([name, await startWireServer(format, { steps: [{ reply: { text: 'Hello' } }, { status: 429 }] })])
}
// Counts tokens for all of them, a hundred for each message, and gives each text a vector of its length.
const counting = createServer((request, response) => {
  let text = ''
  request.on('data', (piece: Buffer) => (text += piece.toString()))
  request.on('end', () => {
    const body = JSON.parse(text) as {
      messages?: []
      input?: string[]
      generateContentRequest?: { contents: [] }
      requests?: { content: { parts: { text: string }[] } }[]
    }
    const list = body.messages ?? body.input ?? body.generateContentRequest?.contents ?? []
    const tokens = list.length * 100
    response.setHeader('content-type', 'application/json')
    if (/embed/iu.test(request.url!)) {
      const texts = body.input ?? body.requests!.map(({ content }) => content.parts[0]!.text)
      const data = texts.map((each, index) => ({ index, embedding: [each.length, 0.5] }))
      const embeddings = texts.map((each) => ({ values: [each.length, 0.5] }))
      response.end(JSON.stringify({ model: 'v', data, embeddings, usage: { prompt_tokens: 7, total_tokens: 7 } }))
      return
    }
    response.end(JSON.stringify({ input_tokens: tokens, totalTokens: tokens, url: request.url }))
  })
}).listen(0, '127.0.0.1')
await once(counting, 'listening')
const { port } = counting.address() as AddressInfo
const urls = Object.fromEntries(servers.map(([name, { url }]) => [name, url]))
parentPort!.postMessage({ ...urls, counting: `http://127.0.0.1:${port}` })
