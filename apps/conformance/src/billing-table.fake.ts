import { writeFrame } from '@x/testing/wire'
import type { BilledRequest, ResponseStep } from './billing-server.fake.ts'

/** How a request is billed: by the usage of its answer, not at all, or as if it had been answered, though nobody can know. */
type BilledAs = 'answered' | 'refused' | 'unknown'

/** A fault of a provider, in bytes. */
export interface WireFault {
  readonly billedAs: BilledAs | ((request: BilledRequest) => BilledAs)
  readonly steps: (request: BilledRequest) => readonly ResponseStep[]
  /** Seconds that a request may take; default: long enough. */
  readonly timeout?: number | undefined
  /** True if calls succeed. */
  readonly succeeds?: boolean | undefined
  /** The faces that have it; default: all. */
  readonly only?: 'streamed' | 'complete' | undefined
  /** Who leaves: the caller by the signal when the request was read or at the first content, or the reader of a stream. */
  readonly leaves?: 'at the request' | 'at the first content' | 'as a reader' | undefined
  /** Milliseconds for which the reader holds the first content. */
  readonly holdsMs?: number | undefined
}

/** Seconds that a request may take where the fault is that it takes longer. */
const TIMEOUT_S = 0.25

/** Milliseconds after which an answer comes too late. */
const LATE_MS = 500

/** Seconds without a byte after which a request has failed, where all is well: a busy machine must not exceed them. */
const PATIENT_TIMEOUT_S = 1

/** Milliseconds that a slow answer takes, or a reader who pauses: longer than the timeout. */
const SLOW_MS = 1500

/** Words of a text that is longer than what is expected of an answer. */
export const LONG_TEXT_WORDS = 6000

const headOf = (status: string, headers: Readonly<Record<string, string | number>>): string =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

const LAST_CHUNK = '0\r\n\r\n'

/** Returns the head and the pieces of a whole answer. */
function piecesOf({ streamed, frames }: BilledRequest): readonly string[] {
  if (streamed) {
    const head = headOf('200 OK', { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' })
    return [head, ...frames.map(chunk), LAST_CHUNK]
  }
  const [body = ''] = frames
  return [headOf('200 OK', { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }), body]
}

/** The answer of a healthy provider. */
export const healthyAnswer = (request: BilledRequest): readonly ResponseStep[] => [
  { bytes: piecesOf(request).join('') },
]

/** Returns a share of the body behind its head; of a stream, of the part before the frames in which the answer ends. */
function partOf(request: BilledRequest, share: number): string {
  const [head = '', ...pieces] = piecesOf(request)
  const body = request.streamed ? pieces.slice(0, Math.ceil(pieces.length / 2)).join('') : pieces.join('')
  return head + body.slice(0, Math.max(1, Math.floor(body.length * share)))
}

/** Returns the frames of a stream with a change of one of them, or the body with a change. */
const changed = (request: BilledRequest, change: (text: string) => string): readonly ResponseStep[] => {
  const [first = '', ...others] = request.frames
  return healthyAnswer({ ...request, frames: [change(first), ...others] })
}

const status = (
  code: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): readonly ResponseStep[] => [
  {
    bytes:
      headOf(`${code} Status`, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...headers,
      }) + body,
  },
]

const SOON = { 'retry-after-ms': '1' }

const unknown = (steps: WireFault['steps'], more: Partial<WireFault> = {}): WireFault => ({
  billedAs: 'unknown',
  steps,
  ...more,
})

const refused = (steps: WireFault['steps']): WireFault => ({ billedAs: 'refused', steps })

const answered = (steps: WireFault['steps'], more: Partial<WireFault> = {}): WireFault => ({
  billedAs: 'answered',
  succeeds: true,
  steps,
  ...more,
})

/** Faults of statuses. */
const STATUS_FAULTS: Readonly<Record<string, WireFault>> = Object.fromEntries([
  ...[500, 502, 503, 504, 529, 425, 499, 408].flatMap((code): [string, WireFault][] => [
    [
      `${code} with a body`,
      (code === 503 || code === 529 ? refused : unknown)(({ format }) =>
        status(code, JSON.stringify(format.errorBody(code, 'broken')), SOON),
      ),
    ],
    [
      `${code} with a page`,
      unknown(() => status(code, '<html>upstream</html>', { ...SOON, 'content-type': 'text/html' })),
    ],
    [`${code} without a body`, unknown(() => status(code, '', SOON))],
  ]),
  ...[401, 403, 404, 429].map((code): [string, WireFault] => [
    `${code}`,
    refused(({ format }) => status(code, JSON.stringify(format.errorBody(code, 'refused')), SOON)),
  ]),
  [
    '400 that names the request',
    refused(({ format }) => status(400, JSON.stringify(format.errorBody(400, 'messages: too few')))),
  ],
  [
    '500 with the code of a refusal',
    unknown(() =>
      status(500, '{"error":{"message":"quota","type":"insufficient_quota","code":"rate_limit_exceeded"}}', SOON),
    ),
  ],
  ['400 of a proxy', unknown(() => status(400, '<html>Bad Request</html>', { 'content-type': 'text/html' }))],
  ...[301, 302, 303, 307, 308].map((code): [string, WireFault] => [
    `${code} without end`,
    unknown(({ path }) => status(code, '', { location: `/again${path}` })),
  ]),
  ...[301, 302, 303, 307, 308].map((code): [string, WireFault] => [
    `${code} to another host`,
    unknown(({ path }) => status(code, '', { location: `http://localhost:9${path}` })),
  ]),
  ...[301, 307].map((code): [string, WireFault] => [
    `${code} to another path`,
    {
      billedAs: ({ path }) => (path.startsWith('/moved') ? 'answered' : 'unknown'),
      steps: (request) =>
        request.path.startsWith('/moved')
          ? healthyAnswer(request)
          : status(code, '', { location: `/moved${request.path}` }),
    },
  ]),
  ['101', unknown(() => [{ bytes: headOf('101 Switching Protocols', { connection: 'upgrade', upgrade: 'h2c' }) }])],
])

/** Faults of connections: before the head, in the head, and at ten places of the body. */
const CONNECTION_FAULTS: Readonly<Record<string, WireFault>> = Object.fromEntries(
  (['reset', 'close'] as const).flatMap((end): [string, WireFault][] => [
    [`a ${end} before the head`, unknown(() => [{ end }])],
    [`a ${end} in the head`, unknown(() => [{ bytes: 'HTTP/1.1 200 OK\r\ncontent-ty' }, { end, afterMs: 1 }])],
    [`a ${end} behind the head`, unknown((request) => [{ bytes: piecesOf(request)[0]! }, { end, afterMs: 1 }])],
    ...Array.from({ length: 10 }, (_, tenth): [string, WireFault] => [
      `a ${end} after ${tenth} tenths of the body`,
      unknown((request) => [{ bytes: partOf(request, tenth / 10) }, { end, afterMs: 1 }]),
    ]),
  ]),
)

/** A stream of a provider that is well, only slow; or its reader is. */
const patient = (steps: WireFault['steps'], holdsMs?: number): WireFault =>
  answered(steps, { timeout: PATIENT_TIMEOUT_S, only: 'streamed', holdsMs })

/** An answer whose pieces come one by one. */
function slowAnswer(request: BilledRequest): readonly ResponseStep[] {
  const pieces = piecesOf(request)
  return pieces.map((bytes) => ({ bytes, afterMs: SLOW_MS / pieces.length }))
}

/** Faults of time. */
const TIME_FAULTS: Readonly<Record<string, WireFault>> = {
  'an answer after the timeout': unknown(
    (request) => healthyAnswer(request).map((step) => ({ ...step, afterMs: LATE_MS })),
    { timeout: TIMEOUT_S },
  ),
  'silence before the first byte': unknown(() => [], { timeout: TIMEOUT_S }),
  'silence behind the head': unknown((request) => [{ bytes: piecesOf(request)[0]! }], { timeout: TIMEOUT_S }),
  'silence in the middle': unknown((request) => [{ bytes: partOf(request, 0.9) }], { timeout: TIMEOUT_S }),
  'comments before the answer': patient((request) => {
    const [head, ...pieces] = piecesOf(request)
    const comments = Array.from({ length: 10 }, () => ({ bytes: chunk(': still thinking\n\n'), afterMs: SLOW_MS / 10 }))
    return [{ bytes: head }, ...comments, { bytes: pieces.join('') }]
  }),
  'a slow stream': patient(slowAnswer),
  'a reader who pauses': patient(healthyAnswer, SLOW_MS),
  'a reader who pauses in a slow stream': patient(slowAnswer, SLOW_MS),
}

/** Callers who leave. */
const LEAVING: Readonly<Record<string, WireFault>> = {
  'an abort before the first byte': unknown(() => [], { leaves: 'at the request' }),
  'an abort in the middle': unknown((request) => [{ bytes: partOf(request, 0.9) }], {
    leaves: 'at the first content',
    only: 'streamed',
  }),
  'an abort behind the head': unknown((request) => [{ bytes: partOf(request, 0.5) }], { leaves: 'at the request' }),
  'a reader who leaves early': unknown((request) => [{ bytes: partOf(request, 0.9) }], {
    leaves: 'as a reader',
    only: 'streamed',
  }),
}

/** Adds counts to a frame in which the answer goes on, as some providers do: they are not those of the whole answer. */
function withEarlyCounts(frame: string): string {
  return frame
    .replace(
      /^data: \{(?=.*"delta":\{"(?:role|content))/mu,
      'data: {"usage":{"prompt_tokens":9,"completion_tokens":1},',
    )
    .replace(/"candidatesTokenCount":\d+,"totalTokenCount":\d+/u, '"candidatesTokenCount":1,"totalTokenCount":10')
}

/** Faults of content, and answers that are whole in spite of a fault. */
const CONTENT_FAULTS: Readonly<Record<string, WireFault>> = {
  healthy: answered(healthyAnswer),
  'broken JSON': unknown((request) => changed(request, (text) => text.replace(/\}(?=\s*$)/u, ''))),
  'a close behind a long text': unknown(
    (request) => {
      const frames = request.format.frames({ text: 'word '.repeat(LONG_TEXT_WORDS) }).map(writeFrame)
      const [head = '', ...pieces] = piecesOf({ ...request, frames })
      // Whole pieces arrive, until half of the words are there.
      let words = 0
      const arrived = pieces.filter((piece) => {
        const before = words
        words += piece.split('word ').length - 1
        return before < LONG_TEXT_WORDS / 2
      })
      return [{ bytes: head + arrived.join('') }, { end: 'close' }]
    },
    { only: 'streamed' },
  ),
  'a reset behind early counts': unknown(
    (request) => {
      const [head = '', ...pieces] = piecesOf({ ...request, frames: request.frames.map(withEarlyCounts) })
      return [{ bytes: head + pieces.slice(0, 1).join('') }, { end: 'reset', afterMs: 1 }]
    },
    { only: 'streamed' },
  ),
  'a page in place of an answer': unknown((request) =>
    status(200, '<html>Log in</html>', { 'content-type': request.streamed ? 'text/event-stream' : 'text/html' }),
  ),
  'no content': unknown(() => status(204, '')),
  'an error in the body': unknown(({ format, streamed }) =>
    status(
      200,
      streamed ? `data: ${format.overloaded.data}\n\n` : JSON.stringify(format.errorBody(503, 'overloaded')),
      {
        ...(streamed && { 'content-type': 'text/event-stream' }),
      },
    ),
  ),
  'a reset after the whole answer': answered(
    (request) => [{ bytes: piecesOf(request).slice(0, -1).join('') }, { end: 'reset', afterMs: 5 }],
    { only: 'streamed' },
  ),
  'bytes behind the answer': answered(
    (request) => healthyAnswer({ ...request, frames: [...request.frames, 'data: x\n\n'] }),
    {
      only: 'streamed',
    },
  ),
}

/** The faults of the matrix, by their names. */
export const WIRE_FAULTS: Readonly<Record<string, WireFault>> = {
  ...CONTENT_FAULTS,
  ...TIME_FAULTS,
  ...LEAVING,
  ...CONNECTION_FAULTS,
  ...STATUS_FAULTS,
}
