import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on this machine that answers as three providers do, and numbers its answers. */
export interface AnsweringServer extends AsyncDisposable {
  readonly url: string
}

/**
 * Starts it. It calls the tool `weather` where there is one and no result yet; to `hang` it says nothing. It is written
 * out here and not taken of `@x/testing`, so that the packages are tried against something else.
 */
export async function startServer(): Promise<AnsweringServer> {
  let answers = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      // A page of its own, so that a browser asks the server that the page is from.
      if (request.method === 'GET') response.setHeader('content-type', 'text/html').end('<!doctype html>')
      else if (!body.includes('"hang"')) answer(request.url ?? '', body, `Answer ${++answers}`, response)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(path: string, body: string, text: string, response: ServerResponse): void {
  const streamed = path.includes(':streamGenerateContent') || body.includes('"stream":true')
  const frames = path.includes('/chat/completions')
    ? openaiFrames(body, text, streamed)
    : path.includes('/messages')
      ? anthropicFrames(text, streamed)
      : googleFrames(text, streamed)
  if (streamed) {
    response.setHeader('content-type', 'text/event-stream')
    for (const frame of frames) response.write(frame)
    response.end()
  } else response.setHeader('content-type', 'application/json').end(frames[0])
}

const frame = (data: object, event?: string): string =>
  `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`

function openaiFrames(body: string, text: string, streamed: boolean): string[] {
  const { tools, messages } = JSON.parse(body) as { tools?: unknown; messages: { role: string; content: string }[] }
  const result = messages.find(({ role }) => role === 'tool')
  const call = { id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
  const calls = tools !== undefined && !result
  const content = result ? `It says: ${result.content}` : text
  const base = { id: 'chatcmpl-1', created: 0, model: 'any' }
  const finish_reason = calls ? 'tool_calls' : 'stop'
  const usage = { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 }
  if (!streamed) {
    const message = { role: 'assistant', content: calls ? null : content, ...(calls && { tool_calls: [call] }) }
    const choices = [{ index: 0, message, finish_reason }]
    return [JSON.stringify({ ...base, object: 'chat.completion', choices, usage })]
  }
  const chunk = (delta: object, reason: string | null): string =>
    frame({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })
  const half = content.length >> 1
  const deltas = calls
    ? [{ role: 'assistant', tool_calls: [{ index: 0, ...call }] }]
    : [{ role: 'assistant', content: content.slice(0, half) }, { content: content.slice(half) }]
  return [
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish_reason),
    frame({ ...base, object: 'chat.completion.chunk', choices: [], usage }),
    'data: [DONE]\n\n',
  ]
}

function anthropicFrames(text: string, streamed: boolean): string[] {
  const usage = { input_tokens: 3, output_tokens: 3 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'any', stop_sequence: null, usage }
  if (!streamed) return [JSON.stringify({ ...message, content: [{ type: 'text', text }], stop_reason: 'end_turn' })]
  const half = text.length >> 1
  const deltas = [text.slice(0, half), text.slice(half)]
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...deltas.map((each) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: each } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  return events.map((event) => frame(event, event.type))
}

function googleFrames(text: string, streamed: boolean): string[] {
  const candidates = [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }]
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 3, totalTokenCount: 6 }
  const whole = { candidates, usageMetadata, modelVersion: 'any' }
  return [streamed ? frame(whole) : JSON.stringify(whole)]
}
