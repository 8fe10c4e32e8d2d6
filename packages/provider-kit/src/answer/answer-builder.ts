import type {
  AnswerMedia,
  AnswerUsage,
  ChatMessage,
  FinishReason,
  ModelAnswer,
  ModelEvent,
  ToolCall,
} from '@x/interfaces'
import { addDetails, type ChoiceDetails } from './answer-details.ts'
import { modelFailure } from '../failure/model-failure.ts'
import { isRecord } from '../json/is-record.ts'
import { noteOf } from '../message/notes.ts'
import { fingerprint } from '../message/tool-ids.ts'
import type { NameMap } from '../message/tool-names.ts'

/** First facts of a tool call. */
export interface CallInit {
  /** The provider's id; generated if absent. */
  readonly id?: string | null | undefined
  /** The name as the provider wrote it. */
  readonly name: string
}

/**
 * An answer in the making. What a reader of one wire format tells it becomes events, and the answer is their fold, so
 * that a complete and a streamed answer cannot differ.
 */
export interface AnswerBuilder {
  /** Begins the answer; later facts fill in only missing ones. */
  start(facts: { id?: unknown; model?: unknown; created?: unknown }): void
  text(text: string, index?: number): void
  reasoning(text: string, index?: number): void
  /** Turns the text of a choice so far into reasoning, and returns it: only its end was marked. */
  textWasReasoning(index?: number): string
  /** Begins a call; returns its number for `callDelta` and `callEnd`. */
  callStart(init: CallInit, index?: number): number
  /** Adds a piece of the JSON text of a call's arguments. */
  callDelta(call: number, piece: string, index?: number): void
  callEnd(call: number, index?: number): void
  /** Sets the counts of the whole answer; the last call wins. */
  usage(usage: AnswerUsage | undefined): void
  /** Sets opaque data that goes back to the same provider with the message. */
  own(data: unknown, index?: number): void
  /** Adds further fields to the message, such as a call of the older style. */
  extend(fields: Pick<ChatMessage, 'function_call'>, index?: number): void
  /** Adds parts beside the message; items of lists come behind those before, fields of objects are set. */
  details(details: ChoiceDetails, index?: number): void
  /** Adds an image, a sound or a file that the model made; it stands behind the text so far. */
  media(media: Omit<AnswerMedia, 'at'>, index?: number): void
  /**
   * Adds a part that only the provider can read, such as a use of one of its tools. It is readable in `provider_parts`;
   * in conversations with other providers, a note of this kind stands for it.
   */
  part(kind: string, part: object, index?: number): void
  /** Adds fields of the answer that have no other place. */
  extra(fields: Readonly<Record<string, unknown>>): void
  /** Sets why a choice has ended; an answer without it counts as truncated. */
  finish(reason: FinishReason, index?: number): void
  /** Returns the number of calls of a choice. */
  calls(index?: number): number
  /** Whether that many choices have begun and every choice has a finish reason: what follows are counts and a farewell. */
  isFinished(choices: number): boolean
  /** Whether an event with content was produced, which a caller may have seen. */
  readonly hasContent: boolean
  /** Returns the events since the last call. */
  take(): ModelEvent[]
  /** Closes and returns the answer; fails with `truncated` if a choice has no finish reason. */
  end(): ModelAnswer
}

interface OpenChoice {
  text: string
  reasoning: string
  details: ChoiceDetails | undefined
  /** Lines that stand for parts that only the provider can read, and for images, sounds and files. */
  notes: { notes?: string[]; media_notes?: string[] } | undefined
  calls: OpenCall[]
  own: unknown
  more: Pick<ChatMessage, 'function_call'>
  finish: FinishReason | undefined
}

interface OpenCall {
  readonly id: string
  readonly name: string
  arguments: string
  open: boolean
}

/** Source of an answer. */
export interface AnswerOrigin {
  /** Model that was asked, for answers that do not name a model. */
  readonly model: string
  /** Key of the provider's opaque data. */
  readonly provider: string
  readonly names: NameMap
}

/** Makes a builder for one answer. */
export function createAnswerBuilder({ model: asked, provider, names }: AnswerOrigin): AnswerBuilder {
  const choices = new Map<number, OpenChoice>()
  let events: ModelEvent[] = []
  let id = ''
  let model = ''
  let created = 0
  let usage: AnswerUsage | undefined
  let extra: Record<string, unknown> | undefined
  let started = false
  let hasContent = false
  let finished = 0

  const choiceAt = (index: number): OpenChoice => {
    let choice = choices.get(index)
    if (!choice) {
      choice = {
        text: '',
        reasoning: '',
        details: undefined,
        notes: undefined,
        calls: [],
        own: undefined,
        more: {},
        finish: undefined,
      }
      choices.set(index, choice)
    }
    return choice
  }

  const say = (event: ModelEvent): void => {
    if (!started) {
      started = true
      events.push({ type: 'start', id, model: model || asked })
    }
    hasContent = true
    events.push(event)
  }

  const closeCall = (choice: OpenChoice, call: number, index: number): void => {
    const open = choice.calls[call]
    if (!open?.open) return
    open.open = false
    if (open.arguments === '') {
      // A call without arguments is a call with none: the pieces must add up to what the answer holds.
      open.arguments = '{}'
      say({ type: 'toolCallDelta', index, call, arguments: '{}' })
    }
    say({ type: 'toolCallEnd', index, call })
  }

  const messageOf = ({ text, calls, own, notes, more }: OpenChoice): ChatMessage => ({
    role: 'assistant',
    content: text === '' && (calls.length > 0 || more.function_call) ? null : text,
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
    ...more,
    ...((own !== undefined || notes) && { provider_metadata: { [provider]: notes ? withNotes(own, notes) : own } }),
  })

  return {
    start(facts) {
      if (!id && typeof facts.id === 'string') id = facts.id
      if (!model && typeof facts.model === 'string') model = facts.model
      if (!created && typeof facts.created === 'number') created = facts.created
    },
    text(text, index = 0) {
      const choice = choiceAt(index)
      if (!isText(text)) return
      choice.text += text
      say({ type: 'textDelta', index, text })
    },
    reasoning(text, index = 0) {
      const choice = choiceAt(index)
      if (!isText(text)) return
      choice.reasoning += text
      say({ type: 'reasoningDelta', index, text })
    },
    textWasReasoning(index = 0) {
      const choice = choiceAt(index)
      const { text } = choice
      if (text === '') return text
      choice.reasoning += text
      choice.text = ''
      say({ type: 'textWasReasoning', index })
      return text
    },
    callStart(init, index = 0) {
      const { calls } = choiceAt(index)
      const call = calls.length
      const name = names.from(isText(init.name) ? init.name : '')
      const made = { id: isText(init.id) ? init.id : callId(id, index, call), name, arguments: '', open: true }
      calls.push(made)
      say({ type: 'toolCallStart', index, call, id: made.id, name })
      return call
    },
    callDelta(call, piece, index = 0) {
      const open = choices.get(index)?.calls[call]
      if (!open || !isText(piece)) return
      open.arguments += piece
      say({ type: 'toolCallDelta', index, call, arguments: piece })
    },
    callEnd: (call, index = 0) => closeCall(choiceAt(index), call, index),
    usage(counts) {
      usage = counts ?? usage
    },
    own(data, index = 0) {
      choiceAt(index).own = data
    },
    extend(fields, index = 0) {
      Object.assign(choiceAt(index).more, fields)
    },
    details(details, index = 0) {
      addDetails((choiceAt(index).details ??= {}), details)
    },
    media(media, index = 0) {
      const choice = choiceAt(index)
      addDetails((choice.details ??= {}), { media: [{ ...media, at: choice.text.length }] })
      const { type, media_type: kind, transcript } = media
      // The words of a sound are the text of the message.
      if (transcript !== undefined) return
      const note = kind === undefined ? `[${type}]` : `[${type} (${kind})]`
      ;((choice.notes ??= {}).media_notes ??= []).push(note)
    },
    part(kind, part, index = 0) {
      const choice = choiceAt(index)
      addDetails((choice.details ??= {}), { provider_parts: [part] })
      ;((choice.notes ??= {}).notes ??= []).push(noteOf(kind, part))
    },
    extra(fields) {
      extra = { ...extra, ...fields }
    },
    finish(reason, index = 0) {
      const choice = choiceAt(index)
      if (!isText(reason)) return
      if (choice.finish === undefined) finished++
      choice.finish = reason
    },
    isFinished: (count) => finished >= count && finished === choices.size,
    calls: (index = 0) => choices.get(index)?.calls.length ?? 0,
    get hasContent() {
      return hasContent
    },
    take() {
      const taken = events
      events = []
      return taken
    },
    end() {
      const sorted = [...choices].sort(([a], [b]) => a - b)
      if (sorted.length === 0 || sorted.some(([, { finish }]) => finish === undefined)) {
        throw modelFailure('truncated', 'the answer ended before the model said that it had finished', {
          details: { partial: sorted.map(([, { text }]) => text).join('') },
        })
      }
      if (!started) {
        started = true
        events.push({ type: 'start', id, model: model || asked })
      }
      for (const [index, choice] of sorted) {
        for (const call of choice.calls.keys()) closeCall(choice, call, index)
        if (choice.details) events.push({ type: 'details', index, details: choice.details })
        events.push({ type: 'finish', index, reason: choice.finish! })
      }
      if (usage) events.push({ type: 'usage', usage })
      return {
        id,
        model: model || asked,
        created,
        choices: sorted.map(([index, choice]) => ({
          index,
          message: messageOf(choice),
          finish_reason: choice.finish!,
          ...(choice.reasoning !== '' && { reasoning: choice.reasoning }),
          ...choice.details,
        })),
        ...(usage && { usage }),
        ...(extra && { extra }),
      }
    },
  }
}

/** Adds notes to opaque data, where other providers find them. */
function withNotes(own: unknown, notes: object): unknown {
  return own === undefined || isRecord(own) ? { ...own, ...notes } : own
}

/** Values come from the provider and may have any type: only non-empty text counts. */
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

function toolCall({ id, name, arguments: args }: OpenCall): ToolCall {
  return { id, type: 'function', function: { name, arguments: args } }
}

/** Generates the id of a call without one: results must be able to name it. */
function callId(answerId: string, choice: number, call: number): string {
  return `call_${fingerprint(`${answerId}/${choice}/${call}`)}`
}
