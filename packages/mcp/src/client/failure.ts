import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { XError, isXError } from '@x/kernel'
import { redact } from '@x/kernel/redact'
import { plainText } from '../text/plain-text.ts'
import { STREAM_ENDED_CODE } from './http-transport.ts'

/** How far a failed request has come. */
export type Reach =
  /** It was not executed: the server was not reached, or refused it unread. */
  | 'not-run'
  /** It was not executed, since the server does not know the session. */
  | 'lost-session'
  /** The connection broke after it was sent: it may have been executed. */
  | 'unknown'
  /** The server has answered, or the caller no longer waits. */
  | 'final'

/** Error codes of connections that could not be made. */
const CONNECT_ERROR_CODES: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT', 'EACCES'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
])

/** Finds how far a request came that failed with an error, on a connection with or without a session. */
export function findReach(error: unknown, hasSession: boolean): Reach {
  if (error instanceof ProtocolError) return error.code === STREAM_ENDED_CODE ? 'unknown' : 'final'
  if (isXError(error) || error instanceof UnauthorizedError) return 'final'
  if (error instanceof SdkHttpError) {
    // An unknown session is 404 by the protocol, and 400 with servers of the SDK.
    if (hasSession && (error.status === 404 || error.status === 400)) return 'lost-session'
    return error.status >= 500 ? 'unknown' : 'final'
  }
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.NotConnected) return 'not-run'
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.SendFailed ? 'unknown' : 'final'
  }
  if (error instanceof Error && /^(?:Not connected|the server is not running)$/u.test(error.message)) return 'not-run'
  return causeChain(error).some(({ code }) => CONNECT_ERROR_CODES.has(code)) ? 'not-run' : 'unknown'
}

/** Returns an error and its causes. */
function causeChain(error: unknown): { readonly code?: unknown; readonly message?: unknown }[] {
  const chain: { code?: unknown; cause?: unknown; errors?: unknown[]; message?: unknown }[] = []
  for (let current = error; typeof current === 'object' && current !== null && chain.length < 8;) {
    chain.push(current)
    const { cause, errors } = current as { cause?: unknown; errors?: unknown[] }
    current = cause ?? errors?.[0]
  }
  return chain
}

/** Returns a message without the list of what a schema of the SDK finds wrong in an answer. */
function reasonIn(message: string): string {
  const list = message.indexOf('[\n  {')
  return list === -1 ? message : `${message.slice(0, list)}its answer is not as the protocol describes it`
}

/** Exit status by which a shell, or what starts a program, says that there is no such program. */
const NOT_FOUND_STATUS = 127

/** A failed attempt on a server. */
interface Attempt {
  readonly server: string
  /** The attempt in words: `list the tools`. */
  readonly what: string
  readonly secrets: ReadonlySet<string>
  /** How the process of the server ended, if it did. */
  readonly exitReport?: string | undefined
  readonly reach?: Reach | undefined
}

/** Turns an error of the SDK into an `XError` without secrets, which says what to do. */
export function createFailure(error: unknown, { server, what, secrets, exitReport, reach }: Attempt): XError {
  if (isXError(error)) return error
  const attempted = `cannot ${what} of the MCP server \`${server}\``
  const redacted = (text: string): string => plainText(redact(text, secrets), 1000)
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return new XError('timeout', `${attempted}: it gave no answer in time; give a longer \`timeout\` (seconds)`)
  }
  if (error instanceof ProtocolError && error.code !== STREAM_ENDED_CODE) {
    return new XError(
      'server-refused',
      `${attempted}: it answered with the error ${error.code}: ${redacted(error.message)}`,
      {
        details: { code: error.code },
      },
    )
  }
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && [401, 403].includes(error.status))) {
    return new XError(
      'connection-failed',
      `${attempted}: it requires authentication; give \`headers\` with a token that it accepts, or \`auth\``,
      { status: error instanceof SdkHttpError ? error.status : 401 },
    )
  }
  const chain = causeChain(error)
  const codes = new Set(chain.map(({ code }) => code))
  const reasons = [...new Set(chain.map(({ message }) => reasonIn(String(message))))].join(': ')
  const end = exitReport ? ` (${exitReport})` : ''
  const isMissing = exitReport?.startsWith(`exit status ${NOT_FOUND_STATUS}`) || codes.has('ENOENT')
  const advice = isMissing
    ? 'The program was not found: give the name or the path of one that is installed as `command`, and its arguments as `args`'
    : 'Check that the server runs and can be reached; the next call connects anew'
  const ran = reach === 'unknown' ? ' The request may have been executed; it was not sent again.' : ''
  return new XError('connection-failed', redacted(`${attempted}: ${reasons}${end}.${ran} ${advice}`), {
    ...(error instanceof SdkHttpError && { status: error.status }),
    details: { server, mayHaveRun: reach === 'unknown' },
  })
}
