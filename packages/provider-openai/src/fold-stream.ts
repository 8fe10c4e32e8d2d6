import type { AnswerUsage, ChatMessage, ContentPart, ModelAnswer, ModelChoice, ModelEvent } from '@x/interfaces'
import { callId, modelFailure, type NameMap } from '@x/provider-kit'
import { raiseUsage, type WireUsage } from './raise-usage.ts'
import { createCallTracker, type CallTracker, type WireCallDelta } from './tool-calls.ts'

/** One chunk of a streamed answer, as far as it is read; every field may be missing. */
export interface WireChunk {
  id?: string | null
  model?: string | null
  created?: number | null
  choices?: (WireChunkChoice | null)[] | null
  usage?: WireUsage | null
}

interface WireChunkChoice {
  index?: number | null
  /** Asynchronous content filters send choices without one. */
  delta?: WireDelta | null
  /** Of the older endpoint for prompts. */
  text?: string | null
  finish_reason?: string | null
}

/** A piece of a message, or a whole one: they have the same keys. */
export interface WireDelta {
  /** Some endpoints give a list of parts. */
  content?: string | ContentPart[] | null
  refusal?: string | null
  reasoning_content?: string | null
  reasoning?: unknown
  function_call?: { name?: string | null; arguments?: string | null } | null
  tool_calls?: WireCallDelta[] | null
}

/** A streamed answer in the making: the answer is the fold of its events. */
export interface StreamFold {
  /** Takes a chunk and adds the events that it is to a list. */
  push(chunk: WireChunk, events: ModelEvent[]): void
  /** Adds the last events and gives the whole answer; fails when the stream was cut. */
  end(events: ModelEvent[]): ModelAnswer
}

interface OpenChoice {
  text: string
  reasoning: string
  refused: boolean
  legacy: { name: string; arguments: string } | undefined
  calls: CallTracker | undefined
  finish: string | undefined
}

/** Makes the fold of one streamed answer to a request for `asked`. */
export function foldStream(asked: string, names: NameMap): StreamFold {
  const choices = new Map<number, OpenChoice>()
  let id = ''
  let model = ''
  let created = 0
  let usage: AnswerUsage | undefined
  let started = false

  const start = (events: ModelEvent[]): void => {
    started = true
    events.push({ type: 'start', id, model: model || asked })
  }

  const pushChoice = (choice: WireChunkChoice, events: ModelEvent[]): void => {
    const index = choice.index ?? 0
    let open = choices.get(index)
    if (!open) {
      open = { text: '', reasoning: '', refused: false, legacy: undefined, calls: undefined, finish: undefined }
      choices.set(index, open)
    }
    const delta: WireDelta | null | undefined = choice.delta ?? (choice.text ? { content: choice.text } : null)
    if (delta) {
      const thought = delta.reasoning_content ?? (typeof delta.reasoning === 'string' ? delta.reasoning : '')
      if (thought) {
        open.reasoning += thought
        events.push({ type: 'reasoning-delta', index, text: thought })
      }
      if (delta.refusal) open.refused = true
      const text = textOf(delta.content) || delta.refusal
      if (text) {
        open.text += text
        events.push({ type: 'text-delta', index, text })
      }
      if (delta.function_call) {
        open.legacy ??= { name: '', arguments: '' }
        open.legacy.name ||= delta.function_call.name ?? ''
        open.legacy.arguments += delta.function_call.arguments ?? ''
      }
      if (delta.tool_calls) {
        open.calls ??= createCallTracker(index, names, (call) => callId(id, index, call))
        for (const call of delta.tool_calls) if (isFunctionCall(call)) open.calls.push(call, events)
      }
    }
    if (choice.finish_reason) open.finish = choice.finish_reason
  }

  return {
    push(chunk, events) {
      // Azure's first chunk has neither id nor model: the first that has one counts.
      id ||= chunk.id ?? ''
      model ||= chunk.model ?? ''
      created ||= chunk.created ?? 0
      if (chunk.usage) usage = raiseUsage(chunk.usage) ?? usage
      const { choices: parts } = chunk
      if (!parts || parts.length === 0) return
      if (!started) start(events)
      for (const part of parts) if (part) pushChoice(part, events)
    },
    end(events) {
      const cut = [...choices.values()].some(({ finish }) => finish === undefined)
      if (cut || choices.size === 0) {
        throw modelFailure('truncated', 'the stream ended before the model said that it had finished')
      }
      const done: ModelChoice[] = []
      for (const [index, open] of [...choices].sort(([a], [b]) => a - b)) {
        const choice = closed(index, open, names, events)
        events.push({ type: 'finish', index, reason: choice.finish_reason! })
        done.push(choice)
      }
      if (usage) events.push({ type: 'usage', usage })
      return { id, model: model || asked, created, choices: done, ...(usage && { usage }) }
    },
  }
}

const textOf = (content: WireDelta['content']): string =>
  Array.isArray(content)
    ? content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    : typeof content === 'string'
      ? content
      : ''

/** Calls of other types are not known here and left out. */
const isFunctionCall = ({ id, type, function: called }: WireCallDelta): boolean =>
  type ? type === 'function' : Boolean(called ?? id)

function closed(index: number, open: OpenChoice, names: NameMap, events: ModelEvent[]): ModelChoice {
  const calls = open.calls?.end(events) ?? []
  const { legacy, text, reasoning } = open
  const message: ChatMessage = {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || legacy) ? null : text,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(legacy && { function_call: { name: names.from(legacy.name), arguments: legacy.arguments } }),
    ...(reasoning && { provider_metadata: { openai: { reasoning_content: reasoning } } }),
  }
  // A refusal comes with `stop` and is none.
  return { index, message, finish_reason: open.refused ? 'content_filter' : open.finish! }
}
