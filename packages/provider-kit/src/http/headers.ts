import { redactData } from '@x/kernel/redact'

/**
 * Returns headers with those of one request, which win whatever their case; null removes a header. Names become lower case,
 * so that none is sent twice.
 */
export function withHeaders(
  headers: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string | null>> | undefined,
): Record<string, string> {
  if (!more) return headers
  const out: Record<string, string> = {}
  for (const [name, value] of [...Object.entries(headers), ...Object.entries(more)]) {
    if (value === null) delete out[name.toLowerCase()]
    else out[name.toLowerCase()] = value
  }
  return out
}

/** Part of `Headers` that is read. */
export type ResponseHeaders = Pick<Headers, 'forEach'>

/** Returns the headers of a response that a caller may see; undefined when there are none. */
export function answerHeaders(headers: ResponseHeaders, secrets: Iterable<string>): Record<string, string> | undefined {
  let visible: Record<string, string> | undefined
  headers.forEach((value, name) => {
    const key = name.toLowerCase()
    if (isVisible(key)) (visible ??= {})[key] = value.slice(0, MAX_VALUE_LENGTH)
  })
  // At once: the forms of the secrets are the same for all values.
  return visible && (redactData(visible, secrets) as Record<string, string>)
}

/** Characters of a value that a caller sees. */
const MAX_VALUE_LENGTH = 1024

/** Headers that name a request or tell limits; cookies, keys and accounts stay hidden. */
const VISIBLE_HEADERS: ReadonlySet<string> = new Set(
  'request-id cf-ray retry-after retry-after-ms openai-processing-ms openai-version x-ms-region'.split(' '),
)

const isVisible = (name: string): boolean =>
  VISIBLE_HEADERS.has(name) || name.includes('ratelimit-') || name.endsWith('-request-id')
