import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

/** A server in a thread of its own that answers every request at once, so that only the client is measured. */
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-4o-mini',
  created: 1,
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop', logprobs: null },
  ],
  usage,
})
const chunk = (rest: object): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini', system_fingerprint: 'fp_1', ...rest })}\n\n`
const CHUNK_COUNT = 500
const frames = [
  chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
  ...Array.from({ length: CHUNK_COUNT }, () =>
    chunk({ choices: [{ index: 0, delta: { content: 'word ' }, logprobs: null, finish_reason: null }] }),
  ),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({ choices: [], usage }),
  'data: [DONE]\n\n',
]

/** The same answers by the Responses API, in as many pieces. */
const facts = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-4o-mini', error: null, metadata: {} }
const whole = (text: string): object => ({
  ...facts,
  status: 'completed',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
    },
  ],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
})
const event = (type: string, rest: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 1, ...rest })}\n\n`
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const responses = {
  answer: JSON.stringify(whole('Hello there.')),
  frames: [
    event('response.created', { response: { ...facts, status: 'in_progress', output: [] } }),
    ...Array.from({ length: CHUNK_COUNT }, () =>
      event('response.output_text.delta', { ...place, delta: 'word ', logprobs: [], obfuscation: 'dAc5cVZbGv9' }),
    ),
    event('response.completed', { response: whole('word '.repeat(CHUNK_COUNT)) }),
  ],
}
const chat = { answer, frames }

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const { answer, frames } = request.url?.endsWith('/responses') ? responses : chat
    const { model, stream } = JSON.parse(Buffer.concat(parts).toString()) as { model: string; stream?: boolean }
    if (model === 'broken') {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"out of order","type":"server_error","code":null,"param":null}}')
    } else if (stream) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      // Some frames per packet, as a network delivers them, or one, as a slow model gives them.
      const size = model === 'slow' ? 1 : 10
      for (let i = 0; i < frames.length; i += size) response.write(frames.slice(i, i + size).join(''))
      response.end()
    } else {
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-request-id': 'req_1',
        'openai-processing-ms': '1',
      })
      response.end(answer)
    }
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
