import type { ModelAnswer, ModelParams, TraceContext } from '@x/interfaces'
import { XError } from '@x/kernel'
import { secretsOf } from '@x/kernel/redact'
import { answerHeaders, type ResponseHeaders } from '../http/headers.ts'
import { watchedInit } from '../http/request-watch.ts'
import { option, readOptions, type OptionKind } from '../json/read-options.ts'
import type { LoweredRequest, Wire, WireCall } from './dialect.ts'
import type { RequestClock } from './request-clock.ts'

/** Additions to a request beside its parameters. */
export interface RequestExtras {
  /** Adds fields of the body and headers; to other forms of the request, too. */
  addTo(request: LoweredRequest): LoweredRequest
  /** Whether the answer holds the response of the provider. */
  readonly includeRaw: boolean
  /** Texts of headers, and of the body under the name of a secret, that errors must not contain. */
  readonly secrets: readonly string[]
}

const HEADERS_KIND: OptionKind<Record<string, string | null>> = {
  expected: 'an object of texts',
  read: (value) => {
    const headers = option.object.read(value, { what: '', path: '' })
    return headers && Object.values(headers).every((header) => header === null || typeof header === 'string')
      ? (headers as Record<string, string | null>)
      : undefined
  },
}

const EXTRAS_KINDS = { extra_body: option.object, extra_headers: HEADERS_KIND, includeRaw: option.boolean }

/** Reads `extra_body`, `extra_headers` and `includeRaw` of a request; undefined without any of them, as usual. */
export function readExtras(params: ModelParams): RequestExtras | undefined {
  if (!params.extra_body && !params.extra_headers && !params.includeRaw) return undefined
  const options = readOptions(params, EXTRAS_KINDS, 'option')
  const { extra_body: body, extra_headers: headers, includeRaw = false } = options
  for (const [name, value] of Object.entries(headers ?? {})) checkHeader(name, value)
  const addTo = (request: LoweredRequest): LoweredRequest => ({
    ...request,
    // The fields are meant for the answer; a count of tokens refuses unknown fields.
    body: body && request.operation !== 'countTokens' ? { ...request.body, ...body } : request.body,
    ...(headers && { headers: { ...lowerCaseNames(request.headers), ...lowerCaseNames(headers) } }),
  })
  const ofHeaders = secretsOf({ defaultHeaders: (headers ?? {}) as Record<string, string> })
  return { addTo, includeRaw, secrets: [...ofHeaders, ...secretsIn(body)] }
}

/** Collects the texts that stand in plain data under the name of a secret: some gateways take their key in the body. */
function secretsIn(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return []
  return Object.entries(data).flatMap(([name, value]) =>
    typeof value === 'string' ? [...secretsOf({ [name]: value })] : secretsIn(value),
  )
}

/** Adds the trace context of a request to its headers. */
export const withTrace = (request: LoweredRequest, { traceparent, tracestate }: TraceContext): LoweredRequest => ({
  ...request,
  headers: { ...lowerCaseNames(request.headers), traceparent, ...(tracestate && { tracestate }) },
})

const lowerCaseNames = (headers: Readonly<Record<string, string | null>> = {}): Record<string, string | null> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Checks a header here, because the error of `fetch` for a wrong one quotes its value. */
function checkHeader(name: string, value: string | null): void {
  if (/^[\w!#$%&'*+.^`|~-]+$/u.test(name) && !/[^\t\u0020-\u007e\u0080-\u00ff]/u.test(value ?? '')) return
  throw new XError(
    'invalid-config',
    `the request cannot be sent: the header \`${name.replaceAll(/[^\w-]/gu, '?')}\` of \`extra_headers\` has characters that no header has; remove them`,
    { details: { key: 'extra_headers' } },
  )
}

/**
 * The options of a wire for one request. It collects what an answer holds beside the result of its reader: headers and, on
 * request, the response of the provider.
 */
export class AnswerExtras implements WireCall {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: AnswerExtras = new AnswerExtras({} as RequestClock, {} as Wire, undefined)
  readonly #clock: RequestClock
  readonly #wire: Wire
  readonly #extras: RequestExtras | undefined
  readonly #raw: unknown[] | undefined
  #headers: Record<string, string> | undefined

  constructor(clock: RequestClock, wire: Wire, extras: RequestExtras | undefined) {
    this.#clock = clock
    this.#wire = wire
    this.#extras = extras
    this.#raw = extras?.includeRaw ? [] : undefined
  }

  get signal(): AbortSignal {
    return this.#clock.signal
  }

  readonly begin = (): void => this.#clock.begin()

  readonly initFor = (init: RequestInit): RequestInit => watchedInit(init, this.#clock)

  /** Takes the headers of the response. */
  readonly onHeaders = (headers: ResponseHeaders): void => {
    const { secrets } = this.#wire
    // The forms of the secrets of a wire are known.
    this.#headers = answerHeaders(headers, this.#extras ? [...secrets, ...this.#extras.secrets] : secrets)
  }

  /** Returns the frames of a stream and collects them, if that was requested. */
  collectFrames(source: AsyncIterable<readonly unknown[]>): AsyncIterator<readonly unknown[]> {
    const frames = source[Symbol.asyncIterator]()
    const raw = this.#raw
    if (!raw) return frames
    return {
      async next() {
        const next = await frames.next()
        if (!next.done) raw.push(...next.value)
        return next
      },
      return: async () => (await frames.return?.()) ?? { done: true, value: undefined },
    }
  }

  /** Adds the collected extras to an answer; `body` is the body of a complete one. */
  addTo(answer: ModelAnswer, body?: unknown): ModelAnswer {
    if (this.#headers) answer.headers = this.#headers
    // The copy is plain data: some SDKs add functions to theirs.
    if (this.#raw) answer.raw = JSON.parse(JSON.stringify(body ?? this.#raw)) as unknown
    return answer
  }
}
