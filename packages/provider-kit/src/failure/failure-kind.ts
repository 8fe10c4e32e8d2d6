import type { ModelErrorKind } from '@x/interfaces'

/** Facts of a failure that decide its kind. */
export interface FailureSigns {
  readonly status?: number | undefined
  /** The `code` of the body, of any type. */
  readonly code?: unknown
  /** The `type` of the body, of any type. */
  readonly type?: unknown
  readonly message?: string | undefined
}

/** Words of providers with their kinds; the first match wins, and words win over the status. */
const KIND_PATTERNS: readonly (readonly [RegExp, ModelErrorKind])[] = [
  [
    /content_?filter|content_policy_violation|responsibleaipolicy|content management policy|blocked by content filtering/iu,
    'content-filter',
  ],
  [
    /context_length_exceeded|maximum context length|context window|prompt is too long|exceeds? the (?:model's )?max\w* context|exceed context limit|input token count .{0,200}exceeds|context size|maximum (?:model|prompt) length|too many tokens: size|input is too long|`inputs` tokens \+/iu,
    'context-overflow',
  ],
  // More images, or more bytes, than a request may have. Anthropic: 100 images (600 for windows above 200,000 tokens), 32 MB,
  // and 2000 pixels each where there are more than 20 (https://platform.claude.com/docs/en/build-with-claude/vision.md).
  // OpenAI: 500 images, 50 MB (https://platform.openai.com/docs/guides/images-vision). Google: 20 MB
  // (https://ai.google.dev/gemini-api/docs/image-understanding). vLLM: the limits of its operator.
  [
    /too many images|too much media|many-image requests|at most \d+ (?:image|audio|video)|request_too_large|payload size exceeds/iu,
    'context-overflow',
  ],
  [
    /insufficient_quota|billing_(?:hard_limit|not_active|error)|exceeded your current quota|credit balance|API usage limits/iu,
    'quota',
  ],
  [/api[ _]key[ _](?:not valid|invalid|expired)/iu, 'auth'],
  [/overloaded/iu, 'overloaded'],
  // LM Studio has it in an answer with status 200 where it knows no such path.
  [/unexpected endpoint or method/iu, 'not-found'],
  [/rate_?limit|too_many_requests|resource_?exhausted/iu, 'rate-limit'],
]

/** Decides the kind of a failure by code, type, message and status. */
export function kindOf({ status, code, type, message }: FailureSigns): ModelErrorKind {
  // The message of a server error or a refused key may quote anything: there only code and type count.
  const readsMessage = status === undefined || (status >= 400 && status < 500 && status !== 401 && status !== 403)
  const words = [code, type, readsMessage ? message : ''].filter((word) => typeof word === 'string').join(' ')
  const byPattern = KIND_PATTERNS.find(([pattern]) => pattern.test(words))?.[1]
  if (byPattern) return byPattern
  return status === undefined ? kindOfWords(words) : kindOfStatus(status)
}

function kindOfStatus(status: number): ModelErrorKind {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'quota'
  // 405: the address is there, and not for requests of this kind, as that of a web page.
  if (status === 404 || status === 405 || status === 410) return 'not-found'
  if (status === 408) return 'timeout'
  if (status === 413) return 'context-overflow'
  if (status === 429) return 'rate-limit'
  // 425: the endpoint does not want to risk a request that may be a repetition; 499: a proxy in between gave up.
  if (status === 425 || status === 503 || status === 529) return 'overloaded'
  if (status === 409 || status === 499 || status >= 500) return 'server'
  return 'invalid-request'
}

/** Decides the kind of an error frame inside a stream, which has no status. */
function kindOfWords(words: string): ModelErrorKind {
  if (/authentication|invalid_api_key|permission/iu.test(words)) return 'auth'
  if (/not_found/iu.test(words)) return 'not-found'
  if (/invalid_request|bad_request/iu.test(words)) return 'invalid-request'
  if (/timeout/iu.test(words)) return 'timeout'
  return 'server'
}
