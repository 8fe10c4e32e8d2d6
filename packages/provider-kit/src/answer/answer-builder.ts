import type {
  AnswerDetails,
  AnswerUsage,
  ChatMessage,
  FinishReason,
  ModelAnswer,
  ModelEvent,
  ToolCall,
} from '@x/interfaces'
import { modelFailure } from '../failure/model-failure.ts'
import { isRecord } from '../json/wire-values.ts'
import { noteOf } from '../message/notes.ts'
import { fingerprint, type NameMap } from '../message/identifiers.ts'
import type { RequestSchemas } from '../schema/request-schemas.ts'

/** First facts of a tool call. */
export interface CallInit {
  /** Id of the provider; generated if absent. */
  readonly id?: string | null | undefined
  /** The name as the provider wrote it. */
  readonly name: string
}

/**
 * Builds an answer from the facts that the reader of a wire format finds. Each fact becomes an event, and the answer is the
 * fold of the events, so that a complete and a streamed answer cannot differ. A text, and the arguments of a call, that have
 * another form than the schema of the program get it when they are whole, and their event comes then.
 */
export interface AnswerBuilder {
  /** Sets facts of the answer that are still missing. */
  start(facts: { id?: unknown; model?: unknown; created?: unknown }): void
  text(text: string, index?: number): void
  reasoning(text: string, index?: number): void
  /** Turns the text of a choice so far into reasoning, of which only the end was marked; returns the text. */
  textWasReasoning(index?: number): string
  /** Begins a call; returns its number for `callDelta` and `callEnd`. */
  callStart(init: CallInit, index?: number): number
  /** Adds a piece of the JSON text of the arguments of a call. */
  callDelta(call: number, piece: string, index?: number): void
  callEnd(call: number, index?: number): void
  /** Sets the counts of the whole answer; the last call wins. `isPartial`: counts of the answer so far. */
  usage(usage: AnswerUsage | undefined, isPartial?: boolean): void
  /** The counts of the whole answer; undefined before they are known. */
  readonly counts: AnswerUsage | undefined
  /** Sets opaque data that goes back to the same provider with the message. */
  own(data: unknown, index?: number): void
  /** Adds further fields to the message, such as a call of the older style. */
  extend(fields: Pick<ChatMessage, 'function_call'>, index?: number): void
  /** Adds details beside the message; items of lists are appended, fields of objects are set. */
  details(details: ChoiceDetails, index?: number): void
  /** Adds an image, a sound or a file of the model behind the text so far. */
  media(media: Omit<NonNullable<AnswerDetails['media']>[number], 'at'>, index?: number): void
  /**
   * Adds a part that only the provider can read, such as a use of one of its tools. It stands in `provider_parts`; in
   * conversations with other providers, a note of this kind stands for it.
   */
  part(kind: string, part: object, index?: number): void
  /** Adds fields of the answer without a place of their own. */
  extra(fields: Readonly<Record<string, unknown>>): void
  /** Sets the finish reason of a choice; an answer without one counts as truncated. */
  finish(reason: FinishReason, index?: number): void
  /** Returns the number of calls of a choice. */
  calls(index?: number): number
  /** Tells whether that many choices have begun and every choice has a finish reason: only counts may follow. */
  isFinished(choices: number): boolean
  /** Whether there was an event with content, which a caller may have seen. */
  readonly hasContent: boolean
  /** Returns the events since the last call. */
  take(): ModelEvent[]
  /**
   * Closes and returns the answer; fails with `truncated` if a choice has no finish reason. `isCut`: the connection broke off
   * behind the finish, so that counts of a part are not those of the answer and are left out.
   */
  end(isCut?: boolean): ModelAnswer
}

interface OpenChoice {
  readonly index: number
  text: string
  reasoning: string
  details: ChoiceDetails | undefined
  /** Notes for parts that only the provider can read, and for images, sounds and files. */
  notes: { notes?: string[]; media_notes?: string[] } | undefined
  calls: OpenCall[]
  own: unknown
  more: Pick<ChatMessage, 'function_call'> | undefined
  finish: FinishReason | undefined
}

interface OpenCall {
  readonly id: string
  readonly name: string
  arguments: string
  isOpen: boolean
  /** Whether the arguments get the form of their schema when they are whole. */
  readonly isHeld: boolean
}

/** Characters of a name or an identifier that a server chooses: they go into events, warnings, ledgers and journals. */
const MAX_NAME_LENGTH = 256

/** Characters of the identifier of a call: gateways put signatures of reasoning into it, which have to come back whole. */
const MAX_CALL_ID_LENGTH = 16_384

/** Source of an answer: the model, the provider and its tool names. */
export interface AnswerOrigin {
  /** Requested model, for answers that do not name a model. */
  readonly model: string
  /** Key of the opaque data of the provider. */
  readonly provider: string
  readonly names: NameMap
  /** The way back from the forms in which the schemas of the request were sent. */
  readonly schemas?: RequestSchemas | undefined
}

/** Makes a builder for one answer. Without `tellsEvents` it gives no events, for an answer that nobody reads piece by piece. */
export function createAnswerBuilder(origin: AnswerOrigin, tellsEvents: boolean = true): AnswerBuilder {
  return new OpenAnswer(origin, tellsEvents)
}

class OpenAnswer implements AnswerBuilder {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: OpenAnswer = new OpenAnswer({} as AnswerOrigin, false)
  hasContent = false
  readonly #origin: AnswerOrigin
  /** The choice that was changed last, which is nearly always the only one. */
  #latest: OpenChoice | undefined
  /** All choices, once there are two. */
  #choices: Map<number, OpenChoice> | undefined
  /** Events that were not taken yet; undefined if nobody takes any. */
  #events: ModelEvent[] | undefined
  /** Whether texts get the form of their schema when they are whole. */
  readonly #holdsText: boolean
  #id = ''
  #model = ''
  #created = 0
  #usage: AnswerUsage | undefined
  #hasWholeUsage = false
  #extra: Record<string, unknown> | undefined
  #isStarted = false
  /** Number of choices with a finish reason. */
  #finished = 0

  constructor(origin: AnswerOrigin, tellsEvents: boolean) {
    this.#origin = origin
    this.#events = tellsEvents ? [] : undefined
    this.#holdsText = origin.schemas?.changesAnswer === true
  }

  start(facts: { id?: unknown; model?: unknown; created?: unknown }): void {
    if (!this.#id && typeof facts.id === 'string') this.#id = facts.id.slice(0, MAX_NAME_LENGTH)
    if (!this.#model && typeof facts.model === 'string') this.#model = facts.model.slice(0, MAX_NAME_LENGTH)
    if (!this.#created && typeof facts.created === 'number') this.#created = facts.created
  }

  text(text: string, index: number = 0): void {
    const choice = this.#choiceAt(index)
    if (!isText(text)) return
    choice.text += text
    if (!this.#holdsText && this.#begins()) this.#events!.push({ type: 'textDelta', index, text })
  }

  reasoning(text: string, index: number = 0): void {
    const choice = this.#choiceAt(index)
    if (!isText(text)) return
    choice.reasoning += text
    if (this.#begins()) this.#events!.push({ type: 'reasoningDelta', index, text })
  }

  textWasReasoning(index: number = 0): string {
    const choice = this.#choiceAt(index)
    const { text } = choice
    if (text === '') return text
    choice.reasoning += text
    choice.text = ''
    if (this.#begins()) {
      this.#events!.push(
        this.#holdsText ? { type: 'reasoningDelta', index, text } : { type: 'textWasReasoning', index },
      )
    }
    return text
  }

  callStart(init: CallInit, index: number = 0): number {
    const { calls } = this.#choiceAt(index)
    const call = calls.length
    const name = this.#origin.names.from(isText(init.name) ? init.name.slice(0, MAX_NAME_LENGTH) : '')
    const id = isText(init.id) ? init.id.slice(0, MAX_CALL_ID_LENGTH) : generateCallId(this.#id, index, call)
    calls.push({ id, name, arguments: '', isOpen: true, isHeld: this.#origin.schemas?.changesTool(name) === true })
    if (this.#begins()) this.#events!.push({ type: 'toolCallStart', index, call, id, name })
    return call
  }

  callDelta(call: number, piece: string, index: number = 0): void {
    const open = this.#find(index)?.calls[call]
    if (!open || !isText(piece)) return
    open.arguments += piece
    if (this.#begins() && !open.isHeld) this.#events!.push({ type: 'toolCallDelta', index, call, arguments: piece })
  }

  callEnd(call: number, index: number = 0): void {
    const open = this.#choiceAt(index).calls[call]
    if (!open?.isOpen) return
    open.isOpen = false
    const isEmpty = open.arguments === ''
    if (isEmpty) open.arguments = '{}'
    if (open.isHeld) open.arguments = this.#origin.schemas!.decodeArguments(open.name, open.arguments)
    // The pieces must add up to the arguments of the answer.
    if ((isEmpty || open.isHeld) && this.#begins()) {
      this.#events!.push({ type: 'toolCallDelta', index, call, arguments: open.arguments })
    }
    if (this.#begins()) this.#events!.push({ type: 'toolCallEnd', index, call })
  }

  calls(index: number = 0): number {
    return this.#find(index)?.calls.length ?? 0
  }

  usage(counts: AnswerUsage | undefined, isPartial: boolean = false): void {
    this.#usage = counts ?? this.#usage
    this.#hasWholeUsage = counts ? !isPartial : this.#hasWholeUsage
  }

  get counts(): AnswerUsage | undefined {
    return this.#hasWholeUsage ? this.#usage : undefined
  }

  own(data: unknown, index: number = 0): void {
    this.#choiceAt(index).own = data
  }

  extend(fields: Pick<ChatMessage, 'function_call'>, index: number = 0): void {
    const choice = this.#choiceAt(index)
    const { function_call: call } = fields
    const { schemas } = this.#origin
    choice.more = { ...choice.more, ...fields }
    if (!call || !schemas?.changesTool(call.name)) return
    choice.more.function_call = { ...call, arguments: schemas.decodeArguments(call.name, call.arguments) }
  }

  details(details: ChoiceDetails, index: number = 0): void {
    addDetails((this.#choiceAt(index).details ??= {}), details)
  }

  media(media: Omit<NonNullable<AnswerDetails['media']>[number], 'at'>, index: number = 0): void {
    const choice = this.#choiceAt(index)
    addDetails((choice.details ??= {}), { media: [{ ...media, at: choice.text.length }] })
    const { type, media_type: kind, transcript } = media
    // The transcript of a sound is the text of the message.
    if (transcript !== undefined) return
    const note = kind === undefined ? `[${type}]` : `[${type} (${kind})]`
    ;((choice.notes ??= {}).media_notes ??= []).push(note)
  }

  part(kind: string, part: object, index: number = 0): void {
    const choice = this.#choiceAt(index)
    addDetails((choice.details ??= {}), { provider_parts: [part] })
    ;((choice.notes ??= {}).notes ??= []).push(noteOf(kind, part))
  }

  extra(fields: Readonly<Record<string, unknown>>): void {
    this.#extra = { ...this.#extra, ...fields }
  }

  finish(reason: FinishReason, index: number = 0): void {
    const choice = this.#choiceAt(index)
    if (!isText(reason)) return
    if (choice.finish === undefined) this.#finished++
    choice.finish = reason.slice(0, MAX_NAME_LENGTH)
  }

  isFinished(choices: number): boolean {
    const count = this.#choices?.size ?? (this.#latest ? 1 : 0)
    return this.#finished >= choices && this.#finished === count
  }

  take(): ModelEvent[] {
    const events = this.#events
    if (!events || events.length === 0) return NO_EVENTS
    this.#events = []
    return events
  }

  end(isCut: boolean = false): ModelAnswer {
    const choices = this.#sorted()
    if (choices.length === 0 || choices.some(hasNoFinish)) {
      throw modelFailure('truncated', 'the answer ended before the model said that it had finished', {
        details: { partial: choices.map(({ text }) => text).join('') },
      })
    }
    const usage = isCut ? this.counts : this.#usage
    this.#close(choices, usage)
    const made = choices.map((choice) => answerChoice(choice, this.#origin.provider))
    const model = this.#model || this.#origin.model
    const answer: ModelAnswer = usage
      ? { id: this.#id, model, created: this.#created, choices: made, usage }
      : { id: this.#id, model, created: this.#created, choices: made }
    if (this.#extra) answer.extra = this.#extra
    return answer
  }

  /** Ends the open calls and tells the last events. */
  #close(choices: readonly OpenChoice[], usage: AnswerUsage | undefined): void {
    this.#emitStart()
    for (const choice of choices) {
      const { index, calls, details, finish } = choice
      if (this.#holdsText && choice.text !== '') {
        choice.text = this.#origin.schemas!.decodeAnswer(choice.text)
        if (this.#begins()) this.#events!.push({ type: 'textDelta', index, text: choice.text })
      }
      for (let call = 0; call < calls.length; call++) this.callEnd(call, index)
      if (details) this.#events?.push({ type: 'details', index, details })
      this.#events?.push({ type: 'finish', index, reason: finish! })
    }
    if (usage) this.#events?.push({ type: 'usage', usage })
  }

  #sorted(): OpenChoice[] {
    if (this.#choices) return [...this.#choices.values()].sort((a, b) => a.index - b.index)
    return this.#latest ? [this.#latest] : []
  }

  #find(index: number): OpenChoice | undefined {
    return this.#latest?.index === index ? this.#latest : this.#choices?.get(index)
  }

  #choiceAt(index: number): OpenChoice {
    const latest = this.#latest
    if (latest?.index === index) return latest
    if (latest && !this.#choices) this.#choices = new Map([[latest.index, latest]])
    let choice = this.#choices?.get(index)
    if (!choice) {
      choice = {
        index,
        text: '',
        reasoning: '',
        details: undefined,
        notes: undefined,
        calls: [],
        own: undefined,
        more: undefined,
        finish: undefined,
      }
      this.#choices?.set(index, choice)
    }
    this.#latest = choice
    return choice
  }

  /** Notes that there is content; returns whether its event is to be told. */
  #begins(): boolean {
    this.#emitStart()
    this.hasContent = true
    return this.#events !== undefined
  }

  #emitStart(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#events?.push({ type: 'start', id: this.#id, model: this.#model || this.#origin.model })
  }
}

/** Stands for no events; nobody changes a list that was taken. */
const NO_EVENTS: ModelEvent[] = Object.freeze([]) as unknown as ModelEvent[]

const hasNoFinish = ({ finish }: OpenChoice): boolean => finish === undefined

function answerChoice(choice: OpenChoice, provider: string): ModelAnswer['choices'][number] {
  const { index, finish, reasoning, details } = choice
  const made: ModelAnswer['choices'][number] = { index, message: messageOf(choice, provider), finish_reason: finish! }
  if (reasoning === '' && !details) return made
  return { ...made, ...(reasoning !== '' && { reasoning }), ...details }
}

function messageOf({ text, calls, own, notes, more }: OpenChoice, provider: string): ChatMessage {
  const message: ChatMessage = {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || more?.function_call) ? null : text,
  }
  if (calls.length === 0 && !more && own === undefined && !notes) return message
  return {
    ...message,
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
    ...more,
    ...((own !== undefined || notes) && { provider_metadata: { [provider]: notes ? withNotes(own, notes) : own } }),
  }
}

/** Adds notes to the opaque data, where other providers find them. */
function withNotes(own: unknown, notes: object): unknown {
  return own === undefined || isRecord(own) ? { ...own, ...notes } : own
}

/** Tells a text with content: values come from the provider and may have any type. */
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

function toolCall({ id, name, arguments: args }: OpenCall): ToolCall {
  return { id, type: 'function', function: { name, arguments: args } }
}

/** Generates the id of a call without one, by which results name it. */
function generateCallId(answerId: string, choice: number, call: number): string {
  return `call_${fingerprint(`${answerId}/${choice}/${call}`)}`
}

/** Details of a choice beside its message, without reasoning. */
export type ChoiceDetails = Omit<AnswerDetails, 'reasoning'>

/** Details while they are collected: lists grow, objects get fields. */
type OpenDetails = { -readonly [K in keyof ChoiceDetails]: ChoiceDetails[K] }

/** Adds details to those of a choice: items of lists are appended, fields of objects are set. */
function addDetails(details: OpenDetails, added: ChoiceDetails): void {
  const target = details as Record<string, unknown>
  for (const [key, value] of Object.entries(added) as [string, object | undefined][]) {
    if (value === undefined) continue
    const before = target[key]
    if (!Array.isArray(value)) target[key] = { ...(before as object | undefined), ...value }
    else if (value.length > 0) {
      const list = (target[key] ??= []) as unknown[]
      // A list of probabilities may be too long to spread it into one call.
      for (const item of value) list.push(item)
    }
  }
}
