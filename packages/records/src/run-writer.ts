import type { CallInput, ChatMessage, ExternalCall, JournalEntry, RunCalls, RunTrace, XEvent } from '@x/interfaces'
import { shapeEvent } from '@x/kernel/run'
import { ListWriter } from './list-writer.ts'
import { newId } from './platform.ts'
import { MESSAGE_FIELDS, type Reference } from './record-line.ts'
import { SummaryCount } from './run-summary.ts'
import type { Piece } from './storage.ts'

/** Bounds of a record: the content that it has, and how its texts are written. */
export interface RecordShape {
  /** False: names, numbers and times, and nothing that people, models, tools or code have written. */
  readonly content: boolean
  /** Returns a text as it is written; undefined: as it is. */
  readonly redact: ((text: string) => string) | undefined
  /** Most characters of a text. */
  readonly maxContent: number
}

/** Parts of the records that the writer of a run uses. */
export interface WriterParts {
  readonly shape: RecordShape
  readonly tags: Readonly<Record<string, string>>
  /** The run that this one was forked from. */
  readonly parent: Piece['parent']
  /** Entries of that run, with which this one begins. */
  readonly entries: readonly JournalEntry[]
  /** Called when there is something to write. */
  readonly wake: (writer: RunWriter) => void
}

/** Pieces of texts are left out: the whole texts come behind them. */
const LEFT_OUT: ReadonlySet<XEvent['type']> = new Set<XEvent['type']>([
  ...(['answerBegin', 'textDelta', 'reasoningDelta', 'textWasReasoning', 'toolInputDelta', 'codeOutput'] as const),
  ...(['usageSummary', 'conversableAgentUsageSummary', 'conversableAgentUsageSummaryNoCostIncurred'] as const),
])

/** Characters of a text that several events have; a longer one is written once. */
const MAX_INLINE_LENGTH = 100
/** Fields of events and entries that keep a record in order; nobody writes their texts. */
const ENVELOPE: ReadonlySet<string> = new Set(['type', 'id', 'parentId', 'runId', 'chatId', 'place', 'kind', 'outcome'])
/** Names of fields as the framework has them; other keys are texts of programs and models. */
const FIELD_NAME = /^[a-z][A-Za-z_]*$/u

/** All types of events but those that a record leaves out. */
const TAKEN = { has: (type: XEvent['type']) => !LEFT_OUT.has(type) } as RunTrace['takes']

/**
 * Writes the record of one run, as its trace. Events wait as they are, since they do not change; what calls ask and answer
 * becomes text at once, since a program may go on to change it.
 */
export class RunWriter implements RunTrace {
  readonly takes: RunTrace['takes'] = TAKEN
  readonly propagates = false
  readonly takesRecalled: boolean
  /** The calls of a record, with their attempts, say all that the spans of the calls of models would. */
  readonly skipsParts = 'calls'
  readonly calls: RunCalls | undefined
  readonly takeRequest?: (spanId: string, messages: readonly ChatMessage[]) => void
  readonly #parts: WriterParts
  #session: string = newId()
  #lists: ListWriter
  readonly #summary: SummaryCount
  #isRedacted = false
  #runId: string | null = null
  #waiting: (string | XEvent)[] = []
  #pieces = 0

  constructor(parts: WriterParts) {
    this.#parts = parts
    this.takesRecalled = parts.parent !== null
    this.#lists = this.#newLists()
    this.#summary = new SummaryCount((text) => this.#redact(text))
    if (!parts.shape.content) return
    this.takeRequest = (spanId, messages) => this.#guard(() => this.#addRequest(spanId, messages))
    this.calls = {
      begin: ({ runId, waits, resumed }) => {
        this.#runId ??= runId
        const isFork = parts.entries.length > 0
        this.#add(`["b",${JSON.stringify({ waits, resumed: resumed && !isFork })}]`)
        for (const entry of parts.entries) this.#guard(() => this.#addEntry(entry))
      },
      takeInput: (call, input) => this.#guard(() => this.#addCall(call, input)),
      takeEntry: (entry) => this.#guard(() => this.#addEntry(entry)),
      fail: (reason) => this.#guard(() => this.#fail(this.#redact(reason))),
    }
  }

  take(event: XEvent): void {
    const told = this.#parts.shape.content ? event : shapeEvent(event, { content: false })
    if (!told) return
    this.#runId ??= told.runId
    this.#guard(() => this.#summary.add(told))
    this.#add(told)
  }

  /** Goes on after a piece of the record was lost: later lines refer to nothing that was in it. */
  lose(): void {
    this.#session = newId()
    this.#pieces = 0
    this.#lists = this.#newLists()
    this.#fail('a part of the record was lost, since it could not be written')
  }

  #newLists(): ListWriter {
    return new ListWriter(
      (line) => void this.#waiting.push(line),
      (value) => this.#toJson(value),
    )
  }

  contextOf(): undefined {
    return undefined
  }

  /** Returns what waits to be written, and forgets it; null if there is nothing, or no run to write it for. */
  takePiece(now: number): Piece | null {
    const waiting = this.#waiting
    if (waiting.length === 0 || this.#runId === null) return null
    this.#waiting = []
    const lines: string[] = []
    const events: XEvent[] = []
    for (const each of waiting) {
      if (typeof each === 'string') lines.push(each)
      else events.push(each)
    }
    if (events.length > 0) lines.push(this.#eventsLine(events))
    // The lines of messages that the events are the first to have.
    for (const each of this.#waiting) lines.push(each as string)
    this.#waiting = []
    const summary = this.#summary.take(now)
    return {
      runId: this.#runId,
      session: this.#session,
      number: this.#pieces++,
      text: lines.join('\n'),
      summary: summary && { ...summary, title: this.#cut(summary.title) },
      tags: this.#parts.tags,
      parent: this.#parts.parent,
    }
  }

  #add(line: string | XEvent): void {
    this.#waiting.push(line)
    this.#parts.wake(this)
  }

  /** Number of lines that wait to be written. */
  get waiting(): number {
    return this.#waiting.length
  }

  #addRequest(spanId: string, messages: readonly ChatMessage[]): void {
    const reference: Reference = { l: this.#lists.list(messages) }
    this.#add(`["q",${JSON.stringify(spanId)},${JSON.stringify(reference)}]`)
  }

  #addCall({ place, kind, name }: ExternalCall & { readonly place: string }, input: CallInput): void {
    const written: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(input)) written[key] = this.#referenceTo(value)
    this.#add(`["a",${JSON.stringify(place)},"${kind}",${this.#toJson(name ?? null)},${this.#toJson(written)}]`)
  }

  #addEntry(entry: JournalEntry): void {
    this.#add(`["k",${this.#toJson(entry, ENVELOPE)}]`)
  }

  /** Writes events as one line: one text is cheaper to make than many. */
  #eventsLine(events: readonly XEvent[]): string {
    try {
      const json = this.#toJson(
        events.map((event) => this.#withReferences(event)),
        ENVELOPE,
      )
      // Most of an event that says where something happened is the id of the run, which the record has already.
      const parts = json.split(`,"runId":"${this.#runId}"`)
      return `["e",${parts.length === events.length + 1 ? parts.join('') : json}]`
    } catch (error) {
      const reason = `events could not be written: ${this.#reasonOf(error)}`
      this.#summary.fail(reason)
      return `["f",${JSON.stringify(reason)}]`
    }
  }

  /** Puts references in the places of the messages of an event. */
  #withReferences(event: XEvent): object {
    let shared: Record<string, unknown> | undefined
    for (const field of MESSAGE_FIELDS) {
      const value = (event as unknown as Readonly<Record<string, unknown>>)[field]
      const isLong = typeof value === 'string' && value.length > MAX_INLINE_LENGTH
      if (!isLong && (typeof value !== 'object' || value === null)) continue
      shared ??= { ...event }
      shared[field] = this.#referenceTo(value)
    }
    return shared ?? event
  }

  /** Returns a reference to an object, a list of objects or a long text; anything else as it is. */
  #referenceTo(value: unknown): unknown {
    if (typeof value === 'string' && value.length > MAX_INLINE_LENGTH) {
      return { v: this.#lists.value(value) } satisfies Reference
    }
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'object' && each !== null)) {
      return { l: this.#lists.list(value as object[]) } satisfies Reference
    }
    return { v: this.#lists.value(value) } satisfies Reference
  }

  readonly #toJson = (value: unknown, kept: ReadonlySet<string> | null = null): string => {
    const { redact, maxContent } = this.#parts.shape
    const json = JSON.stringify(redact ? this.#redacted(value, kept) : value)
    if (json === undefined) throw new TypeError(`a ${typeof value} is no JSON`)
    if (json.length <= maxContent) return json
    return JSON.stringify(JSON.parse(json), (_, each: unknown) => (typeof each === 'string' ? this.#cut(each) : each))
  }

  /** Returns plain data with its texts redacted, but for those of the fields that keep a record in order. */
  #redacted(value: unknown, kept: ReadonlySet<string> | null): unknown {
    const plain: unknown =
      typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function' ? JSON.parse(JSON.stringify(value)) : value
    if (typeof plain === 'string') return this.#redact(plain)
    if (typeof plain !== 'object' || plain === null) return plain
    if (Array.isArray(plain)) return plain.map((each) => this.#redacted(each, kept) ?? null)
    return Object.fromEntries(
      Object.entries(plain).map(([key, each]) => [
        FIELD_NAME.test(key) ? key : this.#redact(key),
        kept?.has(key) ? each : this.#redacted(each, null),
      ]),
    )
  }

  #redact(text: string): string {
    const { redact } = this.#parts.shape
    if (!redact) return text
    const written: unknown = redact(text)
    if (typeof written !== 'string') throw new TypeError(`\`redact\` gave a ${typeof written}, which is no text`)
    if (written !== text && !this.#isRedacted) {
      this.#isRedacted = true
      this.#fail('a text was redacted')
    }
    return written
  }

  #cut(text: string): string {
    const { maxContent } = this.#parts.shape
    if (text.length <= maxContent) return text
    this.#fail(`a text of ${text.length} characters was cut to \`maxContent\`, ${maxContent}`)
    return `${text.slice(0, maxContent)}… (${text.length - maxContent} characters more)`
  }

  #fail(reason: string): void {
    this.#summary.fail(reason)
    this.#add(`["f",${JSON.stringify(reason)}]`)
  }

  /** Says in the record if something cannot be written, which does not touch the run. */
  #guard(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#fail(this.#reasonOf(error))
    }
  }

  /** The reason of a failure; its text may repeat what was to be redacted. */
  #reasonOf(error: unknown): string {
    const { content, redact } = this.#parts.shape
    if (redact || !content) return 'something could not be written'
    return error instanceof Error ? error.message : String(error)
  }
}
