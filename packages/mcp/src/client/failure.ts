import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { isXError, XError } from '@x/kernel'
import { redact } from '@x/kernel/redact'
import { plainText } from '../text/plain-text.ts'
import { STREAM_ENDED } from './http-transport.ts'

/** The point that a failed request has reached. */
export type Reach =
  /** It was not executed: the server was not reached, or has refused it unread. */
  | 'not-run'
  /** It was not executed, since the server does not know the session. */
  | 'lost-session'
  /** The connection broke behind it: it may have been executed. */
  | 'unknown'
  /** The server has answered, or nobody waits any more. */
  | 'final'

/** Codes of connections that were not made. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT', 'EACCES'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
])

/** Says how far a request has come that failed with an error, on a connection with a session or without. */
export function reachOf(error: unknown, hasSession: boolean): Reach {
  if (error instanceof ProtocolError) return error.code === STREAM_ENDED ? 'unknown' : 'final'
  if (isXError(error) || error instanceof UnauthorizedError) return 'final'
  if (error instanceof SdkHttpError) {
    // A session that a server has forgotten is 404 by the protocol, and 400 with the SDK's own servers.
    if (hasSession && (error.status === 404 || error.status === 400)) return 'lost-session'
    return error.status >= 500 ? 'unknown' : 'final'
  }
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.NotConnected) return 'not-run'
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.SendFailed ? 'unknown' : 'final'
  }
  if (error instanceof Error && /^(?:Not connected|the server is not running)$/u.test(error.message)) return 'not-run'
  return causes(error).some(({ code }) => UNREACHED.has(code)) ? 'not-run' : 'unknown'
}

/** An error and what led to it. */
function causes(error: unknown): { readonly code?: unknown; readonly message?: unknown }[] {
  const chain: { code?: unknown; cause?: unknown; errors?: unknown[]; message?: unknown }[] = []
  for (let its = error; typeof its === 'object' && its !== null && chain.length < 8;) {
    chain.push(its)
    const { cause, errors } = its as { cause?: unknown; errors?: unknown[] }
    its = cause ?? errors?.[0]
  }
  return chain
}

/** The attempt on a server that failed. */
export interface Attempt {
  readonly server: string
  /** As in: list the tools. */
  readonly what: string
  readonly secrets: readonly string[]
  /** What is known of the end of the connection. */
  readonly lastWords?: string | undefined
  readonly reach?: Reach | undefined
}

/** Turns whatever the SDK throws into an `XError` that holds no secret and says what to do. */
export function failureOf(error: unknown, { server, what, secrets, lastWords, reach }: Attempt): XError {
  if (isXError(error)) return error
  const attempted = `cannot ${what} of the MCP server \`${server}\``
  const said = (text: string): string => plainText(redact(text, secrets), 1000)
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return new XError('timeout', `${attempted}: it gave no answer in time; give a longer \`timeout\` (seconds)`)
  }
  if (error instanceof ProtocolError && error.code !== STREAM_ENDED) {
    return new XError(
      'server-refused',
      `${attempted}: it answered with the error ${error.code}: ${said(error.message)}`,
      {
        details: { code: error.code },
      },
    )
  }
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && [401, 403].includes(error.status))) {
    return new XError(
      'connection-failed',
      `${attempted}: it wants to know who asks; give \`headers\` with a token that it accepts, or \`auth\``,
      { status: error instanceof SdkHttpError ? error.status : 401 },
    )
  }
  const why = [...new Set(causes(error).map(({ message }) => String(message)))].join(': ')
  const end = lastWords ? ` (${lastWords})` : ''
  const ran = reach === 'unknown' ? ' The request may have been executed; it was not sent again.' : ''
  return new XError(
    'connection-failed',
    said(
      `${attempted}: ${why}${end}.${ran} Check that the server runs and can be reached; the next call connects anew`,
    ),
    {
      ...(error instanceof SdkHttpError && { status: error.status }),
      details: { server, mayHaveRun: reach === 'unknown' },
    },
  )
}
