import { redact } from '@x/kernel/redact'

/** Headers that name a request or tell limits, beside those whose names say so; cookies, keys and accounts are never told. */
const TOLD: ReadonlySet<string> = new Set(
  'request-id cf-ray retry-after retry-after-ms openai-processing-ms openai-version x-ms-region'.split(' '),
)

const isTold = (name: string): boolean => TOLD.has(name) || name.includes('ratelimit-') || name.endsWith('-request-id')

/** Returns the headers of a response that a caller may see; undefined when there are none. */
export function answerHeaders(
  headers: ResponseHeaders,
  secrets: readonly string[],
): Record<string, string> | undefined {
  let told: Record<string, string> | undefined
  headers.forEach((value, name) => {
    const key = name.toLowerCase()
    if (isTold(key)) (told ??= {})[key] = redact(value, secrets)
  })
  return told
}

/** Part of `Headers` that is read. */
export type ResponseHeaders = Pick<Headers, 'forEach'>
