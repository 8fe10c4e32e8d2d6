import type { ChatMessage, ToolCall, ToolResponse } from '@x/interfaces'
import { contentText, isParts } from '@x/kernel/tool-content'
import { carriedContent, type ContentRules } from './carried-content.ts'
import { createIdMap, fingerprint, idsOf, type IdentifierRule } from './identifiers.ts'
import { hasOnlyNotes } from './notes.ts'

/** Options of `flatHistory`. */
export interface FlatOptions extends ContentRules {
  /** Key of the provider in `provider_metadata`: a warning tells of answers that others have signed; default: none tells. */
  readonly provider?: string | undefined
  /** Rule for ids of calls. */
  readonly ids: IdentifierRule
  /** Whether calls and results of the older style stay, for providers that know it; default false. */
  readonly legacy?: boolean | undefined
}

/** System texts and turns; every call has its result and every result its call. */
export interface FlatHistory {
  readonly messages: readonly ChatMessage[]
  /** Returns the id that the provider takes for an id of these messages. */
  readonly idOf: (id: string) => string
}

/**
 * Returns a stored conversation in the plain form that providers take: results of several calls each in a message of role
 * `tool`, right behind their calls and in the same order; a note stands for a missing result, a result without a call
 * becomes text of the user, and a line of text stands for content that the request cannot carry. The stored messages are
 * not changed; messages that need no change are the same objects.
 */
export function flatHistory(stored: readonly ChatMessage[], options: FlatOptions): FlatHistory {
  if (options.provider !== undefined) warnOfForeign(stored, options)
  // A conversation without calls is flat, and needs no ids.
  if (stored.every(isPlain)) return { messages: carryContents(stored, options), idOf: (id) => id }
  const paired = pairResults(flattenMessages(stored, options.legacy))
  const messages = carryContents(paired, options)
  return { messages, idOf: createIdMap(options.ids, idsOf(messages)) }
}

/** Warns of reasoning that another provider made: it goes to no other one. */
function warnOfForeign(stored: readonly ChatMessage[], { provider, warn }: FlatOptions): void {
  for (const { role, provider_metadata: metadata } of stored) {
    if (!metadata || role !== 'assistant') continue
    const foreign = Object.keys(metadata).filter((key) => key !== provider && !hasOnlyNotes(metadata[key]))
    if (foreign.length === 0) continue
    const names = foreign.join('`, `')
    warn('reasoning', `reasoning that \`${names}\` signed was left out: only the provider that made it takes it`)
  }
}

/** Tells a message of the user, the assistant or the system that calls nothing. */
function isPlain({ role, tool_calls, tool_responses, tool_call_id, function_call }: ChatMessage): boolean {
  return (
    (role === 'user' || role === 'assistant' || role === 'system') &&
    !tool_calls &&
    !tool_responses &&
    !function_call &&
    tool_call_id === undefined
  )
}

/**
 * Returns a conversation with results of several calls each in a message of role `tool`, calls and results of the older
 * style as tool calls (unless they stay), a role for every message, and a unique id for every call and its result.
 */
function flattenMessages(messages: readonly ChatMessage[], keepsLegacy: boolean = false): readonly ChatMessage[] {
  const out: ChatMessage[] = []
  const calls = new CallIds()
  for (const message of messages) {
    const { role, tool_responses: responses, tool_calls: toolCalls } = message
    const legacy = keepsLegacy ? undefined : message.function_call
    if (keepsLegacy && (role === 'function' || (message.function_call && !toolCalls?.length))) {
      out.push(message.function_call && !role ? { ...message, role: 'assistant' } : message)
    } else if (responses && responses.length > 0) {
      for (const response of responses) out.push(calls.takeResult(response))
    } else if (role === 'tool' || role === 'function') out.push(calls.takeResult(message))
    // OpenAI's word for the role of instructions.
    else if ((role as string) === 'developer') out.push({ ...message, role: 'system' })
    else if (!toolCalls && !legacy && role) out.push(message)
    else {
      const named = namedCalls(toolCalls, legacy && { id: message.id, function: legacy })
      if (named.length === 0) out.push(toolCalls || legacy || !role ? withoutCalls(message) : message)
      else {
        const tool_calls = calls.takeCalls(named, out.length)
        const isWhole = role === 'assistant' && !legacy && hasCalls(message, tool_calls)
        out.push(isWhole ? message : { ...withoutCalls(message), role: 'assistant', tool_calls })
      }
    }
  }
  return out
}

/** True if a message has these very calls and no other. */
const hasCalls = ({ tool_calls: own = [] }: ChatMessage, calls: readonly ToolCall[]): boolean =>
  own.length === calls.length && calls.every((call, place) => call === own[place])

/** Returns the calls of a message that name a function; the list itself if all do. */
function namedCalls(calls: readonly ToolCall[] | undefined, legacy: ToolCall | undefined): readonly ToolCall[] {
  const isNamed = ({ function: called }: Partial<ToolCall>): boolean => Boolean(called?.name)
  if (calls && !legacy && calls.every(isNamed)) return calls
  return [...(calls ?? []), ...(legacy ? [legacy] : [])].filter(isNamed)
}

/** Gives each call a unique id and each result the id of its call. */
class CallIds {
  readonly #uses = new Map<string, number>()
  /** Calls of the latest message without a result, oldest first. */
  #open: OpenCall[] = []

  /** Returns the calls of the message at a position with unique ids. */
  takeCalls(calls: readonly ToolCall[], position: number): ToolCall[] {
    this.#open = []
    return calls.map((call, place) => this.#takeCall(call, position, place))
  }

  #takeCall(call: ToolCall, position: number, place: number): ToolCall {
    const { name } = call.function
    const stored = call.id || undefined
    let id = stored ?? `call_${fingerprint(`${position}/${place}/${name}`)}`
    const uses = this.#uses.get(id) ?? 0
    this.#uses.set(id, uses + 1)
    if (uses > 0) id = `${id}_${fingerprint(`${id}/${uses}`)}`
    this.#open.push({ stored, id, name })
    return id === call.id && call.type === 'function' ? call : { ...call, type: 'function', id }
  }

  /** Returns a result as a message of role `tool`, with id and name of its call. */
  takeResult(result: ChatMessage | ToolResponse): ChatMessage {
    const { name, content } = result
    const call = this.#callOf(result.tool_call_id || undefined, result.role === 'function' ? name : undefined)
    if (call && call.id === result.tool_call_id && result.role === 'tool' && !('tool_responses' in result)) {
      return result.name === call.name ? result : { ...result, name: call.name }
    }
    return { role: 'tool', tool_call_id: call?.id ?? result.tool_call_id ?? '', name: call?.name ?? name, content }
  }

  #callOf(stored: string | undefined, name: string | undefined): OpenCall | undefined {
    const at = this.#open.findIndex((call) =>
      stored === undefined ? name === undefined || call.name === name : call.stored === stored,
    )
    // Most results come in the order of their calls.
    if (at === 0) return this.#open.shift()
    return at === -1 ? undefined : this.#open.splice(at, 1)[0]
  }
}

interface OpenCall {
  readonly stored: string | undefined
  readonly id: string
  readonly name: string
}

function withoutCalls(message: ChatMessage): ChatMessage {
  const { tool_calls: _, function_call: __, ...rest } = message
  return { ...rest, role: message.role ?? 'user' }
}

/** Stands for a result that a conversation has lost. */
const MISSING_RESULT_TEXT = 'Error: the result of this call is missing.'

/**
 * Returns a conversation in which every call has its result right behind it and every result its call, in the order of the
 * calls, as providers demand: a note stands for a missing result, and a result without a call becomes text of the user.
 */
function pairResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (isPaired(messages)) return messages
  const out: ChatMessage[] = []
  const used = new Set<ChatMessage>()
  for (const [index, message] of messages.entries()) {
    if (used.has(message)) continue
    if (message.role === 'tool') {
      out.push({ role: 'user', content: `Result of an earlier call: ${resultText(message.content)}` })
      continue
    }
    out.push(message)
    for (const { id } of message.tool_calls ?? []) {
      if (id === undefined) continue
      const result = messages
        .slice(index + 1)
        .find((later) => later.role === 'tool' && later.tool_call_id === id && !used.has(later))
      if (result) used.add(result)
      out.push(result ?? { role: 'tool', tool_call_id: id, content: MISSING_RESULT_TEXT })
    }
  }
  return out
}

/** Tells whether all results follow their calls in order, as usual. Some providers match results by order. */
function isPaired(messages: readonly ChatMessage[]): boolean {
  let calls = NO_CALLS
  let answered = 0
  for (const { role, tool_calls: next, tool_call_id: id } of messages) {
    if (role === 'tool') {
      if (id === undefined || calls[answered++]?.id !== id) return false
      continue
    }
    if (answered < calls.length) return false
    calls = next ?? NO_CALLS
    answered = 0
  }
  return answered === calls.length
}

const NO_CALLS: readonly ToolCall[] = []

/** Returns the text of a result without a call; its images stay out, because nobody knows what they show. */
const resultText = (content: ChatMessage['content']): string =>
  isParts(content) || typeof content === 'string' ? contentText(content) : JSON.stringify(content ?? '')

function carryContents(messages: readonly ChatMessage[], rules: ContentRules): readonly ChatMessage[] {
  let out: ChatMessage[] | undefined
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!
    if (typeof message.content === 'string') continue
    const content = carriedContent(message, rules)
    if (content !== message.content) (out ??= [...messages])[at] = { ...message, content }
  }
  return out ?? messages
}
