import type { ModelErrorKind } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { redact, redactData } from '@x/kernel/redact'
import { isRecord, listOf, parseJson, recordOf, textAs } from '../json/wire-values.ts'
import { kindByRules, kindOf, type FailureRule } from './failure-kind.ts'
import { modelFailure, plainCause, plainText } from './model-failure.ts'

/** A response with an error status; SDKs keep different parts of it. */
export interface HttpRefusal {
  readonly status?: number | undefined
  readonly headers?: { get(name: string): string | null } | undefined
  /** The body, parsed or as text; may be absent or of any form. */
  readonly body?: unknown
  /** Message of the error of an SDK. */
  readonly message?: string | undefined
  /** Kind by the words of the endpoint alone; default: by code, type, message and status. */
  readonly kind?: ModelErrorKind | undefined
}

/** Error that carries a refusal to `convertError`, directly or as the cause of an error of an SDK. */
export class RefusalError extends Error {
  readonly refusal: HttpRefusal

  constructor(refusal: HttpRefusal) {
    super(`status ${refusal.status}`)
    this.refusal = refusal
  }
}

/** Error of a body that broke off after its head, with the bytes that had arrived. */
export class BrokenBodyError extends Error {
  readonly bytes: number

  constructor(bytes: number, cause: unknown) {
    super(`the answer broke off after ${bytes} bytes`, { cause })
    this.bytes = bytes
  }
}

/** Facts of a failed call. */
export interface FailureFacts {
  readonly signal: AbortSignal | undefined
  readonly secrets: ReadonlySet<string>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** URL of the request, without credentials. */
  readonly url: string
  /** Reads the refusal out of an error of an SDK; returns undefined for other errors. */
  readonly refusalOf?: ((error: unknown) => HttpRefusal | undefined) | undefined
  /** Rules of the endpoint for kinds. */
  readonly rules?: readonly FailureRule[] | undefined
}

/** Converts any error of a call to a model failure, without secrets, headers and bodies; returns an `XError` without a kind as it is. */
export function convertError(thrown: unknown, facts: FailureFacts): unknown {
  const { signal, secrets, url } = facts
  // SDKs put the error of `fetch` into one of their own.
  const error = thrown instanceof Error && isXError(thrown.cause) && !isXError(thrown) ? thrown.cause : thrown
  if (isXError(error) && !signal?.aborted) return withoutSecrets(ruled(error, facts.rules), secrets)
  const cause = plainCause(error, secrets)
  if (signal?.aborted)
    return isXError(error, 'aborted') ? error : modelFailure('aborted', 'stopped by the caller', { cause })
  const refusal = refusalIn(error) ?? facts.refusalOf?.(error)
  if (refusal) return convertRefusal(refusal, facts, cause)
  const message = redact(error instanceof Error ? error.message : String(error), secrets)
  if (error instanceof BrokenBodyError) {
    const reason = error.cause instanceof Error ? `: ${deepestMessage(cause)}` : ''
    return modelFailure('connection', `the answer of \`${url}\` broke off after ${error.bytes} bytes${reason}`, {
      cause,
      details: { bytes: error.bytes, received: true },
    })
  }
  if ((error as { code?: unknown } | undefined)?.code === 'ERR_INVALID_URL') {
    return new XError(
      'invalid-config',
      `\`baseUrl\` is not a URL, so that requests would go to \`${url}\`: give a whole one`,
    )
  }
  if (isOfHeader(error)) {
    return new XError(
      'invalid-config',
      `the request to \`${url}\` has a header whose name or value cannot be sent: check \`defaultHeaders\` and \`extra_headers\``,
    )
  }
  if (error instanceof SyntaxError)
    return modelFailure('server', `\`${url}\` gave an answer that is not JSON`, { cause })
  if (isDecompressionError(error)) {
    return modelFailure(
      'server',
      `\`${url}\` gave a body that cannot be decompressed: ${deepestMessage(cause) ?? message}`,
      { cause },
    )
  }
  if (isNetworkError(error)) {
    return modelFailure('connection', `\`${url}\` cannot be reached: ${deepestMessage(cause) ?? message}`, { cause })
  }
  return modelFailure('server', `asking \`${url}\` failed: ${message}`, { cause })
}

/** Gives the failure of an error inside an answer the kind that the rules of the endpoint name. */
function ruled(error: XError, rules: FailureFacts['rules']): XError {
  const { status, message, retryAfterMs: hint, details, cause } = error
  if (details?.['inAnswer'] !== true) return error
  const kind = kindByRules({ status, code: details['code'], type: details['type'], message }, rules)
  return kind ? modelFailure(kind, message, { status, retryAfterMs: hint, details, cause }) : error
}

function withoutSecrets(error: XError, secrets: ReadonlySet<string>): XError {
  if (!error.kind || (secrets.size === 0 && !error.details)) return error
  const message = redact(error.message, secrets)
  const details = redactData(error.details, secrets) as typeof error.details
  if (message === error.message && JSON.stringify(details) === JSON.stringify(error.details)) return error
  const { status, retryAfterMs: hint } = error
  return modelFailure(error.kind, message, { status, retryAfterMs: hint, details })
}

function refusalIn(error: unknown): HttpRefusal | undefined {
  if (error instanceof RefusalError) return error.refusal
  return error instanceof Error && error.cause instanceof RefusalError ? error.cause.refusal : undefined
}

const NETWORK_CODE_PATTERN = /^(?:E[A-Z]{4,}|UND_ERR_\w+|ERR_(?:SSL|TLS|STREAM|HTTP)\w*|HPE_\w+)$/u

const NETWORK_MESSAGE_PATTERN = /fetch failed|error fetching from|connection error|terminated|network|socket/iu

/** Tells an error of the network by its code or by the message of `fetch`. */
const isNetworkError = (error: unknown): boolean =>
  error instanceof Error &&
  (hasCode(error, NETWORK_CODE_PATTERN) || NETWORK_MESSAGE_PATTERN.test(error.message) || isNetworkError(error.cause))

/** Tells the error of undici, or of `Headers`, for a header that cannot be sent; the latter quotes its value. */
const isOfHeader = (error: unknown): boolean =>
  error instanceof Error &&
  (hasCode(error, /^UND_ERR_INVALID_ARG$/u) || error.message.startsWith('Headers.') || isOfHeader(error.cause))

const hasCode = ({ code }: Error & { readonly code?: unknown }, pattern: RegExp): boolean =>
  typeof code === 'string' && pattern.test(code)

/** Returns the message of the innermost cause of an error. */
export function deepestMessage(error: Error | undefined): string | undefined {
  let deepest = error
  while (deepest?.cause instanceof Error) deepest = deepest.cause
  return deepest?.message
}

/** Tells an error of zlib or Brotli, or one of the platform's `fetch` because of it, by its code. */
export const isDecompressionError = (error: unknown): boolean =>
  error instanceof Error &&
  (hasCode(error, /^(?:Z_|ERR__ERROR_|ERR_BROTLI|ERR_ZLIB|ZSTD_)/u) || isDecompressionError(error.cause))

/** Makes the failure of a response with an error status and a body of any form. */
function convertRefusal(refusal: HttpRefusal, facts: Omit<FailureFacts, 'signal'>, cause?: Error): XError {
  const { status, headers } = refusal
  const { secrets, now, url, rules } = facts
  const { text, code, type, param, contentFilter, details, resetAt } = readErrorBody(refusal.body)
  const id = shortWord(headers?.get('request-id') ?? headers?.get('x-request-id'))
  const shouldRetry = booleanOf(headers?.get('x-should-retry'))
  const message = text ?? refusal.message ?? `status ${status} without a message`
  const empty = text === undefined && code === undefined && type === undefined
  const kind = refusal.kind ?? kindOfDetails(details) ?? kindOf({ status, code, type, message, empty }, rules)
  const reset = kind === 'rate-limit' ? untilReset(resetAt ?? headers?.get('x-ratelimit-reset'), now) : undefined
  const hint = (headers && retryAfterMs(headers, now)) ?? retryDelayMs(details) ?? reset
  const place = kind === 'not-found' ? ` (\`${url}\`)` : ''
  const said = { code, type, ...textAs('param', param), ...textAs('requestId', id), shouldRetry, contentFilter }
  const known = Object.entries({ ...said, quota: quotaId(details) }).filter(([, value]) => value !== undefined)
  return modelFailure(kind, redact(message, secrets) + place, {
    status,
    ...(cause && { cause }),
    ...(hint !== undefined && { retryAfterMs: hint }),
    details: redactData(Object.fromEntries(known), secrets) as Record<string, unknown>,
  })
}

const booleanOf = (value: string | null | undefined): boolean | undefined =>
  value === 'true' ? true : value === 'false' ? false : undefined

/** Reads how long a provider asks to wait, in milliseconds, from `retry-after-ms` or `retry-after` (seconds or a date). */
export function retryAfterMs(headers: { get(name: string): string | null }, now: () => number): number | undefined {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '')
  if (Number.isFinite(ms) && ms >= 0) return ms
  // Headers that were sent twice are joined by commas, and a date has a comma after its weekday.
  const [first] = /[a-z]+,[^,]+|[^,\s][^,]*/iu.exec((headers.get('retry-after') ?? '').slice(0, MAX_WORD_CHARS)) ?? []
  if (!first) return undefined
  const seconds = Number(first)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined
  const date = Date.parse(first)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now())
}

/**
 * Makes the failure of an error inside a successful response: an error frame of a stream, or an error in a body. `rules` are
 * those of the endpoint (`failureRules` of its `Dialect`).
 */
export function inBandFailure(body: unknown, status?: number, rules?: readonly FailureRule[]): XError {
  const { text, code, type, details, status: bodyStatus } = readErrorBody(body)
  const wireStatus = status ?? bodyStatus ?? statusIn(code)
  const message = text ?? 'the provider reported an error without a message'
  const kind = kindOfDetails(details) ?? kindOf({ status: wireStatus, code, type, message }, rules)
  const hint = retryDelayMs(details)
  return modelFailure(kind, message, {
    ...(wireStatus !== undefined && { status: wireStatus }),
    ...(hint !== undefined && { retryAfterMs: hint }),
    // Its status is a word of the answer: the provider may have worked, and bill, before it.
    details: { code, type, inAnswer: true },
  })
}

/** Reads the status that stands in place of a code, as a number or a text. */
function statusIn(code: unknown): number | undefined {
  const status = typeof code === 'string' && /^[45]\d\d$/u.test(code) ? Number(code) : code
  return typeof status === 'number' && status >= 400 ? status : undefined
}

interface ErrorBody {
  text?: string
  code?: unknown
  type?: unknown
  param?: unknown
  /** Status that the body names. */
  status?: number | undefined
  /** Findings of the content filter of Azure. */
  contentFilter?: unknown
  /** List of details, as Google sends it. */
  details?: unknown
  /** Time at which a limit passes, as OpenRouter sends it. */
  resetAt?: unknown
}

/** Reads `{ error: { message, code, type } }`, `{ message }`, a list of one (Google), a text, or nothing. */
function readErrorBody(body: unknown): ErrorBody {
  const value: unknown = typeof body === 'string' ? (parseJson(body) ?? body) : body
  if (typeof value === 'string') return value.trim() === '' ? {} : { text: plainText(value) }
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (!isRecord(first)) return {}
  const { errors } = first
  const error = first['error'] ?? (Array.isArray(errors) && isRecord(errors[0]) ? errors[0] : first)
  if (typeof error === 'string') {
    const { message, code, type, error_type: kind } = first
    const text = typeof message === 'string' && message !== error ? `${error}: ${message}` : error
    return { text: text.slice(0, MAX_MESSAGE_CHARS), code: shortWord(code), type: shortWord(type ?? kind) }
  }
  if (!isRecord(error)) return {}
  const { code = error['error_code'], param, status, details, innererror, metadata } = error
  const type = error['type'] ?? error['__type']
  const text = error['message'] ?? error['detail'] ?? error['Message'] ?? error['msg'] ?? error['error_msg']
  const citation = citedError(metadata)
  const shown = (typeof text === 'string' ? text : (JSON.stringify(text) ?? '')).slice(0, MAX_MESSAGE_CHARS)
  return {
    ...(text !== undefined && text !== null && { text: shown + citation }),
    code: shortWord(code),
    type: shortWord(type ?? status),
    param: shortWord(param),
    status: typeof status === 'number' ? status : undefined,
    contentFilter: recordOf(innererror)['content_filter_result'],
    details,
    resetAt: recordOf(recordOf(metadata)['headers'])['X-RateLimit-Reset'],
  }
}

/** Characters that are read of the message of a provider. */
const MAX_MESSAGE_CHARS = 4000

/** Characters of a code, a type or an identifier that a provider sends. */
const MAX_WORD_CHARS = 256

const shortWord = (word: unknown): unknown => (typeof word === 'string' ? word.slice(0, MAX_WORD_CHARS) : word)

/** Characters that are cited of the error of another provider. */
const MAX_CITED_CHARS = 1000

/** Returns the error that a gateway such as OpenRouter cites; the message of the gateway says only that there was one. */
function citedError(metadata: unknown): string {
  if (!isRecord(metadata)) return ''
  const { raw, provider_name: provider } = metadata
  if (raw === undefined || raw === null || raw === '') return ''
  const text = (typeof raw === 'string' ? raw : JSON.stringify(raw)).slice(0, MAX_CITED_CHARS)
  return ` (${typeof provider === 'string' ? `${String(shortWord(provider))}: ` : ''}${text})`
}

/** Reads how long Google asks to wait, in milliseconds: `RetryInfo.retryDelay` in the body, such as `34.4s`. */
function retryDelayMs(details: unknown): number | undefined {
  for (const detail of listOf(details)) {
    const { retryDelay: delay } = recordOf(detail)
    const seconds = typeof delay === 'string' ? /^(\d{1,9}(?:\.\d{1,9})?)s$/u.exec(delay)?.[1] : undefined
    if (seconds !== undefined) return Number(seconds) * 1000
  }
  return undefined
}

/** Seconds since 1970 from which on a number is a time, and milliseconds from which on it is one in these. */
const [LEAST_TIME_S, LEAST_TIME_MS] = [1e9, 1e11]

/** Returns the milliseconds until a time, in seconds or milliseconds since 1970; undefined for any other number. */
function untilReset(reset: unknown, now: () => number): number | undefined {
  const at = Number(reset)
  return at >= LEAST_TIME_S ? Math.max(0, (at < LEAST_TIME_MS ? at * 1000 : at) - now()) : undefined
}

/** Kinds by the reasons of Google (https://cloud.google.com/apis/design/errors). */
const REASON_KINDS: ReadonlyMap<unknown, ModelErrorKind> = new Map([
  ['API_KEY_INVALID', 'auth'],
  ['BILLING_DISABLED', 'quota'],
])

/** Tells the quotas of Google apart: the message is the same for a quota per minute, which passes, and one per day. */
function kindOfDetails(details: unknown): ModelErrorKind | undefined {
  const reasons = listOf(details).map((detail) => REASON_KINDS.get(recordOf(detail)['reason']))
  const byReason = reasons.find((kind) => kind !== undefined)
  if (byReason) return byReason
  const id = quotaId(details)
  // A delay means that the quota passes.
  if (typeof id !== 'string') return retryDelayMs(details) === undefined ? undefined : 'rate-limit'
  return /per_?day/iu.test(id) ? 'quota' : 'rate-limit'
}

/** Reads the id of the exhausted quota. */
function quotaId(details: unknown): unknown {
  const violations = listOf(details).map((detail) => recordOf(detail)['violations'])
  const [first] = listOf(violations.find(Array.isArray))
  return shortWord(recordOf(first)['quotaId'])
}
