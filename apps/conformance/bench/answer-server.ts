import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { writeFrame, type WireFormat, type WireFrame } from '@x/testing/wire'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

// Answers without reading: what is measured is the client. A stream has 400 chunks of text.
const reply = { text: 'The weather is fine today, and it will be tomorrow. '.repeat(20) }

function manyFrames(format: WireFormat): string {
  const frames = format.frames({ text: 'The weather is fine. ' })
  const isText = ({ data }: WireFrame): boolean => data.includes('The weather')
  const [before, text, after] = [
    frames.slice(0, frames.findIndex(isText)),
    frames.find(isText)!,
    frames.slice(frames.findLastIndex(isText) + 1),
  ]
  return [...before, ...Array.from({ length: 400 }, () => text), ...after].map(writeFrame).join('')
}

const answers = [anthropicFormat, googleFormat].map((format) => ({
  whole: JSON.stringify(format.whole(reply)),
  stream: manyFrames(format),
}))

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const google = request.url!.includes('generateContent') || request.url!.includes('streamGenerate')
    const stream = request.url!.includes('streamGenerate') || Buffer.concat(chunks).includes('"stream":true')
    const { whole, stream: frames } = answers[google ? 1 : 0]!
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    response.end(stream ? frames : whole)
  })
})
server.listen(0, '127.0.0.1', () =>
  parentPort!.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
