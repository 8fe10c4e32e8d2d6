import type { ModelErrorKind } from '@x/interfaces'

/** Facts of a failure that decide its kind. */
export interface FailureSigns {
  readonly status?: number | undefined
  /** The `code` of the body, of any type. */
  readonly code?: unknown
  /** The `type` of the body, of any type. */
  readonly type?: unknown
  readonly message?: string | undefined
  /** Whether the body says nothing, so that the message is not the provider's; default false. */
  readonly empty?: boolean | undefined
}

/** A rule of one endpoint for the kind of a failure. It wins over what holds for all endpoints; the first match wins. */
export interface FailureRule {
  readonly kind: ModelErrorKind
  /** HTTP status; default: any, and errors inside an answer. */
  readonly status?: number | undefined
  /** Part of the code, the type or the message, in small or capital letters; the empty text: a body without a word. */
  readonly words?: string | undefined
}

/** Refused for what it says. */
const CONTENT_PATTERN =
  /content_?filter|responsibleaipolicy|content management policy|blocked by content filtering|(?:content|bio|cyber|misalignment|usage)[_ ]policy|invalid_prompt|moderation_blocked|safety system|content exists risk|data_inspection_failed|prohibited_content|content violates|considered high risk/iu

/**
 * Longer than the window of the model. `docs/endpoints.md` has what each endpoint says; the test of this file has it whole.
 * A request above the tokens of a minute (`Request too large`) never passes either, but a shorter one does.
 */
const OVERFLOW_PATTERNS: readonly RegExp[] = [
  /context_length_exceeded|context_window_exceeded|exceed_context_size|exceed context limit|context window|context size/iu,
  /maximum context length|maximum (?:model|prompt) length|exceeds? the (?:model's )?max\w{0,20} context/iu,
  /prompt (?:is )?too long|input (?:token length |text )?(?:is )?too long|prompt exceeds max length|request[_ ]too[_ ]large/iu,
  /reduce the length of the|length of all messages is too long|exceeded model token limit|longer than the model/iu,
  /token count of \d{1,12} exceeds|input tokens exceed|too many input tokens|too many tokens: size|`inputs` tokens \+/iu,
  /exceeds the maximum allowed input length|(?:greater than|exceeds) (?:the )?context length|context length of only/iu,
  /more than max tokens allowed|range of input length should be|must be less than max_seq_len|while limit is/iu,
  /max tokens of \d{1,12} exceeded|maximum input length is|usage is required for long context/iu,
  /input token count .{0,200}(?:exceeds|only supports)/iu,
  /invalid '(?:messages|input)(?:\[\d{1,9}\]\.(?:content|output)[^']{0,80})?': (?:string|array) too long/iu,
]

// More images, or more bytes, than a request may have. Anthropic: 100 images (600 for windows above 200,000 tokens), 32 MB,
// and 2000 pixels each where there are more than 20 (https://platform.claude.com/docs/en/build-with-claude/vision.md).
// OpenAI: 500 images, 50 MB (https://platform.openai.com/docs/guides/images-vision). Google: 20 MB
// (https://ai.google.dev/gemini-api/docs/image-understanding). vLLM: the limits of its operator.
const MEDIA_PATTERN =
  /too many images|too much media|many-image requests|at most \d+ (?:image|audio|video)|payload size exceeds/iu

/** Words of providers with their kinds; the first match wins, and words win over the status. */
const KIND_PATTERNS: readonly (readonly [RegExp, ModelErrorKind])[] = [
  [CONTENT_PATTERN, 'content-filter'],
  ...OVERFLOW_PATTERNS.map((pattern) => [pattern, 'context-overflow'] as const),
  [MEDIA_PATTERN, 'context-overflow'],
  [
    /insufficient[_ ](?:quota|balance|credits?|funds)|billing_(?:hard_limit|not_active|error)|exceeded[_ ](?:your[_ ])?current[_ ]quota|credit balance|credits? (?:are|is|have been) (?:depleted|exhausted)|requires more credits|used all available credits|(?:reached|exceeded) (?:its|your|the) (?:monthly )?spending|API usage limits|payment[_ ]required|calls \/ month|reached your \w{0,20} ?usage limit|quota_reached|arrearage/iu,
    'quota',
  ],
  [
    /api[ _]key[ _](?:not valid|invalid|expired)|(?:incorrect|invalid|wrong)[ _]api[ _]key|missing or invalid authorization|user location is not supported|organization has been (?:disabled|restricted)|unsupported_country|account_deactivated/iu,
    'auth',
  ],
  [/overloaded/iu, 'overloaded'],
  // LM Studio has it in an answer with status 200 where it knows no such path.
  [
    /unexpected endpoint or method|model_(?:not_found|not_available|decommissioned)|invalid_model\b|deploymentnotfound|unknown model|invalid model:|model (?:does )?not (?:exist|found)|model identifier is invalid|is not a valid model|no models loaded|\bmodel [`'"][^`'"]{1,200}[`'"] (?:does not exist|not found|has been decommissioned)/iu,
    'not-found',
  ],
  [/rate[_ -]?limit|too[_ ]many[_ ]requests|resource_?exhausted/iu, 'rate-limit'],
  [/timeout_error|deadline_exceeded/iu, 'timeout'],
]

/** Returns the kind by the rules of the endpoint alone; undefined if none of them matches. */
export const kindByRules = (
  signs: FailureSigns,
  rules: readonly FailureRule[] = NO_RULES,
): ModelErrorKind | undefined => rules.find((each) => isMatch(each, signs))?.kind

/** Decides the kind of a failure by code, type, message and status; rules of the endpoint come first. */
export function kindOf(signs: FailureSigns, rules?: readonly FailureRule[]): ModelErrorKind {
  const { status, code, type, message } = signs
  const byRules = kindByRules(signs, rules)
  if (byRules) return byRules
  // The message of a refused key may quote anything, and that of a server that failed: there only code and type count.
  const isRefusedKey = status === 401 || status === 403
  const readsMessage = status === undefined || (status >= 400 && status < 500 && !isRefusedKey)
  const words = joined(code, type, readsMessage ? message : '')
  const byPattern = KIND_PATTERNS.find(([pattern]) => pattern.test(words))?.[1]
  if (byPattern) return byPattern
  // Servers of open models fail so in the middle of their work.
  if (!isRefusedKey && OVERFLOW_PATTERNS.some((pattern) => pattern.test(message ?? ''))) return 'context-overflow'
  return status === undefined ? kindOfWords(words) : kindOfStatus(status)
}

const NO_RULES: readonly never[] = Object.freeze([])

function isMatch({ status, words }: FailureRule, signs: FailureSigns): boolean {
  if (status !== undefined && status !== signs.status) return false
  if (words === undefined) return true
  if (words === '') return signs.empty === true
  return joined(signs.code, signs.type, signs.message).toLowerCase().includes(words.toLowerCase())
}

const joined = (...words: readonly unknown[]): string => words.filter((word) => typeof word === 'string').join(' ')

function kindOfStatus(status: number): ModelErrorKind {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'quota'
  // 405: the address is there, and not for requests of this kind, as that of a web page.
  if (status === 404 || status === 405 || status === 410) return 'not-found'
  if (status === 408 || status === 504) return 'timeout'
  if (status === 413) return 'context-overflow'
  if (status === 429) return 'rate-limit'
  // 425: the endpoint does not want to risk a request that may be a repetition; 499: a proxy in between gave up.
  if (status === 425 || status === 503 || status === 529) return 'overloaded'
  if (status === 409 || status === 499 || status >= 500) return 'server'
  return 'invalid-request'
}

/** Decides the kind of an error frame inside a stream, which has no status. */
function kindOfWords(words: string): ModelErrorKind {
  if (/authentication|permission|unauthorized/iu.test(words)) return 'auth'
  if (/not_?found/iu.test(words)) return 'not-found'
  if (/invalid_(?:request|argument)|bad_?request/iu.test(words)) return 'invalid-request'
  if (/timeout|timed out/iu.test(words)) return 'timeout'
  if (/unavailable/iu.test(words)) return 'overloaded'
  return 'server'
}
