import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request that the server got. */
export interface Asked {
  readonly model: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, unknown>
}

/** A function that answers a request. */
export type Behaviour = (response: ServerResponse, asked: Asked) => void

/** An endpoint on loopback whose models behave as they are told. */
export interface FaultServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly asked: Asked[]
  /** Requests whose client went away before the answer was complete. */
  readonly left: { count: number }
}

/** Starts a server; `behaviours` are by model name, any other model answers `hello from <model>`. */
export async function startFaultServer(behaviours: Readonly<Record<string, Behaviour>> = {}): Promise<FaultServer> {
  const asked: Asked[] = []
  const left = { count: 0 }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    response.on('close', () => {
      if (!response.writableEnded) left.count++
    })
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
      const one: Asked = { model: String(body['model']), path: request.url ?? '', headers: request.headers, body }
      asked.push(one)
      ;(behaviours[one.model] ?? hello)(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    left,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

/** Answers in order, complete or streamed as asked. */
const hello: Behaviour = (response, { model, body }) => {
  const text = `hello from ${model}`
  if (body['stream']) {
    stream(response, [...textChunks(model, [text.slice(0, 5), text.slice(5)]), { model, choices: [], usage }])
    response.end('data: [DONE]\n\n')
  } else complete(response, { role: 'assistant', content: text }, { model })
}

/** Answers with one whole message. */
export function complete(response: ServerResponse, message: object, rest: object = {}): void {
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  json(response, 200, { id: 'chatcmpl-1', object: 'chat.completion', created: 1, choices, usage, ...rest })
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** Begins a stream with some chunks and leaves it open. */
export function stream(response: ServerResponse, chunks: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const chunk of chunks) response.write(`data: ${JSON.stringify({ id: 'chatcmpl-1', created: 1, ...chunk })}\n\n`)
}

export function textChunks(model: string, texts: readonly string[], finish: string | null = 'stop'): object[] {
  const chunk = (delta: object, finish_reason: string | null): object => ({
    model,
    choices: [{ index: 0, delta, finish_reason }],
  })
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...texts.map((content) => chunk({ content }, null)),
    ...(finish === null ? [] : [chunk({}, finish)]),
  ]
}

/** Refuses with an error of OpenAI's form. */
export const refuse =
  (status: number, error: object, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    json(response, status, { error: { message: 'refused', type: 'error', param: null, code: null, ...error } }, headers)
