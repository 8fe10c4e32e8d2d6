import type { ModelAttempt, ModelErrorKind } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { redact, redactData } from '@x/kernel/redact'
import type { ModelFailure } from './sending-policy.ts'
import { refElsewhere, urlToTry } from '../config/endpoint-advice.ts'
import { isAzure, type Slot } from '../config/slot.ts'

/** Advice for each kind of failure. */
const FAILURE_ADVICE: Readonly<Record<ModelErrorKind, string>> = {
  timeout: 'raise `timeout` (seconds) in the config entry or in `llmConfig`, or add a further config',
  'rate-limit': 'ask less often, or add a further config',
  quota: 'raise the quota of the account, or add a config of another one',
  overloaded: 'try again later, or add a further config',
  server: 'try again, or add a further config',
  connection: 'check `baseUrl` and the network, or add a further config',
  auth: 'check `apiKey` and what it may use',
  'not-found': 'check `model` and `baseUrl`',
  'invalid-request': 'correct what the message names',
  'context-overflow':
    'give the agent a `history` (`fit()` of `@x/history`), shorten the messages, or add a config with a larger context window',
  truncated: 'try again, or add a further config',
  'content-filter': 'change the messages, or allow the next config with `failover: { "content-filter": "next" }`',
  aborted: 'start it again if it was not meant',
}

/** Makes the error that ends a call, from its last failure and all attempts, without secrets. */
export function finalFailure(failure: ModelFailure, slot: Slot, attempts: readonly ModelAttempt[]): XError {
  const { secrets } = slot
  const { kind, status, retryAfterMs, details } = failure
  const code = kind === 'timeout' || kind === 'content-filter' || kind === 'aborted' ? kind : 'model-failed'
  const model = attempts.at(-1)?.model ?? slot.client.model ?? 'the model'
  const earlier = attempts.length - 1
  const message = redact(failure.message, secrets)
  return new XError(
    code,
    `asking \`${model}\` (config ${slot.index}) failed: ${kind}${status ? ` (HTTP ${status})` : ''}, ${message}${
      earlier > 0 ? `; ${earlier} earlier attempt${earlier > 1 ? 's' : ''} failed too, see \`attempts\`` : ''
    }${adviceFor(failure, slot, model)}`,
    {
      kind,
      status,
      retryAfterMs,
      attempts,
      details: redactData(details, secrets) as ModelFailure['details'],
      cause: safeCause(failure, secrets),
    },
  )
}

/** Says what to do about a failure, with the mark before it, by what the entry and the name of the model tell. */
function adviceFor({ kind, message, details }: ModelFailure, slot: Slot, model: string): string {
  const { apiType, baseUrl } = slot.client
  // A client that asks for a key says where to put it.
  if (kind === 'auth' && message.includes('`apiKey`')) {
    return slot.hasEmptyKey ? ' (`apiKey` is there and empty: is what it is read from set?)' : ''
  }
  // A connection that broke off had been made.
  if (kind === 'connection' && details?.['received'] === true) return `: ${FAILURE_ADVICE.truncated}`
  const isPage = details?.['webPage'] === true
  if (kind !== 'not-found' && !isPage) return `: ${FAILURE_ADVICE[kind]}`
  const url = urlToTry(slot.client)
  if (url !== undefined) return `: try \`baseUrl: '${url}'\``
  if (isPage) return ': check `baseUrl`'
  if (isAzure(apiType)) return ': check `baseUrl`, and `model`, which is the name of the deployment'
  return `: ${(baseUrl === undefined && refElsewhere(model, apiType)) || FAILURE_ADVICE[kind]}`
}

/** Copies an error without the secrets in its texts and fields; other values are dropped. */
function safeCause(error: unknown, secrets: ReadonlySet<string>, depth: number = 0): Error | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  const cause = safeCause(error.cause, secrets, depth + 1)
  const message = redact(error.message, secrets)
  const { code } = error as { code?: unknown }
  const copy = isXError(error)
    ? new XError(error.code, message, {
        kind: error.kind,
        status: error.status,
        details: redactData(error.details, secrets) as ModelFailure['details'],
      })
    : Object.assign(new Error(message), typeof code === 'string' && { code: redact(code, secrets) })
  if (!isXError(copy)) Object.defineProperty(copy, 'name', { value: error.name })
  if (cause) Object.defineProperty(copy, 'cause', { value: cause })
  Object.defineProperty(copy, 'stack', { get: () => redact(error.stack ?? message, secrets) })
  return copy
}
