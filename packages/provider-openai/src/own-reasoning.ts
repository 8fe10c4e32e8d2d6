import type { ChatMessage } from '@x/interfaces'
import { isRecord } from '@x/provider-kit'
import type { NamedProfile } from './endpoint-profile.ts'

/** Reasoning of one answer, stored with its message so that it can be sent back to the endpoint that made it. */
export interface OwnReasoning {
  readonly reasoning_content?: string | undefined
  /** OpenRouter's list; only the model that made it takes it. */
  readonly reasoning_details?: readonly object[] | undefined
  /** Gemini's signatures, in the order of the calls. */
  readonly extra_content?: readonly (object | null)[] | undefined
  /** Ids of the calls of custom tools, whose input is a text. */
  readonly custom?: readonly string[] | undefined
  /** Row of the endpoint in the table; absent for OpenAI's own, which sends no reasoning. */
  readonly endpoint?: string | undefined
  /** Model that was asked. */
  readonly model?: string | undefined
}

/** Adds a piece of OpenRouter's list to the pieces before it: pieces of one item follow each other. */
export function addDetail(details: Record<string, unknown>[], piece: Record<string, unknown>): void {
  const last = details.at(-1)
  const isSame = last && ['type', 'index', 'id'].every((key) => agree(last[key], piece[key]))
  if (!isSame) {
    details.push({ ...piece })
    return
  }
  for (const [key, value] of Object.entries(piece)) {
    const before = last[key]
    if (GROWING.has(key) && typeof before === 'string' && typeof value === 'string') last[key] = before + value
    else last[key] = value ?? before
  }
}

/** Keys of a detail whose text arrives in pieces. */
const GROWING: ReadonlySet<string> = new Set(['text', 'summary', 'data'])

const agree = (a: unknown, b: unknown): boolean => a === b || (a ?? null) === null || (b ?? null) === null

/** Returns the readable text of a detail. */
export function textOfDetail({ text, summary }: Record<string, unknown>): string {
  if (typeof text === 'string') return text
  return typeof summary === 'string' ? summary : ''
}

/** Facts of a request that its reasoning depends on. */
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

const NOTHING: Replay = { fields: {}, calls: [], thinking: '' }

/** Returns how the reasoning of an assistant's message goes back to an endpoint, in the form that the endpoint takes. */
export function replayOf(
  { provider_metadata: metadata, tool_calls: calls = [] }: ChatMessage,
  to: ReplayContext,
): Replay {
  const { profile, model, withTools } = to
  const stored = metadata?.['openai']
  const own: OwnReasoning = isRecord(stored) && fits(stored, profile) ? stored : {}
  const text = typeof own.reasoning_content === 'string' ? own.reasoning_content : ''
  const isOfModel = own.model === undefined || own.model === model
  switch (profile.reasoning) {
    case 'none':
      return NOTHING
    case 'reasoning_content-with-tools':
    case 'reasoning_content': {
      if (!withTools && profile.reasoning !== 'reasoning_content') return NOTHING
      const sent = text || (withTools ? profile.missingReasoning : undefined)
      return sent === undefined ? NOTHING : { ...NOTHING, fields: { reasoning_content: sent } }
    }
    case 'reasoning_details':
      if (!isOfModel) return NOTHING
      return { ...NOTHING, fields: detailsOf(own) ?? (text ? { reasoning: text } : {}) }
    case 'signed':
      return isOfModel ? { ...NOTHING, fields: detailsOf(own) ?? {}, calls: signatures(own, calls.length) } : NOTHING
    case 'thinking-parts':
      return isOfModel ? { ...NOTHING, thinking: text } : NOTHING
    case 'thought-signatures':
      return { ...NOTHING, calls: withStandIn(signatures(own, calls.length), model) }
  }
}

/** Reasoning is the property of the endpoint that made it; messages stored by older versions do not name it. */
const fits = ({ endpoint }: OwnReasoning, { name }: NamedProfile): boolean =>
  endpoint === undefined || endpoint === name

/** Returns OpenRouter's list as a field; undefined without one. */
const detailsOf = ({
  reasoning_details: details,
}: OwnReasoning): { reasoning_details: readonly object[] } | undefined =>
  Array.isArray(details) && details.length > 0 ? { reasoning_details: details } : undefined

/** Returns the signatures of calls, as the fields of each call. */
function signatures({ extra_content: extras }: OwnReasoning, count: number): (object | undefined)[] {
  const given = Array.isArray(extras) && extras.length === count ? (extras as readonly unknown[]) : []
  return Array.from({ length: count }, (_, at): object | undefined =>
    isRecord(given[at]) ? { extra_content: given[at] } : undefined,
  )
}

/** Google's documented signature for calls without one. */
const UNSIGNED: object = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } }

/** Signs the first of some calls without signatures, which models since Gemini 3 demand. */
function withStandIn(calls: readonly (object | undefined)[], model: string): readonly (object | undefined)[] {
  const demanded = /gemini-(?![12]\b)/u.test(model) && calls.length > 0
  return demanded && !calls.some((each) => each !== undefined) ? [UNSIGNED, ...calls.slice(1)] : calls
}
