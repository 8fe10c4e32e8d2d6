import type { ModelErrorKind } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { inBandFailure, isRecord, modelFailure, parseJson, plainCause, type Wire } from '@x/provider-kit'

/** A refusal as the kit reads it. */
type Refusal = NonNullable<ReturnType<NonNullable<Wire['refusalOf']>>>

/** Kinds of the errors of the AI SDK by their names; those of calls have more in them. */
const KINDS: Readonly<Record<string, ModelErrorKind>> = {
  AI_EmptyResponseBodyError: 'server',
  AI_InvalidArgumentError: 'invalid-request',
  AI_InvalidPromptError: 'invalid-request',
  AI_InvalidResponseDataError: 'server',
  AI_JSONParseError: 'server',
  // The keys of AWS are settings, too.
  AI_LoadAPIKeyError: 'auth',
  AI_LoadSettingError: 'auth',
  AI_NoContentGeneratedError: 'server',
  AI_NoSuchModelError: 'not-found',
  AI_NoSuchProviderReferenceError: 'invalid-request',
  AI_TypeValidationError: 'server',
  AI_UnsupportedFunctionalityError: 'invalid-request',
}

/** Characters of a message that are shown: some quote whole bodies. */
const MAX_MESSAGE_CHARS = 1000

/** Status of a refusal from which on it is one: an error about an answer has the status of that. */
const FIRST_REFUSAL_STATUS = 400

/** Status with which Bedrock says that the model failed. */
const MODEL_FAILED_STATUS = 424

/** Statuses after which the packages of the AI SDK ask again, if nothing else is said. */
const isUsuallyRetried = (status: number): boolean =>
  status === 408 || status === 409 || status === 429 || status >= 500

/** Reads the refusal out of an error of the AI SDK, by its name: there may be several copies of the class. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined
  const message = error.message.slice(0, MAX_MESSAGE_CHARS)
  if (error.name !== 'AI_APICallError') {
    // Packages of clouds look for keys in files, and say in words of their own that there are none.
    if (error.name === 'Error' && /\bcredentials?\b|\bapi key\b/iu.test(message)) return { kind: 'auth', message }
    return Object.hasOwn(KINDS, error.name) ? { kind: KINDS[error.name], message } : undefined
  }
  const { statusCode, responseHeaders, responseBody, isRetryable } = error as {
    readonly statusCode?: unknown
    readonly responseHeaders?: unknown
    readonly responseBody?: unknown
    readonly isRetryable?: unknown
  }
  if (typeof statusCode !== 'number') return { kind: isRetryable === true ? 'connection' : 'server', message }
  if (statusCode < FIRST_REFUSAL_STATUS) return { kind: 'server', message }
  const headers = isRecord(responseHeaders) ? responseHeaders : {}
  // The package knows more than the status where it differs from the usual.
  const isTold = typeof isRetryable === 'boolean' && isRetryable !== isUsuallyRetried(statusCode)
  const get = (name: string): string | null => {
    const value = headers[name]
    if (typeof value === 'string') return value
    return name === 'x-should-retry' && isTold ? String(isRetryable) : null
  }
  return {
    status: statusCode,
    headers: { get },
    body: responseBody,
    message,
    ...(statusCode === MODEL_FAILED_STATUS && { kind: 'server' as const }),
  }
}

/** Makes the failure of an error inside a stream, which may be an error, an object of the provider, or a text. */
export function failureOf(error: unknown): XError {
  if (isXError(error)) return error
  const refusal = refusalOf(error)
  if (refusal?.kind) return modelFailure(refusal.kind, refusal.message ?? '', { cause: plainCause(error, []) })
  if (refusal) {
    const body = typeof refusal.body === 'string' ? parseJson(refusal.body) : refusal.body
    return inBandFailure(isRecord(body) ? body : { message: refusal.message }, refusal.status)
  }
  if (!(error instanceof Error)) {
    const { statusCode, message: words } = isRecord(error) ? error : {}
    if (statusCode === MODEL_FAILED_STATUS) return modelFailure('server', String(words))
    return inBandFailure(error, typeof statusCode === 'number' ? statusCode : undefined)
  }
  const { message } = error
  if (isBroken(error)) {
    return modelFailure('connection', `the stream broke off: ${message}`, { cause: plainCause(error, []) })
  }
  return inBandFailure({ message: message.slice(0, MAX_MESSAGE_CHARS) })
}

/** Tells an error of the network, by its words or the code of its cause. */
function isBroken(error: Error): boolean {
  const { code } = (error.cause ?? error) as { readonly code?: unknown }
  if (typeof code === 'string' && /^(?:E[A-Z]{4,}|UND_ERR_\w+)$/u.test(code)) return true
  return /fetch failed|terminated|network|socket/iu.test(error.message)
}
