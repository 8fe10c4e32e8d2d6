import type { ModelErrorKind } from '@x/interfaces'

/** Facts of a failure that decide its kind. */
export interface Refusal {
  readonly status?: number | undefined
  /** The body's `code`, of any type. */
  readonly code?: unknown
  /** The body's `type`. */
  readonly type?: unknown
  readonly message?: string | undefined
}

/** Words of providers, first match wins; they tell more than the status. */
const WORDS: readonly (readonly [RegExp, ModelErrorKind])[] = [
  [
    /content_?filter|content_policy_violation|responsibleaipolicy|content management policy|blocked by content filtering/iu,
    'content-filter',
  ],
  [
    /context_length_exceeded|maximum context length|context window|prompt is too long|exceeds? the (?:model's )?max\w* context|exceed context limit|input token count .*exceeds|context size|maximum (?:model|prompt) length|too many tokens: size|input is too long|`inputs` tokens \+/iu,
    'context-overflow',
  ],
  // More images, or more bytes, than a request may have. Anthropic: 100 images (600 for windows above 200,000 tokens), 32 MB,
  // and 2000 pixels each where there are more than 20 (https://platform.claude.com/docs/en/build-with-claude/vision.md).
  // OpenAI: 500 images, 50 MB (https://platform.openai.com/docs/guides/images-vision). Google: 20 MB
  // (https://ai.google.dev/gemini-api/docs/image-understanding). vLLM: what its operator allows.
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
  [/rate_?limit|too_many_requests|resource_?exhausted/iu, 'rate-limit'],
]

/** Decides the kind of a failure by code, type, message and status. */
export function kindOf({ status, code, type, message }: Refusal): ModelErrorKind {
  // A server error or a refused key may quote anything in its text: there only code and type count.
  const clear = status === undefined || (status >= 400 && status < 500 && status !== 401 && status !== 403)
  const said = [code, type, clear ? message : ''].filter((word) => typeof word === 'string').join(' ')
  const byWord = WORDS.find(([words]) => words.test(said))?.[1]
  if (byWord) return byWord
  return status === undefined ? kindOfWord(said) : kindOfStatus(status)
}

function kindOfStatus(status: number): ModelErrorKind {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'quota'
  if (status === 404 || status === 410) return 'not-found'
  if (status === 408) return 'timeout'
  if (status === 413) return 'context-overflow'
  if (status === 429) return 'rate-limit'
  if (status === 503 || status === 529) return 'overloaded'
  if (status === 409 || status >= 500) return 'server'
  return 'invalid-request'
}

/** An error frame inside a stream has no status. */
function kindOfWord(said: string): ModelErrorKind {
  if (/authentication|invalid_api_key|permission/iu.test(said)) return 'auth'
  if (/not_found/iu.test(said)) return 'not-found'
  if (/invalid_request|bad_request/iu.test(said)) return 'invalid-request'
  if (/timeout/iu.test(said)) return 'timeout'
  return 'server'
}
