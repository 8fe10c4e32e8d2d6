import type { ChatMessage, ToolCall } from '@x/interfaces'
import { isRecord, parseJson } from '../json/wire-values.ts'
import { flatHistory } from './flat-history.ts'
import { mediaOf, type Media } from './media.ts'
import { mediaNote, noteOf, notesOf } from './notes.ts'
import type { ContentRules } from './carried-content.ts'
import type { IdentifierRule, NameMap } from './identifiers.ts'

/** A text, with the `cache_control` that the caller wrote. */
export interface TextTurnPart {
  type: 'text'
  text: string
  cacheControl?: unknown
}

/** An image, a sound or a file. */
export interface MediaTurnPart {
  type: 'media'
  media: Media
  cacheControl?: unknown
  /** Whether the answer cites the file, as the caller wrote it. */
  citations?: unknown
}

/** A call: name and id are legal for the provider, arguments are an object. */
export interface CallTurnPart {
  type: 'call'
  id: string
  name: string
  args: Record<string, unknown>
}

/** The result of a call of an earlier turn. */
export interface ResultTurnPart {
  type: 'result'
  id: string
  /** Name of the function, as the provider takes it. */
  name: string
  content: (TextTurnPart | MediaTurnPart)[]
  /** Whether the tool failed: the text begins with `Error:`, as agents write it. */
  failed: boolean
}

/** One part of a turn. */
export type TurnPart = TextTurnPart | MediaTurnPart | CallTurnPart | ResultTurnPart

/** One message of a conversation, as any provider can take it. */
export interface Turn {
  role: 'user' | 'assistant'
  parts: TurnPart[]
  /** Data of the same provider from the `provider_metadata` of the message. */
  own: unknown
}

/** System texts and turns; every call has its result and every result its call. */
export interface TurnList {
  /** Texts of the system messages before the first turn. */
  system: TextTurnPart[]
  turns: Turn[]
}

/** Rules of a provider that turns depend on. */
export interface TurnRules extends Omit<ContentRules, 'owners'> {
  /** The provider's key in `provider_metadata`. */
  readonly provider: string
  readonly ids: IdentifierRule
  readonly names: NameMap
  /** Schemas of the request, its tools already fitted: calls go out in their form; default: in that of the program. */
  readonly schemas?: ArgumentForms | undefined
  /** Whether turns of the assistant may have images, sounds and files; default false: a note stands for each. */
  readonly assistantMedia?: boolean | undefined
}

/** Forms in which the arguments of calls are sent, by the name of the tool; `schemas` of a `LowerContext` has them. */
interface ArgumentForms {
  /** Returns the JSON text of arguments as they are sent. */
  encodeArguments(name: string, text: string): string
}

/** Text of the user where a provider demands a turn that is missing in the conversation. */
export const CONTINUE_PROMPT = 'Go on.'

/**
 * Returns a stored conversation as turns: first system messages apart (later ones become the user's), without empty texts
 * and reasoning of other providers, with ids and names that the provider takes. The stored messages are never changed, and
 * the same messages always give the same turns.
 */
export function turnsOf(messages: readonly ChatMessage[], rules: TurnRules): TurnList {
  const { messages: flat, idOf } = flatHistory(messages, { ...rules, owners: [rules.provider] })
  const names = new Map<string, string>()
  const system: TextTurnPart[] = []
  const turns: Turn[] = []
  for (const message of flat) {
    for (const call of message.tool_calls ?? []) if (call.id) names.set(call.id, call.function.name)
    if (message.role === 'system' && turns.length === 0) {
      for (const part of contentOf(message, rules)) if (part.type === 'text') system.push(part)
      continue
    }
    const turn = turnOf(message, rules, { idOf, names })
    if (turn.parts.length > 0 || turn.own !== undefined) turns.push(turn)
  }
  if (turns.length === 0) turns.push({ role: 'user', parts: system.splice(0), own: undefined })
  if (turns[0]!.parts.length === 0) turns[0]!.parts.push({ type: 'text', text: CONTINUE_PROMPT })
  return { system, turns }
}

interface CallFacts {
  readonly idOf: (id: string) => string
  /** Names by the stored ids of calls. */
  readonly names: ReadonlyMap<string, string>
}

function turnOf(message: ChatMessage, rules: TurnRules, { idOf, names }: CallFacts): Turn {
  const content = contentOf(message, rules)
  const isAssistant = message.role === 'assistant'
  // The data of a provider goes back with its answers only.
  const notes = notesOf(message, isAssistant ? rules.provider : undefined)
  if (notes.length > 0) content.push({ type: 'text', text: notes.join('\n') })
  if (message.role === 'tool') {
    const { tool_call_id: id = '', name } = message
    const failed = content[0]?.type === 'text' && content[0].text.startsWith('Error:')
    const legal = rules.names.to(names.get(id) ?? name ?? '')
    return { role: 'user', parts: [{ type: 'result', id: idOf(id), name: legal, content, failed }], own: undefined }
  }
  if (!isAssistant) return { role: 'user', parts: content, own: undefined }
  const calls = (message.tool_calls ?? []).map(({ id = '', function: called }): CallTurnPart => ({
    type: 'call',
    id: idOf(id),
    name: rules.names.to(called.name),
    args: argumentsObject(sentArguments(called, rules)),
  }))
  const readable = rules.assistantMedia ? content : content.map(withoutMedia)
  return { role: 'assistant', parts: [...readable, ...calls], own: message.provider_metadata?.[rules.provider] }
}

/** Returns arguments in the form in which the tool is sent. */
function sentArguments({ name, arguments: args }: ToolCall['function'], { schemas }: TurnRules): unknown {
  return schemas && typeof args === 'string' ? schemas.encodeArguments(name, args) : args
}

const withoutMedia = (part: TextTurnPart | MediaTurnPart): TextTurnPart | MediaTurnPart =>
  part.type === 'media' ? { type: 'text', text: mediaNote(part.media) } : part

function contentOf({ content }: ChatMessage, { warn }: TurnRules): (TextTurnPart | MediaTurnPart)[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.flatMap((part): (TextTurnPart | MediaTurnPart)[] => {
    const { cache_control: cacheControl, citations } = part as { cache_control?: unknown; citations?: unknown }
    const cached = isRecord(cacheControl) ? { cacheControl } : {}
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text, ...cached }]
    const media = mediaOf(part)
    if (media) return [{ type: 'media', media, ...cached, ...(isRecord(citations) && { citations }) }]
    warn('content', `a part of type \`${part.type}\` was replaced by a note: the provider does not support it`)
    return [{ type: 'text', text: noteOf(part.type, part) }]
  })
}

/** Merges neighbouring turns of the same role: providers demand that turns alternate. */
export function mergeTurns<T extends { role: string; parts: unknown[] }>(turns: readonly T[]): T[] {
  const out: T[] = []
  for (const turn of turns) {
    const last = out.at(-1)
    if (last?.role === turn.role) out[out.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] }
    else out.push(turn)
  }
  return out
}

/**
 * Returns the arguments of a stored call as the object that some providers demand: missing arguments become the empty object,
 * a JSON text of a JSON text is parsed twice, and any other value is wrapped as `rawInvalidInput`, so that the model sees it.
 */
function argumentsObject(args: unknown): Record<string, unknown> {
  if (args === undefined || args === null || args === '') return {}
  if (typeof args !== 'string') return isRecord(args) ? args : { rawInvalidInput: args }
  const once = parseJson(args)
  const value = typeof once === 'string' ? parseJson(once) : once
  return isRecord(value) ? value : { rawInvalidInput: args }
}
