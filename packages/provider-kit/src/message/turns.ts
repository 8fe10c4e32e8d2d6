import type { ChatMessage } from '@x/interfaces'
import { isRecord } from '../json/is-record.ts'
import { flatHistory } from './flat-history.ts'
import { mediaOf, type Media } from './media.ts'
import { hasOnlyNotes, mediaNote, noteOf, notesOf } from './notes.ts'
import { argumentsObject } from './tool-arguments.ts'
import { fitResult, type ResultRules } from './tool-result.ts'
import type { IdentifierRule } from './tool-ids.ts'
import type { NameMap } from './tool-names.ts'
import { ownFiles } from './vendor-files.ts'

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
  /** Whether the tool failed: its text then begins with `Error:`, as agents write it. */
  failed: boolean
}

/** One part of a turn. */
export type TurnPart = TextTurnPart | MediaTurnPart | CallTurnPart | ResultTurnPart

/** One message of a conversation, as any provider can take it. */
export interface Turn {
  role: 'user' | 'assistant'
  parts: TurnPart[]
  /** Data of the same provider from this message's `provider_metadata`. */
  own: unknown
}

/** System texts and turns; every call has its result and every result its call. */
export interface TurnList {
  /** Texts of the system messages before the first turn. */
  system: TextTurnPart[]
  turns: Turn[]
}

/** Rules of a provider that turns depend on. */
export interface TurnRules extends ResultRules {
  /** The provider's key in `provider_metadata`. */
  readonly provider: string
  readonly ids: IdentifierRule
  readonly names: NameMap
  /** Whether turns of the assistant may have images, sounds and files; default false: a note stands for each. */
  readonly assistantMedia?: boolean | undefined
}

/** Text of the user where a provider demands a turn that the conversation does not have. */
export const CONTINUE_PROMPT = 'Go on.'

/**
 * Returns a stored conversation as turns: system messages apart (later ones are the user's), empty texts left out, ids and
 * names as the target takes them, reasoning of other providers left out. The stored messages are never changed, and the
 * same messages always give the same turns.
 */
export function turnsOf(messages: readonly ChatMessage[], rules: TurnRules): TurnList {
  const { messages: flat, idOf: ids } = flatHistory(messages, { ids: rules.ids })
  const names = new Map<string, string>()
  const system: TextTurnPart[] = []
  const turns: Turn[] = []
  for (const message of flat) {
    for (const call of message.tool_calls ?? []) if (call.id) names.set(call.id, call.function.name)
    if (message.role === 'system' && turns.length === 0) {
      for (const part of contentOf(message, rules)) if (part.type === 'text') system.push(part)
      continue
    }
    const turn = turnOf(message, rules, { ids, names })
    if (turn.parts.length > 0 || turn.own !== undefined) turns.push(turn)
  }
  if (turns.length === 0) turns.push({ role: 'user', parts: system.splice(0), own: undefined })
  if (turns[0]!.parts.length === 0) turns[0]!.parts.push({ type: 'text', text: CONTINUE_PROMPT })
  return { system, turns }
}

interface CallFacts {
  readonly ids: (id: string) => string
  /** Names by the stored ids of calls. */
  readonly names: ReadonlyMap<string, string>
}

function turnOf(message: ChatMessage, rules: TurnRules, { ids, names }: CallFacts): Turn {
  const content = contentOf(message, rules)
  const isAssistant = message.role === 'assistant'
  // Data of a provider goes back with answers only.
  const notes = notesOf(message, isAssistant ? rules.provider : undefined)
  if (notes.length > 0) content.push({ type: 'text', text: notes.join('\n') })
  if (message.role === 'tool') {
    const { tool_call_id: id = '', name } = message
    const failed = content[0]?.type === 'text' && content[0].text.startsWith('Error:')
    const legal = rules.names.to(names.get(id) ?? name ?? '')
    return { role: 'user', parts: [{ type: 'result', id: ids(id), name: legal, content, failed }], own: undefined }
  }
  if (!isAssistant) return { role: 'user', parts: content, own: undefined }
  const calls = (message.tool_calls ?? []).map(({ id = '', function: called }): CallTurnPart => ({
    type: 'call',
    id: ids(id),
    name: rules.names.to(called.name),
    args: argumentsObject(called.arguments),
  }))
  const said = rules.assistantMedia ? content : content.map(noted)
  return { role: 'assistant', parts: [...said, ...calls], own: ownOf(message, rules) }
}

const noted = (part: TextTurnPart | MediaTurnPart): TextTurnPart | MediaTurnPart =>
  part.type === 'media' ? { type: 'text', text: mediaNote(part.media) } : part

/** Reasoning goes back to the provider that produced it and to no other one. */
function ownOf({ provider_metadata: all }: ChatMessage, { provider, warn }: TurnRules): unknown {
  if (!all) return undefined
  const foreign = Object.keys(all).filter((key) => key !== provider && !hasOnlyNotes(all[key]))
  if (foreign.length > 0) {
    warn(
      'reasoning',
      `reasoning that \`${foreign.join('`, `')}\` signed was left out: only the provider that made it takes it`,
    )
  }
  return all[provider]
}

function contentOf(message: ChatMessage, rules: TurnRules): (TextTurnPart | MediaTurnPart)[] {
  const { provider, warn } = rules
  const own = ownFiles(message.content, [provider], warn)
  const content = message.role === 'tool' ? fitResult(own, rules) : own
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.flatMap((part): (TextTurnPart | MediaTurnPart)[] => {
    const { cache_control: cacheControl } = part as { cache_control?: unknown }
    const cached = isRecord(cacheControl) ? { cacheControl } : {}
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text, ...cached }]
    const media = mediaOf(part)
    if (media) return [{ type: 'media', media, ...cached }]
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
