import type { CallInput, ChatMessage, ExternalCall, JournalEntry, RunCalls, RunTrace, XEvent } from '@x/interfaces'
import { redact as withoutKeys } from '@x/kernel/redact'
import { shapeEvent } from '@x/kernel/run'
import { EventWriter } from './event-lines.ts'
import { keptEvent, keptFields, keptOf, KeptSlice, KeptValues } from './kept-values.ts'
import { hasMark, ListWriter, markedLine, MAX_INLINE_LENGTH, TEXT_MARK } from './list-writer.ts'
import { newId, platformNow } from './platform.ts'
import { callPlaceOf, MESSAGE_FIELDS, type Reference } from './record-line.ts'
import { beginningOf, partWithoutEvents, SummaryCount, withTime } from './run-summary.ts'
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
  /** Called when there is something to write; `isFull`: so much that it is to be written at once. */
  readonly wake: (writer: RunWriter, isFull: boolean) => void
  /** Called when something waits for long, since the run lets no timer have its turn. */
  readonly late: () => void
}

/** Pieces of texts are left out: the whole texts come behind them. */
const LEFT_OUT: ReadonlySet<XEvent['type']> = new Set<XEvent['type']>([
  ...(['answerBegin', 'textDelta', 'reasoningDelta', 'textWasReasoning', 'toolInputDelta', 'codeOutput'] as const),
  ...(['usageSummary', 'conversableAgentUsageSummary', 'conversableAgentUsageSummaryNoCostIncurred'] as const),
])

/** Events with which a call begins that is no run of agents: nobody records what is asked inside. */
const SINGLE_CALLS: ReadonlySet<XEvent['type']> = new Set(['replyStart', 'modelCallStart', 'modelAttemptStart'])
const SINGLE_PROBLEM =
  'it is a single `generateReply` or question to a model, whose calls are not recorded: start it inside a run, such as `agent.run`'

/** Characters of a text in other data up to which it is written wherever it stands, and of JSON that is not looked through for one. */
const MAX_WHOLE_LENGTH = 500
/** Lines after which the writer says again that it has some. */
const WAKE_STEP = 64
/** Most that was told and is not written yet: writing it takes about a millisecond where texts are short. */
const MAX_TOLD = 256
/** Lines, and bytes of them, that wait at most. All that waits has to fit in one text. */
const MAX_WAITING_LINES = 5000
const MAX_WAITING_BYTES = 2 ** 24
/** Time between the events of a piece, in milliseconds, after which its timer is late: a run in the blocking face has all turns. */
const MAX_WAITING_MS = 1000
/** Fields of events and entries that keep a record in order; nobody writes their texts. */
const ENVELOPE: ReadonlySet<string> = new Set(['type', 'id', 'parentId', 'runId', 'chatId', 'place', 'kind', 'outcome'])
/** Fields with identifiers and names of agents, which are never cut: a run whose texts are short can be repeated. */
const ID_FIELDS: ReadonlySet<string> = new Set(['runId', 'id', 'callId', 'tool_call_id', 'agent'])
const MAX_ID_LENGTH = 64
/** Names of fields as the framework has them; other keys are texts of programs and models. */
const FIELD_NAME = /^[a-z][A-Za-z_]*$/u

/** All types of events but those that a record leaves out. */
const TAKEN = { has: (type: XEvent['type']) => !LEFT_OUT.has(type) } as RunTrace['takes']

/**
 * Writes the record of one run, as its trace. What it is told waits as it is at that time, and is made text in batches: between
 * two requests the same work takes several times as long, since code and data are in no cache. What may change, and cannot be
 * copied, becomes text at once.
 */
export class RunWriter implements RunTrace {
  readonly takes: RunTrace['takes'] = TAKEN
  readonly propagates = false
  readonly takesRecalled: boolean
  /**
   * The calls of a record, with their attempts, say all that the spans of the calls of models would, and of their replies. The
   * answer with which a fork goes on is no call of it: the reply tells it.
   */
  readonly skipsParts: NonNullable<RunTrace['skipsParts']>
  readonly calls: RunCalls | undefined
  readonly takeRequest?: (spanId: string, messages: readonly ChatMessage[]) => void
  readonly #parts: WriterParts
  #session: string = newId()
  #lists: ListWriter
  #events: EventWriter
  readonly #summary: SummaryCount
  #isRedacted = false
  /** True if texts of the line that is being made stand in lines of their own. */
  #isMarked = false
  /** The tags as they are written. */
  #tags: Piece['tags'] | undefined
  #runId: string | null = null
  /** True once the calls of the run are recorded, or something else says why they are not. */
  #isExplained = false
  readonly #text = new TextBuffer()
  readonly #kept = new KeptValues()
  /** Writes of what was told, in its order. */
  #told: (() => void)[] = []
  /** Lines that wait to be written. */
  #waiting = 0
  /** Time of the first event that waits; null without one. */
  #since: number | null = null
  /** The question to a model that was written last. */
  #asked: AskedCall = NO_CALL
  #pieces = 0

  constructor(parts: WriterParts) {
    this.#parts = parts
    this.takesRecalled = parts.parent !== null
    this.skipsParts = parts.parent === null ? 'answers' : false
    this.#lists = this.#newLists()
    this.#events = this.#newEvents()
    this.#summary = new SummaryCount((text) => this.#redact(text))
    if (!parts.shape.content) return
    const keptList = (messages: readonly ChatMessage[]) => this.#kept.list(messages)
    const keptInput = (input: CallInput) => this.#kept.input(input)
    this.takeRequest = (spanId, messages) => {
      const kept = keptIf(keptList, messages)
      const told = kept ?? messages
      this.#tell(() => this.#addRequest(spanId, told), kept !== undefined)
    }
    this.calls = {
      begin: ({ runId, waits, resumed }) => {
        this.#runId ??= runId
        this.#isExplained = true
        const isFork = parts.entries.length > 0
        this.#write()
        this.#addLine(`["b",${JSON.stringify({ waits, resumed: resumed && !isFork })}]`)
        for (const entry of parts.entries) this.#guard(() => this.#addEntry(entry))
      },
      takeInput: (call, input) => {
        const kept = keptIf(keptInput, input)
        // What waits holds on to nothing else: a list of messages may be long, and is made anew for each turn.
        const told = kept ?? input
        this.#tell(() => this.#addCall(call, told), kept !== undefined)
      },
      takeEntry: (entry) => {
        if (entry.kind === 'tool') this.#summary.addAnswer(entry.value, platformNow())
        const kept = keptIf(keptEntry, entry)
        this.#tell(() => this.#addEntry(kept ?? entry), kept !== undefined)
      },
      fail: (reason) => {
        this.#isExplained = true
        this.#tell(() => this.#fail(this.#redact(reason)), true)
      },
    }
  }

  take(told: XEvent): void {
    const event = withTime(told)
    this.#runId ??= event.runId
    if (!this.#isExplained && event.parentId === null && SINGLE_CALLS.has(event.type)) this.calls?.fail(SINGLE_PROBLEM)
    const kept = keptIf(keptEvent, event)
    this.#tell(() => this.#addEvent(kept ?? event), kept !== undefined)
    this.#since ??= event.time
    if (event.time - this.#since > MAX_WAITING_MS) this.#parts.late()
  }

  /** Writes what was told: with the rest of a batch, or at once if it may change meanwhile. */
  #tell(write: () => void, isKept: boolean): void {
    const { length } = this.#told
    this.#told.push(write)
    if (!isKept || length >= MAX_TOLD) this.#write()
    else if (length === 0) this.#parts.wake(this, false)
  }

  /** Writes the lines of all that was told. */
  #write(): void {
    const told = this.#told
    if (told.length === 0) return
    this.#told = []
    for (const write of told) {
      this.#guard(write)
      if (this.#waiting >= MAX_WAITING_LINES || this.#text.length >= MAX_WAITING_BYTES) this.#parts.wake(this, true)
    }
  }

  /** Goes on after a piece of the record was lost: later lines refer to nothing that was in it. */
  lose(): void {
    this.#session = newId()
    this.#pieces = 0
    this.#lists = this.#newLists()
    this.#events = this.#newEvents()
    this.#asked = NO_CALL
    // What waits refers to it too.
    this.#text.take()
    this.#fail('a part of the record was lost, since it could not be written')
  }

  #newLists(): ListWriter {
    return new ListWriter(
      (line) => this.#text.add(line),
      (value) => this.#valueJson(value),
      (text) => JSON.stringify(this.#cut(this.#redact(text as string))),
    )
  }

  #newEvents(): EventWriter {
    return new EventWriter({
      field: (name, value) => {
        if (MESSAGE_FIELDS.has(name)) return this.#partJson(value)
        return ENVELOPE.has(name) ? JSON.stringify(value) : this.#toJson(value, null, name)
      },
      whole: (event) => this.#toJson(this.#withReferences(event), ENVELOPE),
    })
  }

  contextOf(): undefined {
    return undefined
  }

  /** Returns what waits to be written, and forgets it; null if there is nothing, or no run to write it for. */
  takePiece(now: number): Piece | null {
    this.#write()
    this.#waiting = 0
    this.#since = null
    if (this.#text.isEmpty || this.#runId === null) return null
    const summary = this.#summary.take(now) ?? (this.#pieces === 0 ? partWithoutEvents(now) : null)
    return {
      runId: this.#runId,
      session: this.#session,
      number: this.#pieces++,
      text: this.#text.take(),
      summary: summary && { ...summary, title: this.#cut(summary.title) },
      tags: (this.#tags ??= this.#redactedTags()),
      parent: this.#parts.parent,
    }
  }

  #addLine(line: string): void {
    this.#text.add(this.#isMarked ? markedLine(line) : line)
    this.#isMarked = false
    this.#count()
  }

  #count(): void {
    if (this.#waiting++ % WAKE_STEP === 0) this.#parts.wake(this, false)
  }

  /** Number of events, questions and the like that were told, and are no lines yet. */
  get told(): number {
    return this.#told.length
  }

  #addRequest(spanId: string, messages: readonly ChatMessage[] | KeptSlice<ChatMessage>): void {
    const { place, list } = this.#asked
    if (callPlaceOf(spanId) === place && this.#lists.isLast(list, messages)) return
    this.#addLine(`["q",${JSON.stringify(spanId)},${this.#partJson(messages)}]`)
  }

  #addCall({ place, kind, name }: ExternalCall & { readonly place: string }, input: CallInput): void {
    if (kind === 'part') this.#summary.addPart(input)
    let parts = ''
    for (const key in input) {
      const value = input[key]
      if (value === undefined) continue
      const reference = isShared(value) ? this.#referenceTo(value) : null
      if (kind === 'model' && key === 'messages' && reference && 'l' in reference)
        this.#asked = { place, list: reference.l }
      const text = reference ? referenceJson(reference) : this.#toJson(value)
      parts += `${parts === '' ? '' : ','}${this.#keyJson(key)}:${text}`
    }
    const nameJson = name === undefined ? 'null' : this.#toJson(name)
    this.#addLine(`["a",${JSON.stringify(place)},"${kind}",${nameJson},{${parts}}]`)
  }

  #addEntry(entry: JournalEntry): void {
    this.#addLine(this.#answerLine(entry) ?? `["k",${this.#toJson(entry, ENVELOPE)}]`)
  }

  /** Returns the line of an entry that has nothing but the answer of a model; null for any other. */
  #answerLine(entry: JournalEntry): string | null {
    const { place, kind, value } = entry
    if (kind !== 'model' || !isAnswer(value)) return null
    let beside = -3
    for (const key in entry) if (entry[key as keyof JournalEntry] !== undefined) beside++
    if (beside > 0) return null
    const { actual, total } = value.usage
    const second = total === actual ? '' : `,${this.#toJson(total)}`
    return `["m",${JSON.stringify(place)},${this.#partJson(value.reply)},${this.#toJson(actual)}${second}]`
  }

  #addEvent(event: XEvent): void {
    const { content, redact } = this.#parts.shape
    const told = content ? event : shapeEvent(event, { content: false })
    if (!told) return
    this.#summary.add(told)
    this.#addLine(`["e",[${this.#events.write(told, redact !== undefined)}]]`)
  }

  /** Puts references in the places of the messages of an event, and leaves out the id of the run, which its record has. */
  #withReferences(event: Readonly<Record<string, unknown>>): object {
    const shared: Record<string, unknown> = { ...event }
    if (event['runId'] === this.#runId) delete shared['runId']
    for (const field of MESSAGE_FIELDS) {
      const value = event[field]
      if (isShared(value)) shared[field] = this.#referenceTo(value)
    }
    return shared
  }

  /** Returns a reference to an object, a list of objects or a long text. */
  #referenceTo(value: object | string): Reference {
    if (typeof value === 'string') return { v: this.#lists.text(value) }
    const isSlice = value instanceof KeptSlice
    const list = (isSlice || Array.isArray(value)) && value.length > 0 ? this.#lists.list(value) : undefined
    return list === undefined ? { v: this.#lists.value(isSlice ? value.items : value) } : { l: list }
  }

  #partJson(value: unknown): string {
    return isShared(value) ? referenceJson(this.#referenceTo(value)) : this.#toJson(value)
  }

  #keyJson(key: string): string {
    return FIELD_NAME.test(key) ? `"${key}"` : JSON.stringify(this.#redact(key))
  }

  readonly #toJson = (value: unknown, kept: ReadonlySet<string> | null = null, name = ''): string => {
    if (typeof value === 'string') return JSON.stringify(this.#textIn(value, name))
    const { redact, maxContent } = this.#parts.shape
    const json = redact ? '' : JSON.stringify(value)
    if (json === undefined) throw new TypeError(`a ${typeof value} is no JSON`)
    const isShort = json.length <= Math.min(MAX_WHOLE_LENGTH, maxContent)
    if (!redact && isShort && !hasMark(json)) return json
    const written = JSON.stringify(withTexts(value, kept, this.#change))
    if (written === undefined) throw new TypeError(`a ${typeof value} is no JSON`)
    return written
  }

  /** Returns the JSON of a value that has a line of its own, while another one is made. */
  #valueJson(value: unknown): string {
    const isMarked = this.#isMarked
    const json = this.#toJson(value)
    this.#isMarked = isMarked
    return json
  }

  readonly #change: TextChange = { text: (text, name) => this.#textIn(text, name), key: (key) => this.#redact(key) }

  /** Returns a text as it stands in other data: a long one as the mark of a line that has it. */
  #textIn(text: string, name = ''): string {
    const isId = ID_FIELDS.has(name) && text.length <= MAX_ID_LENGTH
    const written = text.length > MAX_WHOLE_LENGTH ? null : isId ? this.#redact(text) : this.#cut(this.#redact(text))
    if (written !== null && !written.startsWith(TEXT_MARK)) return written
    this.#isMarked = true
    return `${TEXT_MARK}${this.#lists.text(text)}`
  }

  #redact(text: string): string {
    const { redact } = this.#parts.shape
    if (!redact) return text
    const written = redactedText(redact, text)
    if (written !== text && !this.#isRedacted) {
      this.#isRedacted = true
      this.#fail('a text was redacted')
    }
    return written
  }

  /** Tags tell nothing of what a run did: it can be repeated without their texts. */
  #redactedTags(): Piece['tags'] {
    const { tags, shape } = this.#parts
    const { redact } = shape
    if (!redact) return tags
    const written: Record<string, string> = {}
    for (const [name, tag] of Object.entries(tags)) this.#guard(() => (written[name] = redactedText(redact, tag)))
    return written
  }

  #cut(text: string): string {
    const { maxContent } = this.#parts.shape
    if (text.length <= maxContent) return text
    this.#fail(`a text of ${text.length} characters was cut to \`maxContent\`, ${maxContent}`)
    return `${beginningOf(text, maxContent)}… (${text.length - maxContent} characters more)`
  }

  #fail(reason: string): void {
    this.#summary.fail(reason)
    // A line may be in the making, and have marks.
    this.#text.add(`["f",${JSON.stringify(reason)}]`)
    this.#count()
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
    return withoutKeys(error instanceof Error ? error.message : String(error), [])
  }
}

/** Returns what is kept of what a run tells; undefined for what cannot even be read, which is written at once and says so. */
function keptIf<V, T>(keep: (value: V) => T | undefined, value: V): T | undefined {
  try {
    return keep(value)
  } catch {
    return undefined
  }
}

/** How the texts of plain data are changed, and its keys. */
interface TextChange {
  /** Takes the name of the field of a text too; of a text in a list, that of the list. */
  text(text: string, name: string): string
  key(key: string): string
}

/** Returns plain data with other texts, but for those of the fields that keep a record in order. */
function withTexts(value: unknown, kept: ReadonlySet<string> | null, change: TextChange, name = ''): unknown {
  const isOther = typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function' || isBoxed(value)
  const json = isOther ? JSON.stringify(value) : undefined
  const plain: unknown = json === undefined ? (isOther ? undefined : value) : JSON.parse(json)
  if (typeof plain === 'string') return change.text(plain, name)
  if (typeof plain !== 'object' || plain === null) return plain
  if (Array.isArray(plain)) return plain.map((each) => withTexts(each, kept, change, name) ?? null)
  return Object.fromEntries(
    Object.entries(plain).map(([key, each]) => [
      FIELD_NAME.test(key) ? key : change.key(key),
      kept?.has(key) ? each : withTexts(each, null, change, key),
    ]),
  )
}

/** Prototypes of objects that JSON has as a text, a number or a flag. */
const BOXES: ReadonlySet<unknown> = new Set([String.prototype, Number.prototype, Boolean.prototype])
const isBoxed = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && BOXES.has(Object.getPrototypeOf(value))

/** Returns a text as the option `redact` writes it. Throws a `TypeError` if that gives none. */
export function redactedText(redact: (text: string) => string, text: string): string {
  const written: unknown = redact(text)
  if (typeof written === 'string') return written
  throw new TypeError(`\`redact\` gave a ${typeof written}, which is no text`)
}

/**
 * Collects lines as bytes: texts that are put together of many parts, and wait for a while, are most of what a collection of
 * garbage has to move.
 */
class TextBuffer {
  #bytes: Buffer | null = null
  #length = 0
  /** Size of the next buffer: the last one was filled so far. */
  #size = MIN_BUFFER_SIZE

  get isEmpty(): boolean {
    return this.#length === 0
  }

  get length(): number {
    return this.#length
  }

  add(line: string): void {
    // A character has at most three bytes.
    const end = this.#length + line.length * 3 + 1
    let bytes = this.#bytes
    if (!bytes || end > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, bytes ? bytes.length * 2 : this.#size))
      if (bytes) larger.set(bytes.subarray(0, this.#length))
      this.#bytes = bytes = larger
    }
    if (this.#length > 0) bytes[this.#length++] = LINE_BREAK
    this.#length += bytes.write(line, this.#length, 'utf8')
  }

  /** Returns the lines with line breaks between them, and forgets them. */
  take(): string {
    const text = this.#bytes?.toString('utf8', 0, this.#length) ?? ''
    this.#size = Math.min(Math.max(this.#length, MIN_BUFFER_SIZE), MAX_BUFFER_SIZE)
    this.#bytes = null
    this.#length = 0
    return text
  }
}

const LINE_BREAK = 10
const [MIN_BUFFER_SIZE, MAX_BUFFER_SIZE] = [4096, 2 ** 18]

/** True for what is written once, and referred to. */
const isShared = (value: unknown): value is object | string =>
  typeof value === 'string' ? value.length > MAX_INLINE_LENGTH : typeof value === 'object' && value !== null

const referenceJson = (reference: Reference): string =>
  'l' in reference ? `{"l":${reference.l}}` : `{"v":${reference.v}}`

/** A question to a model: its place, and the number of the list of its messages. */
interface AskedCall {
  readonly place: string
  readonly list: number
}

const NO_CALL: AskedCall = { place: '', list: -1 }

/** The answer of a model as a journal keeps it. */
interface KeptAnswer {
  readonly reply: unknown
  readonly usage: { readonly actual: unknown; readonly total: unknown }
}

const isAnswer = (value: unknown): value is KeptAnswer =>
  hasFields(value, 'reply', 'usage') && hasFields((value as KeptAnswer).usage, 'actual', 'total')

/** Returns an entry as it is now; undefined if it has to be written at once. The framework has made the usage of an answer for it. */
function keptEntry(entry: JournalEntry): JournalEntry | undefined {
  const { kind, value } = entry
  if (kind !== 'model' || !isAnswer(value) || 'context' in entry) return keptFields(entry)
  if (typeof value.reply === 'string') return entry
  const reply = keptOf(value.reply)
  return reply === undefined ? undefined : { ...entry, value: { reply, usage: value.usage } }
}

/** True for an object with two fields and no other. */
function hasFields(value: unknown, one: string, other: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const name in value) if (name !== one && name !== other) return false
  return one in value && other in value
}
