import type { CallInput, ChatMessage, JournalEntry, JournalKind, Reply, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { forkedEntries } from '@x/kernel/run'
import { EventReader } from './event-lines.ts'
import { KeptList, ListReader, type MarkedValue } from './list-reader.ts'
import type { ListLine, ValueLine } from './list-writer.ts'
import { callPlaceOf, type MarkedLine, MESSAGE_FIELDS, type RecordLine } from './record-line.ts'
import { placesAround } from './replay-errors.ts'
import type { KeptRunInfo } from './storage.ts'

/** The record of one run. */
export interface KeptRun {
  /** The run as a list of records shows it. */
  readonly info: KeptRunInfo
  /** The first message of the run, whole; null if it has none. */
  readonly message: Reply | null
  /** The events of the run, in their order. */
  readonly events: readonly XEvent[]
  /** The answers of the run, as a journal keeps them. */
  readonly entries: readonly JournalEntry[]
  /** The calls of the run in the order in which they were asked; a resumed run has asked again what was asked before it, which counts once. */
  readonly calls: readonly KeptCall[]
  /** True if questions waited for their answers in a journal; false if a person was asked at once. */
  readonly waits: boolean
  /** Returns the messages that an attempt sent, by the `id` of its events; undefined if the record has none. */
  requestOf(spanId: string): readonly ChatMessage[] | undefined
}

/** Refuses what is not the record of a run, such as the path of a fixture, or undefined for a run that there is not. */
export function requireRun(run: KeptRun, attempt: string): void {
  const given = run as KeptRun | string | null | undefined
  if (typeof given === 'object' && given?.info) return
  const problem = given === undefined ? 'there is no such run' : 'its run is not one that was read'
  throw new XError(
    'invalid-argument',
    `cannot ${attempt}: ${problem}; give what \`await records.read(runId)\` or \`readFixture(file)\` returns`,
  )
}

/** A call outside of the program, as a record has it. */
export interface KeptCall {
  /** Place of the call in the run, such as `1.3`. */
  readonly place: string
  readonly kind: JournalKind
  /** Name of the tool or job; null for other kinds. */
  readonly name: string | null
  /** The question of the call, in parts; read when it is looked at. */
  readonly input: CallInput
  /**
   * The same without what is known: a list that begins like one of an earlier call is `{ sameAs, first, added }`, with the place of
   * that call, the number of items that are the same, and those behind them. The messages of a long chat stand in it once.
   */
  readonly shortInput: CallInput
}

/** A call with its input as it was written: what lists share is seen without reading them. */
export interface WrittenCall extends KeptCall {
  readonly written: Readonly<Record<string, unknown>>
  readonly reader: ListReader
}

/** A line with what it may refer to. */
interface PlacedLine<L> {
  readonly reader: ListReader
  readonly line: L
  readonly isMarked: boolean
}

/** Puts the long texts in a line, whose values are known now. */
const wholeLine = <L>({ reader, line, isMarked }: PlacedLine<L>): L => (isMarked ? reader.unmarked(line) : line)

type LineOf<K extends string> = Extract<RecordLine, readonly [K, ...unknown[]]>

/**
 * Reads the lines of a record. A line that is no line of a record is refused with `invalid-state` and its number; a run that
 * cannot be repeated is read, and says why in `info.problem`.
 */
export function readRun(info: KeptRunInfo, lines: Iterable<string>): KeptRun {
  const reader = new RunReader(info.runId)
  const { events, entries, calls } = reader.add(lines)
  const { waits, problem } = reader
  const kept = {
    info: { ...info, problem: info.problem ?? problem },
    waits,
    requestOf: (spanId: string) => reader.requestOf(spanId),
  }
  return { ...kept, message: firstMessage(events), events, entries, calls }
}

/** Returns the message with which the first chat of a run begins. */
export const firstMessage = (events: readonly XEvent[]): Reply | null =>
  events.find((event) => event.type === 'chatStart')?.message ?? null

/** A part of the record of a run. */
export type RunPart = Pick<KeptRun, 'events' | 'entries' | 'calls'>

/** Reads a record part by part. What a later part refers to may be in an earlier one. */
export class RunReader {
  readonly #runId: string
  readonly #readers = new Map<string, ListReader>()
  readonly #eventReaders = new Map<ListReader, EventReader>()
  /** Identifiers of the entries so far: of those with the same place, kind and name the first counts, as in a journal. */
  readonly #entries = new Set<string>()
  /** Those of the calls so far. */
  readonly #calls = new Set<string>()
  readonly #requests = new Map<string, { readonly reader: ListReader; readonly list: unknown }>()
  /** The messages of questions to models, by their places. */
  readonly #questions = new Map<string, { readonly reader: ListReader; readonly list: unknown }>()
  /** The places of the calls that asked lists first. */
  readonly #asked = new Map<KeptList, string>()
  /** Number of the next piece of each session. */
  readonly #pieces = new Map<string, number>()
  #waits: boolean | undefined
  #problem: string | null = null

  constructor(runId: string) {
    this.#runId = runId
  }

  /** Adds whole pieces of the record. One that was there before counts once; those behind one that is missing are left out. */
  add(lines: Iterable<string>): RunPart {
    const values = new Map<ListReader, (ValueLine | ListLine | MarkedValue)[]>()
    const asked: PlacedLine<LineOf<'a'>>[] = []
    const told: PlacedLine<LineOf<'e'>>[] = []
    const kept: PlacedLine<LineOf<'k' | 'm'>>[] = []
    let reader = this.#readerOf('')
    let isLeftOut = false
    for (const written of parsedLines(lines)) {
      const isMarked = written[0] === 't'
      const line = isMarked ? written[1] : written
      if (line[0] === 's') {
        isLeftOut = !this.#isNext(line)
        reader = this.#readerOf(line[1])
      } else if (isLeftOut) continue
      else if (line[0] === 'v') listIn(values, reader).push(isMarked ? ['t', line] : line)
      else if (line[0] === 'l') listIn(values, reader).push(line)
      else if (line[0] === 'a') asked.push({ reader, line, isMarked })
      else if (line[0] === 'e') told.push({ reader, line, isMarked })
      else if (line[0] === 'q') this.#requests.set(line[1], { reader, list: line[2] })
      else if (line[0] === 'f') this.#problem ??= line[1]
      else if (line[0] === 'k' || line[0] === 'm') kept.push({ reader, line, isMarked })
      else if (line[0] === 'b') {
        if (this.#waits === undefined && line[1].resumed) this.#problem ??= 'the record begins after the run had begun'
        this.#waits ??= line[1].waits
      } else this.#problem ??= `it has lines of the unknown kind \`${String((line as readonly unknown[])[0])}\``
    }
    for (const [each, known] of values) each.add(known)
    const entries: JournalEntry[] = []
    for (const each of kept) {
      const line = wholeLine(each)
      this.#addEntry(entries, line[0] === 'k' ? line[1] : answerOf(line, each.reader))
    }
    const questions = asked.map((each) => ({ ...each, line: wholeLine(each) }))
    this.#addQuestions(questions)
    const events = told.flatMap((each) => this.#eventsOf(wholeLine(each), each.reader))
    const calls = questions.filter(({ line: [, place, kind, name] }) =>
      isNew(this.#calls, callId({ place, kind, name })),
    )
    return { events, entries, calls: calls.map(({ reader: each, line }) => this.#callOf(line, each)) }
  }

  /** True if questions waited for their answers in a journal. */
  get waits(): boolean {
    return this.#waits ?? true
  }

  /** Why the run cannot be repeated; null if it can. */
  get problem(): string | null {
    return this.#problem ?? (this.#entries.size === 0 ? 'its calls were not recorded' : null)
  }

  requestOf(spanId: string): readonly ChatMessage[] | undefined {
    const request = this.#requests.get(spanId)
    return request && (request.reader.read(request.list) as readonly ChatMessage[])
  }

  #callOf([, place, kind, name, written]: LineOf<'a'>, reader: ListReader): WrittenCall {
    const read = (readPart: (value: unknown) => unknown): CallInput =>
      Object.fromEntries(Object.entries(written).map(([key, value]) => [key, readPart(value)]))
    const starts = new Map(Object.values(written).map((value) => [value, this.#startOf(reader.resolve(value))]))
    for (const value of Object.values(written)) {
      const list = reader.resolve(value)
      if (list instanceof KeptList && !this.#asked.has(list)) this.#asked.set(list, place)
    }
    return {
      place,
      kind,
      name,
      written,
      reader,
      get input() {
        return read((value) => reader.read(value))
      },
      get shortInput() {
        return read((value) => {
          const start = starts.get(value)
          if (!start) return reader.read(value)
          return { ...start, added: reader.itemsFrom(reader.resolve(value) as KeptList, start.first) }
        })
      },
    }
  }

  #addQuestions(asked: readonly PlacedLine<LineOf<'a'>>[]): void {
    for (const { reader, line } of asked) {
      const [, place, kind, , { messages: list }] = line
      if (kind !== 'model' || list === undefined || this.#questions.has(place)) continue
      this.#questions.set(place, { reader, list })
    }
  }

  /** Reads events. Attempts that have not said what they sent have sent the messages of their call. */
  #eventsOf([, written]: LineOf<'e'>, reader: ListReader): readonly XEvent[] {
    const events = this.#eventReaders.get(reader) ?? new EventReader()
    this.#eventReaders.set(reader, events)
    return written.map((each) => {
      const event = wholeEvent(this.#runId, events.read(each), reader)
      if (event.type !== 'modelAttemptStart' || this.#requests.has(event.id)) return event
      const question = this.#questions.get(callPlaceOf(event.id))
      if (question) this.#requests.set(event.id, question)
      return event
    })
  }

  /** Finds the call that asked the beginning of a list before. */
  #startOf(list: unknown): { readonly sameAs: string; readonly first: number } | null {
    if (!(list instanceof KeptList)) return null
    let first = list.length
    for (let each: KeptList | null = list; each; each = each.base) {
      const sameAs = this.#asked.get(each)
      if (sameAs !== undefined) return first > 0 ? { sameAs, first } : null
      first = Math.min(first, each.keep)
    }
    return null
  }

  #readerOf(session: string): ListReader {
    const known = this.#readers.get(session) ?? new ListReader()
    this.#readers.set(session, known)
    return known
  }

  /** Returns whether a piece is the next one of its session. Those behind a missing one may refer to what was in it. */
  #isNext([, session, number]: LineOf<'s'>): boolean {
    const next = this.#pieces.get(session) ?? 0
    if (number > next) this.#problem ??= 'a part of the record is missing'
    if (number !== next) return false
    this.#pieces.set(session, number + 1)
    return true
  }

  #addEntry(entries: JournalEntry[], entry: JournalEntry): void {
    if (isNew(this.#entries, callId(entry))) entries.push(entry)
  }
}

/** Adds an identifier to those that are known; false if it was among them. */
const isNew = (known: Set<string>, id: string): boolean => known.size < known.add(id).size

/** Makes the entry of a model's answer. */
function answerOf([, place, reply, actual, total = actual]: LineOf<'m'>, reader: ListReader): JournalEntry {
  return { place, kind: 'model', value: { reply: structuredClone(reader.read(reply)), usage: { actual, total } } }
}

function* parsedLines(lines: Iterable<string>): Generator<RecordLine | MarkedLine> {
  let number = 0
  for (const text of lines) {
    number++
    if (text === '') continue
    let line: unknown
    try {
      line = JSON.parse(text)
    } catch (cause) {
      throw damagedLine(number, cause)
    }
    if (!Array.isArray(line) || !hasShape(line)) throw damagedLine(number)
    yield line as unknown as RecordLine | MarkedLine
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => Number.isInteger(value)
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isNumber)
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)

/** The kinds of the parts behind the kind of a line. */
const SHAPES: Readonly<Record<string, readonly ((value: unknown) => boolean)[]>> = {
  s: [isText, isNumber],
  v: [isNumber, (value) => value !== undefined, (content) => content === undefined || isNumber(content)],
  l: [
    isNumber,
    (base) => base === null || isNumber(base),
    isNumber,
    (all) => Array.isArray(all) && all.every((each) => isNumber(each) || isPair(each)),
  ],
  a: [isText, isText, isTextOrNull, isObject],
  m: [isText, (reply) => reply !== undefined, (actual) => actual === null || isObject(actual)],
  e: [(events) => Array.isArray(events) && events.every(isWrittenEvent)],
  q: [isText, isObject],
  f: [isText],
  t: [(line) => Array.isArray(line) && line[0] !== 't' && hasShape(line)],
  k: [(entry) => isObject(entry) && isText((entry as { place?: unknown }).place)],
  b: [isObject],
}

function isWrittenEvent(event: unknown): boolean {
  if (!Array.isArray(event)) return isObject(event) && isText((event as { type?: unknown }).type)
  const [number, elapsed, changes] = event as readonly unknown[]
  return isNumber(number) && typeof elapsed === 'number' && isObject(changes)
}

function hasShape([name, ...fields]: readonly unknown[]): boolean {
  if (typeof name !== 'string') return false
  const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name]! : []
  return shape.every((isRight, index) => isRight(fields[index]))
}

const damagedLine = (number: number, cause?: unknown): XError =>
  new XError('invalid-state', `the record of a run is damaged: line ${number} is no line of a record`, {
    cause,
    details: { line: number },
  })

/** Returns the list of a key; an empty one is added where there is none. */
export function listIn<K, T>(lists: Map<K, T[]>, key: K): T[] {
  const known = lists.get(key)
  if (known) return known
  const made: T[] = []
  lists.set(key, made)
  return made
}

/** Identifies a call or its entry. */
export const callId = ({
  place,
  kind,
  name,
}: {
  place: string
  kind: JournalKind
  name?: string | null | undefined
}): string => JSON.stringify([place, kind, name ?? null])

/** Puts the messages of an event in the place of their references, and adds the id of its run. */
function wholeEvent(runId: string, event: XEvent, reader: ListReader): XEvent {
  const whole: Record<string, unknown> = { ...event, runId: event.runId === undefined ? runId : event.runId }
  for (const field of MESSAGE_FIELDS) {
    if (typeof whole[field] === 'object' && whole[field] !== null) whole[field] = reader.read(whole[field])
  }
  return whole as unknown as XEvent
}

/**
 * Returns the paths of agents by the ids of the spans of a run, which are also the places of calls; a question to a model of which
 * only the attempts are recorded has the path of those.
 */
export function agentPaths(events: readonly XEvent[]): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>()
  for (const event of events) {
    if (!('id' in event) || !event.agentPath) continue
    paths.set(event.id, event.agentPath)
    if (event.type === 'modelAttemptStart') paths.set(callPlaceOf(event.id), event.agentPath)
  }
  return paths
}

/** Returns the answers that a fork has from its parent: it has not made these calls. */
export function recalledEntries({ info: { parent }, calls, entries }: KeptRun): readonly JournalEntry[] {
  if (!parent) return []
  if (parent.place !== null) return forkedEntries(entries, parent.place, { runId: '' })
  // Behind the end of its parent, calls are told by what is inside of them, and was not asked again.
  const asked = new Set(calls.map(({ place }) => place))
  const untold = entries.filter(({ kind, place }) => kind !== 'begin' && !asked.has(place))
  const around = new Set(untold.flatMap(({ place }) => placesAround(place)))
  return entries.filter(({ place }) => around.has(place))
}

/** True for a request for vectors, a count of tokens, or a step of a batch; no tool has a space in its name. */
export const isRequest = (call: KeptCall | JournalEntry): boolean =>
  call.kind === 'tool' &&
  (call.name?.startsWith('batch ') || ('written' in call && 'settings' in (call as WrittenCall).written))

/** The state of agents at the beginning of a chat or group, as journals keep it. */
export interface Beginning {
  readonly options: unknown
  readonly names: readonly string[]
  /** Those of the agent that begins, and of the other. */
  readonly conversations: readonly {
    readonly messages: readonly unknown[]
    readonly humanInput: readonly string[]
    /** Number of messages that the program gives. */
    readonly given?: number | undefined
  }[]
}

/** True for a chat of agents that have said nothing to each other before: the program can begin it by itself. */
export function isFreshBeginning({ kind, value }: JournalEntry): boolean {
  if (kind !== 'begin' || typeof value !== 'object' || value === null || !('conversations' in value)) return false
  const { options, conversations } = value as Beginning
  const isNewGroup = !Array.isArray(options) || options.length === 0
  return isNewGroup && conversations.every(({ messages, humanInput }) => messages.length + humanInput.length === 0)
}
