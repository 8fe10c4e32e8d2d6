import { isXError, type XError } from '@x/kernel'
import { kindOf, modelFailure, plainCause, redact, retryAfterMs } from '@x/provider-kit'
import { APIConnectionError, APIError, OpenAIError } from 'openai'

/** What is known of the call that failed. */
export interface CallFacts {
  readonly signal: AbortSignal | undefined
  /** Whether the call's own clock stopped it. */
  readonly timedOut: boolean
  readonly secrets: ReadonlySet<string>
  readonly now: () => number
  /** Where it was sent, without credentials. */
  readonly url: string
}

/** Turns whatever the SDK throws into the failure that the wrapper knows; the cause has no secrets, headers or bodies. */
export function raiseError(error: unknown, facts: CallFacts): unknown {
  if (isXError(error)) return error
  const { secrets, signal, timedOut, url } = facts
  const cause = plainCause(error, secrets)
  if (signal?.aborted) return modelFailure('aborted', 'stopped by the caller', { cause })
  if (timedOut) return modelFailure('timeout', `\`${url}\` did not answer in time`, { cause })
  const said = redact(error instanceof Error ? error.message : String(error), secrets)
  if (error instanceof APIConnectionError) {
    return modelFailure('connection', `\`${url}\` cannot be reached: ${deepest(cause) ?? said}`, { cause })
  }
  if (error instanceof APIError) return raiseRefusal(error, facts, said, cause)
  if (error instanceof SyntaxError)
    return modelFailure('server', `\`${url}\` gave an answer that is no JSON`, { cause })
  if (error instanceof OpenAIError) return modelFailure('auth', said, { cause })
  if (isNetworkError(error)) return modelFailure('connection', `the connection to \`${url}\` broke: ${said}`, { cause })
  return error
}

/** Turns an error frame of a stream into a failure; nothing for any other frame. */
export function raiseFrame(frame: unknown, secrets: ReadonlySet<string>): XError | undefined {
  const { error } = (frame ?? {}) as { error?: unknown }
  if (!error) return undefined
  const { code, type, message, status } = (typeof error === 'object' ? error : { message: error }) as RefusalBody
  const text = redact(typeof message === 'string' ? message : JSON.stringify(error), secrets)
  const wire = typeof status === 'number' ? status : typeof code === 'number' && code >= 400 ? code : undefined
  const kind = kindOf({ status: wire, code, type, message: text })
  return modelFailure(kind, text, { status: wire, details: { code, type } })
}

interface RefusalBody {
  code?: unknown
  type?: unknown
  message?: unknown
  status?: unknown
  innererror?: { content_filter_result?: unknown }
}

function raiseRefusal(
  error: APIError,
  { now, secrets, url }: CallFacts,
  said: string,
  cause: Error | undefined,
): XError {
  const { status, code, type, param, requestID } = error
  const kind = kindOf({ status, code, type, message: error.message })
  const body: RefusalBody | undefined = error.error
  const text = typeof body?.message === 'string' ? redact(body.message, secrets) : said
  const filter = body?.innererror?.content_filter_result
  const where = kind === 'not-found' ? ` (\`${url}\`)` : ''
  return modelFailure(kind, text + where, {
    status,
    cause,
    retryAfterMs: error.headers && retryAfterMs(error.headers, now),
    details: { code, type, param, requestId: requestID, ...(filter !== undefined && { contentFilter: filter }) },
  })
}

const NETWORK = /^(?:E[A-Z]{4,}|UND_ERR_\w+|ERR_(?:SSL|TLS|STREAM|HTTP)\w*|HPE_\w+)$/u

/** Tells an error of the network stack, by its code or by what `fetch` calls it. */
function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && NETWORK.test(code)) return true
  return (
    (error instanceof TypeError && /fetch failed|terminated|network/iu.test(error.message)) ||
    isNetworkError(error.cause)
  )
}

function deepest(error: Error | undefined): string | undefined {
  let at = error
  while (at?.cause instanceof Error) at = at.cause
  return at?.message
}
