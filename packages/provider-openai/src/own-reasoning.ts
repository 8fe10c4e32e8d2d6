import type { ChatMessage } from '@x/interfaces'
import { isRecord } from '@x/provider-kit'
import { textIn } from './call-texts.ts'
import type { NamedProfile } from './endpoint-profiles.ts'

/** Reasoning of one answer, stored with its message to be sent back to the endpoint that made it. */
export interface OwnReasoning {
  readonly reasoning_content?: string | undefined
  /** OpenRouter's list; only the model that made it takes it. */
  readonly reasoning_details?: readonly object[] | undefined
  /** Gemini's signatures, in the order of the calls. */
  readonly extra_content?: readonly (object | null)[] | undefined
  /** Ids of the calls of custom tools, which take a text as input. */
  readonly custom?: readonly string[] | undefined
  /** Name of the endpoint in the table; absent for OpenAI's own, which sends no reasoning. */
  readonly endpoint?: string | undefined
  /** The requested model. */
  readonly model?: string | undefined
}

/** Adds a piece to OpenRouter's list of details; pieces of one detail follow each other. */
export function addDetail(details: Record<string, unknown>[], piece: Record<string, unknown>): void {
  const last = details.at(-1)
  const isSame = last && ['type', 'index', 'id'].every((key) => agree(last[key], piece[key]))
  if (!isSame) {
    details.push({ ...piece })
    return
  }
  for (const [key, value] of Object.entries(piece)) {
    const before = last[key]
    if (GROWING_KEYS.has(key) && typeof before === 'string' && typeof value === 'string') last[key] = before + value
    else last[key] = value ?? before
  }
}

/** Keys of a detail whose text arrives in pieces. */
const GROWING_KEYS: ReadonlySet<string> = new Set(['text', 'summary', 'data'])

const agree = (a: unknown, b: unknown): boolean => a === b || (a ?? null) === null || (b ?? null) === null

/** Returns the readable text of a detail. */
export const textOfDetail = ({ text, summary }: Record<string, unknown>): string =>
  textIn(typeof text === 'string' ? text : summary)

/** Facts of a request that replayed reasoning depends on. */
export interface ReplayContext {
  readonly model: string
  readonly profile: NamedProfile
  /** Whether the request has tools, or the history has calls. */
  readonly withTools: boolean
}

/** Fields of a message, and of its calls, that send reasoning back. */
export interface Replay {
  readonly fields: Readonly<Record<string, unknown>>
  /** Fields of each call, in their order. */
  readonly calls: readonly (object | undefined)[]
  /** Thoughts that stand before the text in the content. */
  readonly thinking: string
}

const NO_REASONING: OwnReasoning = {}
const NO_REPLAY: Replay = { fields: {}, calls: [], thinking: '' }

/** Returns the reasoning of a message of the assistant in the form that the endpoint takes back. */
export function replayOf(
  { provider_metadata: metadata, tool_calls: calls = [] }: ChatMessage,
  { profile, model, withTools }: ReplayContext,
): Replay {
  const stored = metadata?.['openai']
  const own: OwnReasoning = isRecord(stored) && isOfEndpoint(stored, profile) ? stored : NO_REASONING
  const text = textIn(own.reasoning_content)
  const isOfModel = own.model === undefined || own.model === model
  switch (profile.reasoning) {
    case 'none':
      return NO_REPLAY
    case 'reasoning_content-with-tools':
    case 'reasoning_content': {
      if (!withTools && profile.reasoning !== 'reasoning_content') return NO_REPLAY
      const sent = text || (withTools ? profile.missingReasoning : undefined)
      return sent === undefined ? NO_REPLAY : { ...NO_REPLAY, fields: { reasoning_content: sent } }
    }
    case 'reasoning_details':
      if (!isOfModel) return NO_REPLAY
      return { ...NO_REPLAY, fields: detailsOf(own) ?? (text ? { reasoning: text } : {}) }
    case 'signed':
      return isOfModel && own !== NO_REASONING
        ? { ...NO_REPLAY, fields: detailsOf(own) ?? {}, calls: signatures(own, calls.length) }
        : NO_REPLAY
    case 'thinking-parts':
      return isOfModel ? { ...NO_REPLAY, thinking: text } : NO_REPLAY
    case 'thought-signatures':
      return { ...NO_REPLAY, calls: withPlaceholder(signatures(own, calls.length), model) }
  }
}

/** Tells whether another endpoint, or another model of it, has signed the reasoning of a message: nobody else takes it back. */
export function isSignedByOther(
  { provider_metadata: metadata }: ChatMessage,
  { profile, model }: Pick<ReplayContext, 'profile' | 'model'>,
): boolean {
  const own = metadata?.['openai']
  if (!isRecord(own) || !(own['reasoning_details'] ?? own['extra_content'])) return false
  return !isOfEndpoint(own, profile) || (own['model'] ?? model) !== model
}

/** Tells reasoning of an endpoint; messages of older versions do not name it. */
const isOfEndpoint = ({ endpoint }: OwnReasoning, { name }: NamedProfile): boolean =>
  endpoint === undefined || endpoint === name

/** Returns OpenRouter's list as a field; undefined without one. */
const detailsOf = ({
  reasoning_details: details,
}: OwnReasoning): { reasoning_details: readonly object[] } | undefined =>
  Array.isArray(details) && details.length > 0 ? { reasoning_details: details } : undefined

/** Returns the signatures of calls, as the fields of each call. */
function signatures({ extra_content: extras }: OwnReasoning, count: number): (object | undefined)[] {
  const fields = Array.isArray(extras) && extras.length === count ? (extras as readonly unknown[]) : []
  return Array.from({ length: count }, (_, at): object | undefined =>
    isRecord(fields[at]) ? { extra_content: fields[at] } : undefined,
  )
}

/** Google's documented signature for calls without one. */
const PLACEHOLDER_SIGNATURE: object = {
  extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
}

/** Signs the first of some calls without signatures, which models since Gemini 3 demand. */
function withPlaceholder(calls: readonly (object | undefined)[], model: string): readonly (object | undefined)[] {
  const isDemanded = /gemini-(?![12]\b)/u.test(model) && calls.length > 0
  return isDemanded && calls.every((call) => call === undefined) ? [PLACEHOLDER_SIGNATURE, ...calls.slice(1)] : calls
}
