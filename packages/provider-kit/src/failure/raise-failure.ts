import type { ModelErrorKind } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { redact, redactData } from '@x/kernel/redact'
import { modelFailure } from './model-failure.ts'
import { isRecord } from '../json/is-record.ts'
import { parseJson } from '../json/parse-json.ts'
import { kindOf } from './kind.ts'
import { plainCause } from './plain-cause.ts'
import { plainText } from './plain-text.ts'
import { retryAfterMs } from './retry-after.ts'

/** A response with an error status; SDKs keep different parts of it. */
export interface HttpRefusal {
  readonly status?: number | undefined
  readonly headers?: { get(name: string): string | null } | undefined
  /** The body, parsed or as text; may be absent or of any form. */
  readonly body?: unknown
  /** Message of the SDK's error. */
  readonly message?: string | undefined
}

/** Facts of a failed call. */
export interface FailureFacts {
  readonly signal: AbortSignal | undefined
  /** Whether the call took longer than its timeout. */
  readonly timedOut: boolean
  readonly secrets: ReadonlySet<string>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** URL of the request, without credentials. */
  readonly url: string
  /** Reads the refusal out of an SDK's error; returns undefined for other errors. */
  readonly refusalOf?: ((error: unknown) => HttpRefusal | undefined) | undefined
}

/** Converts any error of a call to a model failure, without secrets, headers and bodies; an `XError` without a kind stays what it is. */
export function raiseFailure(error: unknown, facts: FailureFacts): unknown {
  const { signal, timedOut, secrets, url } = facts
  if (isXError(error) && !timedOut && !signal?.aborted) return withoutSecrets(error, secrets)
  const cause = plainCause(error, secrets)
  if (signal?.aborted)
    return isXError(error, 'aborted') ? error : modelFailure('aborted', 'stopped by the caller', { cause })
  if (timedOut) return modelFailure('timeout', `\`${url}\` did not answer in time: raise \`timeout\``, { cause })
  const refusal = facts.refusalOf?.(error)
  if (refusal) return raiseRefusal(refusal, facts, cause)
  const said = redact(error instanceof Error ? error.message : String(error), secrets)
  if (error instanceof SyntaxError)
    return modelFailure('server', `\`${url}\` gave an answer that is not JSON`, { cause })
  if (isNetworkError(error)) {
    return modelFailure('connection', `\`${url}\` cannot be reached: ${deepest(cause) ?? said}`, { cause })
  }
  if (isDecompression(error)) {
    return modelFailure('server', `\`${url}\` gave a body that cannot be decompressed: ${said}`, { cause })
  }
  return modelFailure('server', `asking \`${url}\` failed: ${said}`, { cause })
}

/** Tells an error of zlib or Brotli by its code. */
function isDecompression(error: unknown): boolean {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^(?:Z_|ERR__ERROR_|ERR_BROTLI|ERR_ZLIB|ZSTD_)/u.test(code)
}

/** Reads the header by which a provider says whether to repeat a request. */
const retryWord = (said: string | null | undefined): boolean | undefined =>
  said === 'true' ? true : said === 'false' ? false : undefined

/** Makes the failure of a response with an error status, for a body of any form. */
function raiseRefusal(refusal: HttpRefusal, facts: Omit<FailureFacts, 'signal' | 'timedOut'>, cause?: Error): XError {
  const { status, headers } = refusal
  const { secrets, now, url } = facts
  const { text, code, type, param, filter, more } = bodyFacts(refusal.body)
  const id = headers?.get('request-id') ?? headers?.get('x-request-id')
  const shouldRetry = retryWord(headers?.get('x-should-retry'))
  const said = text ?? refusal.message ?? `status ${status} without a message`
  const kind = kindOfQuota(more) ?? kindOf({ status, code, type, message: said })
  const hint = (headers && retryAfterMs(headers, now)) ?? retryHint(more)
  const where = kind === 'not-found' ? ` (\`${url}\`)` : ''
  return modelFailure(kind, redact(said, secrets) + where, {
    status,
    ...(cause && { cause }),
    ...(hint !== undefined && { retryAfterMs: hint }),
    details: redactData(
      {
        ...(code !== undefined && { code }),
        ...(type !== undefined && { type }),
        ...(typeof param === 'string' && { param }),
        ...(id && { requestId: id }),
        ...(shouldRetry !== undefined && { shouldRetry }),
        ...(filter !== undefined && { contentFilter: filter }),
        ...(quotaId(more) !== undefined && { quota: quotaId(more) }),
      },
      secrets,
    ) as Record<string, unknown>,
  })
}

/** Makes the failure of an error inside a successful response: an error frame of a stream, or an error in a body. */
export function inBandFailure(body: unknown, status?: number): XError {
  const { text, code, type, more, status: said } = bodyFacts(body)
  const wire = status ?? said ?? (typeof code === 'number' && code >= 400 ? code : undefined)
  const message = text ?? 'the provider reported an error without a message'
  const kind = kindOfQuota(more) ?? kindOf({ status: wire, code, type, message })
  const hint = retryHint(more)
  return modelFailure(kind, message, {
    ...(wire !== undefined && { status: wire }),
    ...(hint !== undefined && { retryAfterMs: hint }),
    details: { code, type },
  })
}

interface BodyFacts {
  text?: string
  code?: unknown
  type?: unknown
  param?: unknown
  /** Status that the body names. */
  status?: number | undefined
  /** Findings of Azure's content filter. */
  filter?: unknown
  more?: unknown
}

/** Reads `{ error: { message, code, type } }`, `{ message }`, Google's list of one, a text, or nothing. */
function bodyFacts(body: unknown): BodyFacts {
  const value: unknown = typeof body === 'string' ? (parseJson(body) ?? body) : body
  if (typeof value === 'string') return value.trim() === '' ? {} : { text: plainText(value) }
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (!isRecord(first)) return {}
  const error = first['error'] ?? first
  if (typeof error === 'string') return { text: error }
  if (!isRecord(error)) return {}
  const { message, code, type, param, status, details, detail, innererror, metadata } = error
  const text = message ?? detail
  const cited = citedText(metadata)
  return {
    ...(text !== undefined &&
      text !== null && { text: (typeof text === 'string' ? text : JSON.stringify(text)) + cited }),
    code,
    type: type ?? status,
    param,
    status: typeof status === 'number' ? status : undefined,
    filter: isRecord(innererror) ? innererror['content_filter_result'] : undefined,
    more: details,
  }
}

/** Returns what a gateway such as OpenRouter cites of the provider behind it; its own message says only that there was an error. */
function citedText(metadata: unknown): string {
  if (!isRecord(metadata)) return ''
  const { raw, provider_name: provider } = metadata
  if (raw === undefined || raw === null || raw === '') return ''
  const text = (typeof raw === 'string' ? raw : JSON.stringify(raw)).slice(0, MOST_CITED)
  return ` (${typeof provider === 'string' ? `${provider}: ` : ''}${text})`
}

/** Most characters that are cited of another provider's error. */
const MOST_CITED = 1000

/** Reads how long Google asks to wait: `RetryInfo.retryDelay` in the body, such as `34.4s`. */
function retryHint(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined
  for (const detail of details) {
    const delay: unknown = isRecord(detail) ? detail['retryDelay'] : undefined
    const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/u.exec(delay)?.[1] : undefined
    if (seconds !== undefined) return Number(seconds) * 1000
  }
  return undefined
}

/** Tells Google's quotas apart: the message is the same for a quota per minute, which passes, and one per day. */
function kindOfQuota(details: unknown): ModelErrorKind | undefined {
  const id = quotaId(details)
  // Whoever says how long to wait means a quota that passes.
  if (typeof id !== 'string') return retryHint(details) === undefined ? undefined : 'rate-limit'
  return /per_?day/iu.test(id) ? 'quota' : 'rate-limit'
}

/** Reads the id of the quota that was used up. */
function quotaId(details: unknown): unknown {
  if (!Array.isArray(details)) return undefined
  const violations: unknown = details.find((detail) => isRecord(detail) && Array.isArray(detail['violations']))
  const first: unknown = isRecord(violations) ? (violations['violations'] as unknown[])[0] : undefined
  return isRecord(first) ? first['quotaId'] : undefined
}

function withoutSecrets(error: XError, secrets: ReadonlySet<string>): XError {
  if (!error.kind || (secrets.size === 0 && !error.details)) return error
  const message = redact(error.message, secrets)
  const details = redactData(error.details, secrets) as typeof error.details
  if (message === error.message && JSON.stringify(details) === JSON.stringify(error.details)) return error
  const { status, retryAfterMs: hint } = error
  return modelFailure(error.kind, message, { status, retryAfterMs: hint, details })
}

const NETWORK = /^(?:E[A-Z]{4,}|UND_ERR_\w+|ERR_(?:SSL|TLS|STREAM|HTTP)\w*|HPE_\w+)$/u

/** Tells whether an error comes from the network, by its code or by the message of `fetch`. */
function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && NETWORK.test(code)) return true
  return (
    /fetch failed|error fetching from|connection error|terminated|network|socket/iu.test(error.message) ||
    isNetworkError(error.cause)
  )
}

function deepest(error: Error | undefined): string | undefined {
  let at = error
  while (at?.cause instanceof Error) at = at.cause
  return at?.message
}
