/**
 * A stand-in for OpenAI's `POST /v1/chat/completions`: `node src/mock-server.ts [port]`.
 *
 * The name of the model chooses the behaviour: `mock` and words joined by hyphens, such as `mock-lat20-tools10`. No answer
 * depends on an earlier request, so that one server may serve every contestant.
 *
 *   mock                        a complete answer at once, of 160 characters
 *   mock-len1000                an answer of 1000 characters
 *   mock-lat20                  20 ms before the answer, or before the first chunk
 *   mock-chunks500              number of pieces of a streamed answer
 *   mock-pace2                  2 ms between chunks; without it one chunk per turn of the event loop
 *   mock-tools10                a call of the tool `get_weather` until the request holds 10 results
 *   mock-fail500, mock-fail429  that status with an error of OpenAI's shape
 *   mock-reset                  the socket is destroyed without an answer
 *   mock-timeout                no answer, the socket stays open
 *   mock-cut                    the socket is destroyed in the middle of the answer
 *
 *   GET  /__stats[?reset]   counts as JSON
 *   POST /__mode            {"strict":true}: checks the body of every request and collects what is wrong
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Counts of the server. */
export interface Stats {
  requests: number
  streams: number
  connections: number
  failures: number
  resets: number
  timeouts: number
  /** Requests of an address that the server does not have. */
  unknown: number
  aborted: number
  promptTokens: number
  completionTokens: number
  bodyBytes: number
  toolCalls: number
  inFlight: number
  maxInFlight: number
  byStatus: Record<string, number>
  /** The faults of requests; in strict mode only, like the two below. */
  violations: string[]
  lastMessages: number
  maxMessages: number
}

/** The behaviour that a model's name asks for. */
interface Behaviour {
  readonly len: number
  readonly lat: number
  readonly chunks: number
  readonly pace: number
  readonly tools: number
  readonly fail: number
  readonly reset: number
  readonly timeout: number
  readonly cut: number
  readonly model: string
  readonly text: string
}

const TOOL_NAME = 'get_weather'
const TEXT = 'The quick brown fox jumps over the lazy dog while the five boxing wizards watch. '
const DEFAULTS = { len: 160, lat: 0, chunks: 20, pace: 0, tools: 0, fail: 0, reset: 0, timeout: 0, cut: 0 }
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

/** Violations that are kept. */
const MAX_VIOLATIONS = 50

const behaviours = new Map<string, Behaviour>()
let stats = zero(0)
let strict = false
let serial = 0

const server = createServer(
  { keepAliveTimeout: 3_600_000, requestTimeout: 0, headersTimeout: 60_000, noDelay: true },
  (request, response) => void route(request, response),
)
server.on('connection', () => stats.connections++)
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port, pid: process.pid })}\n`)
})
process.on('disconnect', () => process.exit(0))

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '' } = request
  if (url.startsWith('/__stats')) {
    const body = JSON.stringify({ ...stats, rss: process.memoryUsage.rss(), cpu: process.cpuUsage() })
    if (url.includes('reset')) stats = zero(stats.inFlight)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    return
  }
  const text = await readBody(request)
  if (text === undefined) return
  if (url === '/__mode') {
    strict = (JSON.parse(text) as { strict: boolean }).strict
    response.writeHead(204).end()
    return
  }
  if (!url.endsWith('/chat/completions')) {
    stats.unknown++
    sendJson(response, 404, errorBody(`no route ${request.method} ${url}`, 'invalid_request_error'))
    return
  }
  stats.requests++
  stats.maxInFlight = Math.max(stats.maxInFlight, ++stats.inFlight)
  response.on('close', () => {
    stats.inFlight--
    if (!response.writableFinished) stats.aborted++
  })
  const behaviour = behaviourOf(/"model":"([^"\\]*)"/u.exec(text)?.[1] ?? 'mock')
  if (behaviour.lat > 0) setTimeout(() => answer(response, text, behaviour), behaviour.lat)
  else answer(response, text, behaviour)
}

/** The body of a request, a character a byte; without a promise chain per piece, since the server must be faster than all. */
function readBody(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    let body = ''
    request.setEncoding('latin1')
    request.on('data', (piece: string) => (body += piece))
    request.on('end', () => resolve(body))
    request.on('error', () => resolve(undefined))
  })
}

function answer(response: ServerResponse, text: string, behaviour: Behaviour): void {
  serial++
  stats.bodyBytes += text.length
  if (strict) stats.violations.push(...violationsOf(text).slice(0, MAX_VIOLATIONS - stats.violations.length))
  if (behaviour.timeout) {
    stats.timeouts++
  } else if (behaviour.reset) {
    stats.resets++
    response.socket?.destroy()
  } else if (behaviour.fail) {
    stats.failures++
    const type = behaviour.fail === 429 ? 'rate_limit_exceeded' : 'server_error'
    sendJson(response, behaviour.fail, errorBody('injected failure', type))
  } else {
    const made = makeAnswer(text, behaviour)
    if (text.includes('"stream":true')) sendStream(response, made, text.includes('"include_usage":true'))
    else sendWhole(response, made)
  }
}

/** An answer: a text, or a call of the tool. */
interface Answer {
  readonly behaviour: Behaviour
  readonly call: { readonly id: string; readonly args: string } | undefined
  /** As JSON. */
  readonly usage: string
}

function makeAnswer(text: string, behaviour: Behaviour): Answer {
  const results = behaviour.tools === 0 ? 0 : text.split('"role":"tool"').length - 1
  const call =
    behaviour.tools > results ? { id: `call_${serial}`, args: `{"city":"Paris","day":${results}}` } : undefined
  const prompt = text.length >> 2
  const completion = call ? 16 : behaviour.text.length >> 2
  stats.promptTokens += prompt
  stats.completionTokens += completion
  if (call) stats.toolCalls++
  const usage = JSON.stringify({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  })
  return { behaviour, call, usage }
}

function sendWhole(response: ServerResponse, { behaviour, call, usage }: Answer): void {
  const finish = call ? 'tool_calls' : 'stop'
  const message = call
    ? `{"role":"assistant","content":null,"refusal":null,"annotations":[],"tool_calls":[{"id":"${call.id}","type":"function","function":{"name":"${TOOL_NAME}","arguments":${JSON.stringify(call.args)}}}]}`
    : `{"role":"assistant","content":${JSON.stringify(behaviour.text)},"refusal":null,"annotations":[]}`
  const body =
    `{"id":"chatcmpl-${serial}","object":"chat.completion","created":1700000000,"model":${JSON.stringify(behaviour.model)},` +
    `"choices":[{"index":0,"message":${message},"logprobs":null,"finish_reason":"${finish}"}],"usage":${usage},` +
    `"service_tier":"default","system_fingerprint":"fp_mock"}`
  if (!behaviour.cut) return sendJson(response, 200, body)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.write(body.slice(0, body.length >> 1), () => response.socket?.destroy())
}

function sendStream(response: ServerResponse, made: Answer, withUsage: boolean): void {
  stats.streams++
  stats.byStatus[200] = (stats.byStatus[200] ?? 0) + 1
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-request-id': `req_${serial}`,
  })
  const events = eventsOf(made, withUsage)
  const stop = made.behaviour.cut ? events.length >> 1 : events.length
  let next = 0
  const step = (): void => {
    if (response.destroyed) return
    const event = events[next++]!
    if (next === events.length) {
      response.end(event)
      return
    }
    response.write(event)
    if (next === stop) response.socket?.destroy()
    else if (made.behaviour.pace > 0) setTimeout(step, made.behaviour.pace)
    else setImmediate(step)
  }
  step()
}

function eventsOf({ behaviour, call, usage }: Answer, withUsage: boolean): string[] {
  const start =
    `data: {"id":"chatcmpl-${serial}","object":"chat.completion.chunk","created":1700000000,` +
    `"model":${JSON.stringify(behaviour.model)},"service_tier":"default","system_fingerprint":"fp_mock","choices":[`
  const chunk = (delta: string, finish = 'null'): string =>
    `${start}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]}\n\n`
  const events = [chunk(`{"role":"assistant","content":${call ? 'null' : '""'},"refusal":null}`)]
  if (call) {
    const half = call.args.length >> 1
    events.push(
      chunk(
        `{"tool_calls":[{"index":0,"id":"${call.id}","type":"function","function":{"name":"${TOOL_NAME}","arguments":""}}]}`,
      ),
    )
    for (const part of [call.args.slice(0, half), call.args.slice(half)])
      events.push(chunk(`{"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(part)}}}]}`))
  } else {
    for (let i = 0; i < behaviour.chunks; i++) events.push(chunk(`{"content":"word${i % 10} "}`))
  }
  events.push(chunk('{}', call ? '"tool_calls"' : '"stop"'))
  if (withUsage) events.push(`${start}],"usage":${usage}}\n\n`)
  return [...events, 'data: [DONE]\n\n']
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  stats.byStatus[status] = (stats.byStatus[status] ?? 0) + 1
  const data = Buffer.from(body)
  const headers = { 'content-type': 'application/json', 'content-length': data.length, 'x-request-id': `req_${serial}` }
  response.writeHead(status, headers).end(data)
}

function errorBody(message: string, type: string): string {
  return JSON.stringify({ error: { message, type, param: null, code: type } })
}

/** Reads a model's name once. */
function behaviourOf(model: string): Behaviour {
  const known = behaviours.get(model)
  if (known) return known
  const asked: Record<string, number> = { ...DEFAULTS }
  for (const word of model.split('-').slice(1)) {
    const [, key = '', number = ''] = /^([a-z]+)(\d*)$/u.exec(word) ?? []
    if (key in asked) asked[key] = number === '' ? 1 : Number(number)
  }
  const { len } = asked as typeof DEFAULTS
  const text = TEXT.repeat(Math.ceil(len / TEXT.length)).slice(0, len)
  const behaviour: Behaviour = { ...(asked as typeof DEFAULTS), model, text }
  behaviours.set(model, behaviour)
  return behaviour
}

/** A message of a request, of which nothing is certain. */
interface SentMessage {
  readonly role?: string
  readonly content?: string | readonly unknown[] | null
  readonly tool_call_id?: string
  readonly tool_calls?: readonly { readonly id: string }[]
}

/** Finds faults that a real server would refuse: wrong roles, results without a call, calls without a result, a missing model. */
function violationsOf(text: string): string[] {
  let body: { model?: unknown; messages?: SentMessage[] }
  try {
    body = JSON.parse(text) as typeof body
  } catch {
    return ['body is not JSON']
  }
  const found: string[] = []
  if (typeof body.model !== 'string') found.push('no model')
  if (!Array.isArray(body.messages) || body.messages.length === 0) return [...found, 'no messages']
  stats.lastMessages = body.messages.length
  stats.maxMessages = Math.max(stats.maxMessages, stats.lastMessages)
  const open = new Set<string | undefined>()
  for (const { role = '', content, tool_call_id: id, tool_calls: calls = [] } of body.messages) {
    if (!ROLES.has(role)) found.push(`role ${role}`)
    if (role === 'tool') {
      if (!open.delete(id)) found.push('tool result without a call')
      continue
    }
    if (open.size > 0) found.push('tool call without a result')
    if (role === 'assistant') for (const call of calls) open.add(call.id)
    else if (!content?.length) found.push(`empty ${role} message`)
  }
  return found
}

function zero(inFlight: number): Stats {
  return {
    requests: 0,
    streams: 0,
    connections: 0,
    failures: 0,
    resets: 0,
    timeouts: 0,
    unknown: 0,
    aborted: 0,
    promptTokens: 0,
    completionTokens: 0,
    bodyBytes: 0,
    toolCalls: 0,
    inFlight,
    maxInFlight: 0,
    byStatus: {},
    violations: [],
    lastMessages: 0,
    maxMessages: 0,
  }
}
