import type { IncomingHttpHeaders } from 'node:http'

/** State of a request: answered, still open, reset by the server, or aborted by the client. */
export type ExchangeState = 'open' | 'answered' | 'reset' | 'aborted'

/** One request that a fake server received. */
export interface LoggedRequest {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Headers; a key reads `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON body, or the text of a body that is not JSON. */
  readonly body: unknown
  /** Status of the response; null before it was sent. */
  readonly status: number | null
  readonly state: ExchangeState
}

const SECRET_HEADER = /^(?:authorization|proxy-authorization|cookie)$|key|token|secret/iu

/** Returns the headers of a request with `[redacted]` for secrets; the scheme of an authorization stays. */
export function redactedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value = '']) => {
    const text = Array.isArray(value) ? value.join(', ') : value
    return [
      name,
      text !== '' && SECRET_HEADER.test(name) ? text.replace(/^(\w+ )?.*$/su, '$1[redacted]') : text,
    ] as const
  })
  return Object.fromEntries(entries)
}
