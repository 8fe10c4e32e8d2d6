import type {
  CallInput,
  ChatMessage,
  ExternalCall,
  Journal,
  JournalEntry,
  JournalKind,
  RunCalls,
  RunTrace,
  RunTracer,
  XEvent,
} from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { escapedEntry, RUN_PLACE, unescapeTexts } from '@x/kernel/run'
import {
  type ChatEnd,
  comparedAnswer,
  COMPARED_TYPES,
  eventId,
  fieldsOf,
  isBetween,
  noteMessage,
  placeOf,
  senderIn,
  type ToldMessage,
  withoutSides,
} from './compared-events.ts'
import { type MayDiffer, describeDifference, firstDifference, type RunDifference, viewAsIn } from './difference.ts'
import {
  agentPaths,
  type Beginning,
  callId,
  isFreshBeginning,
  isRequest,
  type KeptCall,
  type KeptRun,
  listIn,
  recalledEntries,
  type WrittenCall,
} from './kept-run.ts'
import { KeptList } from './list-reader.ts'
import { keptOf } from './kept-values.ts'
import { sharedBeginning } from './list-writer.ts'
import { RunTexts } from './normalize.ts'
import { performedJob } from './run-summary.ts'
import { errorOf, type KnownError, placesAround, stoppedPlaces, ToldFailures } from './replay-errors.ts'

/** The rules of a replay: parts that may differ, and calls that are really made. */
export interface ReplayRules {
  readonly mayDiffer: MayDiffer
  /** Kinds of calls that are made again; their answers are compared. */
  readonly made: ReadonlySet<JournalKind>
  readonly now: () => number
  /** Identifiers of the record, with those that an earlier run of the program had in their place; default: none. */
  readonly constants?: ReadonlyMap<string, string> | undefined
}

const TAKEN_TYPES: ReadonlySet<XEvent['type']> = new Set([...COMPARED_TYPES, 'replyStart', 'replyEnd'])

/** Most lists that were found equal and are remembered: a later list mostly begins with one of them. */
const MAX_EQUAL_LISTS = 64

/**
 * The journal and the trace of a program that runs again: it answers each call from a record, compares what the call asks with
 * what it asked then, and ends the run at the first difference.
 */
export class ReplayJournal implements Journal, RunTracer {
  readonly waits: boolean
  /** The first difference; null while there is none. */
  difference: RunDifference | null = null
  readonly #run: KeptRun
  readonly #rules: ReplayRules
  /** Compares texts, and remembers the identifiers that differ. */
  readonly texts: RunTexts
  readonly #entries = new Map<string, JournalEntry[]>()
  readonly #jobs = new Map<string, JournalEntry>()
  readonly #answers = new Map<string, JournalEntry>()
  readonly #calls = new Map<string, WrittenCall>()
  readonly #asked = new Set<string>()
  /** The recorded calls that were not asked again, by their ids, in their order. */
  readonly #missing: Map<string, WrittenCall>
  /** The chats with missing calls, by their places: how many there are, and the index of the event that began the chat. */
  readonly #open = new Map<string, { readonly began: number; missing: number }>()
  readonly #failures: ToldFailures
  /** Requests for vectors, counts of tokens and batches: a model is asked, although they have the kind of a tool. */
  readonly #requests: ReadonlySet<string>
  /** Calls that a fork has not made, since its parent had: whatever may be made, they are answered from the record. */
  readonly #recalled: ReadonlySet<string>
  readonly #events = new Map<string, XEvent>()
  readonly #told = new Set<string>()
  /** The messages that events told, by chat and sender: in the record, and now. A console is told none of a silent sender. */
  readonly #messages = { recorded: new Map<string, ToldMessage[]>(), now: new Map<string, ToldMessage[]>() }
  /** Places of calls that are answered from the record, or had no answer and are not made again, with all that they asked inside. */
  readonly #whole = new Set<string>()
  readonly #paths: ReadonlyMap<string, readonly string[]>
  /** The replies that are made now, by their ids. */
  readonly #replying = new Map<string, XEvent>()
  #equal: { readonly list: KeptList; readonly items: unknown[] }[] = []
  /** True if the run of the record was stopped, or its process ended before it. */
  readonly #isBrokenOff: boolean
  /** True if the run of the record waited for a decision when it ended. */
  readonly #isSuspended: boolean
  /** Places of chats that were stopped because something beside them failed. */
  readonly #cut: readonly string[]
  /** True once the program has ended. */
  #isOver = false
  /** True once the program has begun its run. */
  hasBegun = false
  /** True once the program has come to the end of a record that was broken off. */
  #isAtEnd = false

  constructor(run: KeptRun, rules: ReplayRules) {
    this.#run = run
    // The jobs of a search are answered and compared one by one, not the search as a whole.
    this.#rules = { ...rules, made: new Set<JournalKind>([...rules.made, 'search']) }
    this.waits = run.waits
    this.#isSuspended = run.info.outcome === 'suspended'
    const began = rules.now()
    this.texts = new RunTexts(
      { from: run.info.began, to: run.info.last },
      () => ({ from: began, to: rules.now() }),
      rules.constants,
    )
    this.#requests = new Set([...run.calls, ...run.entries].filter(isRequest).map(callId))
    this.#recalled = new Set(recalledEntries(run).map(callId))
    for (const entry of run.entries) {
      const id = callId(entry)
      this.#answers.set(id, entry)
      if (entry.place !== RUN_PLACE && (this.#isMade(entry) || isFreshBeginning(entry))) continue
      if (isWhole(entry)) this.#whole.add(entry.place)
      const escaped = escapedEntry(entry)
      listIn(this.#entries, entry.place).push(escaped)
      if (entry.kind === 'job') this.#jobs.set(id, escaped)
    }
    const jobs = new Set(run.entries.flatMap(({ kind, name }) => (kind === 'job' ? [name] : [])))
    for (const call of run.calls) {
      // A part that performed a job is not asked again: the record answers the job.
      if (call.kind === 'part' && jobs.has(performedJob(call.input) ?? '')) this.#asked.add(callId(call))
      if (!this.#calls.has(callId(call)) && !isOfGiven(call)) this.#calls.set(callId(call), call as WrittenCall)
      if (this.#isLeftOpen(call) && !this.#isMade(call)) this.#whole.add(call.place)
    }
    this.#missing = new Map(
      [...this.#calls].filter(([id, { place }]) => !this.#asked.has(id) && !this.#isInside(place)),
    )
    this.#failures = new ToldFailures(run.events)
    const around = Array.from(this.#missing.values(), ({ place }) => placesAround(place)).flat()
    const missing = Map.groupBy(around, (place) => place)
    for (const [chat, began] of this.#failures.chats) {
      if (missing.has(chat)) this.#open.set(chat, { began, missing: missing.get(chat)!.length })
    }
    for (const event of run.events) {
      const id = eventId(event)
      if (id !== null) this.#events.set(id, event)
      if (event.type === 'receivedMessage') noteMessage(this.#messages.recorded, event)
    }
    this.#paths = agentPaths(run.events)
    this.#isBrokenOff = isBrokenOff(run)
    this.#cut = this.#isBrokenOff ? [] : stoppedPlaces(run.events)
  }

  enter(): () => void {
    this.#stopIfOver()
    if (this.hasBegun) {
      throw new XError(
        'invalid-argument',
        'the program has begun a second run with the options of a replay: replay each run by itself',
      )
    }
    this.hasBegun = true
    return () => {}
  }

  recall(place: string): readonly JournalEntry[] {
    this.#stopIfOver()
    return this.#entries.get(place) ?? []
  }

  recallJob(place: string, name: string): JournalEntry | undefined {
    this.#stopIfOver()
    return this.#jobs.get(callId({ place, kind: 'job', name }))
  }

  /** Nothing is past: all events are told, to be compared. */
  lastPlace(): number {
    return -1
  }

  beforeCall({ place, kind, name, label }: Parameters<NonNullable<Journal['beforeCall']>>[0]): Held {
    this.#stopIfOver()
    const id = callId({ place, kind, name })
    const call = this.#calls.get(id)
    // A search verifies its recorded answers again.
    if (this.#isMade({ place, kind, name }) || (kind === 'job' && this.#answers.has(id))) return undefined
    const error = call ? this.#failures.errorAt({ place, name }) : null
    // An agent with a history chooses what the model is sent, which is compared, and asks again.
    if (error && !this.#asked.has(id) && this.#isChosenOffline(call!)) return undefined
    if (error) {
      this.#noteAsked(id)
      return this.#fail(place, error)
    }
    if (call && this.#isSuspended && this.#isLeftOpen(call))
      return { failure: new XError('suspended', `${label} waited for a decision when the record ended`) }
    // Nothing tells how a request has failed that a program caught.
    if (call && (kind === 'model' || this.#requests.has(id)) && !this.#isSuspended && !this.#isCut(place)) {
      this.#noteAsked(id)
      return { failure: new XError('model-failed', `${label} failed as in the record, which does not say how`) }
    }
    const mayBeLate = this.#isCut(place) || this.#isSearchJob(place, kind)
    if (!mayBeLate || this.#hasComeToCut()) return this.#refuse(place, kind, label)
    return this.#goOnBeside(() => this.#hasComeToCut()).then(() => this.#refuse(place, kind, label))
  }

  /** True for a function of the program that had no answer: it failed, or was under way when the run ended. */
  #isLeftOpen(call: AskedCall): boolean {
    return FUNCTION_KINDS.has(call.kind) && !this.#answers.has(callId(call))
  }

  /** True for a call that is really made; without an answer only one that waited for a decision, as it does again. */
  #isMade(call: AskedCall): boolean {
    const { kind } = call
    // What a search asks are its jobs: they are answered and compared one by one, however it ended.
    if (kind === 'search') return true
    if (!this.#rules.made.has(kind) || this.#requests.has(callId(call)) || this.#recalled.has(callId(call)))
      return false
    return this.#answers.has(callId(call)) || (this.#isSuspended && this.#calls.has(callId(call)))
  }

  /** True for a job of a search, which ends at the first answer that is accepted, whatever jobs it has under way. */
  #isSearchJob(place: string, kind: JournalKind): boolean {
    return kind === 'job' && this.#answers.has(callId({ place, kind: 'search' }))
  }

  /** True if the program has done all that a run did that was broken off. */
  #hasComeToCut(): boolean {
    return this.#isBrokenOff && this.#missing.size === 0
  }

  /** Fails a call as in the record: behind what went on beside it then, and after all of that if it was stopped itself. */
  #fail(place: string, { error, told }: KnownError): Held {
    const failure = errorOf(error)
    const isStopped = !this.#isBrokenOff && this.#isCut(place)
    const isReached = (): boolean => !isStopped && !this.#isLeftBeside(place, told)
    return isReached() ? { failure } : this.#goOnBeside(isReached).then(() => ({ failure }))
  }

  /** True if a call is missing in what had begun beside a place before an event: a chat, or a job of the same search. */
  #isLeftBeside(place: string, told: number): boolean {
    for (const [chat, { began }] of this.#open) {
      if (began >= told) break
      if (!place.startsWith(`${chat}.`)) return true
    }
    for (const name of this.#failures.jobsBefore(told, place))
      if (this.#missing.has(callId({ place, kind: 'job', name }))) return true
    return false
  }

  #refuse(place: string, kind: JournalKind, label: string): void {
    if (this.#hasComeToCut()) this.#isAtEnd = true
    // Whatever may differ: nobody is asked what the record cannot answer.
    else this.#end({ place, path: kind, recorded: undefined, now: label })
    this.#stopIfOver()
  }

  /**
   * True inside what was stopped because something beside it failed, or the run was stopped: how far it came is a matter of
   * time.
   */
  #isCut(place: string): boolean {
    return this.#isBrokenOff || this.#cut.some((around) => place === around || place.startsWith(`${around}.`))
  }

  /** Lets go on what runs beside a call, until `isReached`, or nothing has gone on for a while. */
  async #goOnBeside(isReached: () => boolean): Promise<void> {
    for (let idle = 0; idle < MAX_IDLE_TURNS && !isReached() && !this.#isOver;) {
      const { size } = this.#asked
      await nextTurn()
      idle = size === this.#asked.size ? idle + 1 : 0
    }
    // The run has ended meanwhile, and nobody waits for the call.
    if (this.#isOver) await new Promise(() => {})
  }

  /** True if a history chooses the messages of a call, and asks no model for a summary. */
  #isChosenOffline({ place, written, reader }: WrittenCall): boolean {
    const view = reader.read(written['view']) as { readonly summarizes?: unknown } | null | undefined
    if (!view) return false
    return view.summarizes !== true || this.#answers.has(callId({ place, kind: 'job', name: 'history' }))
  }

  keep(entry: JournalEntry): void {
    this.#stopIfOver()
    const { place, kind } = entry
    const known = this.#answers.get(callId(entry))
    const value = unescapeTexts(entry.value)
    if (known && kind === 'begin') this.#compare(place, kind, courseOf(known.value), courseOf(value))
    else if (known)
      this.#compare(place, `${kind}.answer`, comparedAnswer(kind, known.value), comparedAnswer(kind, value))
    else if (!this.#isBrokenOff) this.#differ({ place, path: kind, recorded: undefined, now: value })
    this.#stopIfOver()
  }

  begin(): RunTrace {
    const calls: RunCalls = {
      begin: () => {},
      takeInput: (call, input) => this.#takeCall(call, input),
      takeEntry: () => {},
      fail: () => {},
    }
    return {
      takes: TAKEN_TYPES,
      propagates: false,
      take: (event) => this.#takeEvent(event),
      contextOf: () => undefined,
      calls,
    }
  }

  /** Ends the comparison after the program has ended: what it did not ask or tell is a difference too. */
  endComparison(error: unknown): void {
    this.#isOver = true
    this.#noteOtherCall(error)
    if (this.difference || this.#isAtEnd) return
    const [call] = this.#missing.values()
    if (call) this.#differ({ place: call.place, path: call.kind, recorded: call.input, now: undefined })
    if (this.#isBrokenOff) return
    for (const [id, event] of this.#events) {
      if (event.type === 'receivedMessage' && !this.#messages.now.has(senderIn(event))) continue
      if (!this.#told.has(id) && !this.#isInside(placeOf(event)) && !this.#isCut(placeOf(event)))
        this.#differ({ ...whereOf(event), path: event.type, recorded: fieldsOf(event), now: undefined })
    }
  }

  /** A journal that has another call, or other beginnings, at a place ends the run: that is the cause of the end of its chats. */
  #noteOtherCall(error: unknown): void {
    if (!isXError(error, 'invalid-state') || !error.details || !('saved' in error.details)) return
    if (this.difference?.path.startsWith('chatEnd.')) this.difference = null
    const { place, saved, given, asked } = error.details
    const path = asked === undefined ? 'begin' : 'call'
    this.#compare(String(place), path, saved, asked ?? given)
  }

  #noteAsked(id: string): void {
    this.#asked.add(id)
    const call = this.#missing.get(id)
    if (!call) return
    this.#missing.delete(id)
    for (const chat of placesAround(call.place)) {
      const open = this.#open.get(chat)
      if (open && --open.missing === 0) this.#open.delete(chat)
    }
  }

  /** True if a place is inside a call whose answer is that of the record: what it did then is not done again. */
  #isInside(place: string): boolean {
    return isWithin(this.#whole, place)
  }

  #takeCall(call: ExternalCall & { readonly place: string }, input: CallInput): void {
    if (this.difference) return
    const { place, kind } = call
    const id = callId(call)
    if (kind === 'begin' && 'messages' in input) {
      this.#compareGiven(place, input['messages'])
      return
    }
    const recorded = this.#calls.get(id) ?? this.#otherPart(call)
    this.#noteAsked(id)
    if (!recorded) {
      // Earlier releases did not tell what a request for vectors, or a wait for a time, asks.
      if (this.#answers.has(id) || (kind === 'timer' && !this.#run.calls.some((each) => each.kind === kind))) return
      // Before such a call is made, what runs beside it goes on.
      if ((this.#isCut(place) || this.#isSearchJob(place, kind)) && !this.#hasComeToCut()) return
      if (this.#isBrokenOff) this.#isAtEnd = true
      else this.#differ({ place, path: kind, recorded: undefined, now: input })
      return
    }
    const { written, reader } = recorded
    for (const key of new Set([...Object.keys(written), ...Object.keys(input)])) {
      // Earlier releases did not tell the options of searches.
      if (kind === 'job' && key === 'options' && !(key in written)) continue
      const one = reader.resolve(written[key])
      const other = key === 'view' ? viewAsIn(one, input[key]) : input[key]
      if (one instanceof KeptList && Array.isArray(other)) this.#compareLists(recorded, `${kind}.${key}`, one, other)
      else this.#compare(place, `${kind}.${key}`, one instanceof KeptList ? reader.items(one) : one, other)
    }
  }

  /** Compares the messages that the program gives a chat to begin with; those of the record take their place. */
  #compareGiven(place: string, messages: unknown): void {
    const value = this.#answers.get(callId({ place, kind: 'begin' }))?.value as Beginning | undefined
    // Those of a group stand in its options. Of some the record has only the number: they are compared where a model is sent them.
    const recorded = Array.isArray(value?.options) ? { messages: value.options } : value?.conversations[1]
    if (recorded && !('given' in recorded)) this.#compare(place, 'begin.messages', recorded.messages, messages)
  }

  /** Returns a recorded part of the same program that was not asked again, for one that the record does not have: its input differs. */
  #otherPart({ kind, name = '' }: ExternalCall): WrittenCall | undefined {
    if (kind !== 'part') return undefined
    const program = name.slice(0, name.indexOf(' ') + 1)
    return [...this.#missing.values()].find((each) => each.kind === kind && each.name?.startsWith(program))
  }

  /** Compares a list with a recorded one; what it shares with one that was found equal is not compared again. */
  #compareLists({ place, reader }: WrittenCall, path: string, recorded: KeptList, now: readonly unknown[]): void {
    const known = this.#equal.find(({ list }) => list === recorded.base)
    const same = known ? sharedBeginning(known.items, now, recorded.keep) : 0
    const isShort = known !== undefined && same === recorded.keep
    const start = isShort ? same : 0
    const items = isShort ? recorded.added : reader.items(recorded)
    const length = Math.max(start + items.length, now.length)
    for (let index = start; index < length && !this.difference; index++) {
      this.#compare(place, `${path}.${index}`, items[index - start], now[index])
    }
    if (this.difference) return
    const kept = known?.items ?? []
    kept.length = same
    for (let index = same; index < now.length; index++) kept.push(keptOf(now[index]))
    this.#equal = [{ list: recorded, items: kept }, ...this.#equal.filter((each) => each !== known)]
    if (this.#equal.length > MAX_EQUAL_LISTS) this.#equal.pop()
  }

  #takeEvent(event: XEvent): void {
    if (event.type === 'replyStart') this.#replying.set(event.id, event)
    if (event.type === 'replyEnd') this.#replying.delete(event.id)
    const id = eventId(event)
    if (this.difference || this.#isAtEnd || id === null) return
    this.#told.add(id)
    if (event.type === 'receivedMessage') {
      noteMessage(this.#messages.now, event)
      if (!this.#messages.recorded.has(senderIn(event))) return
    }
    const recorded = this.#events.get(id) ?? this.#otherMessage(event)
    if (!this.#isBrokenOff && this.#isCut(placeOf(event)) && event.type !== 'chatStart') return
    if (!recorded) {
      // A fork tells nothing again that its parent has told before the place; the calls there are compared.
      if (!this.#isBrokenOff && this.#run.info.parent === null)
        this.#differ({ ...whereOf(event), path: event.type, recorded: undefined, now: fieldsOf(event) })
      return
    }
    if (event.type === 'chatEnd' && recorded.type === 'chatEnd') this.#compareEnds(recorded, event)
    else this.#compare(whereOf(event), event.type, fieldsOf(recorded), asRead(fieldsOf(event)))
  }

  /** Returns the recorded message at the place of one that the record does not have: its sender differs. A fork has not all of them. */
  #otherMessage(event: XEvent): XEvent | undefined {
    if (event.type !== 'receivedMessage' || this.#run.info.parent !== null) return undefined
    const { chatId, recipient, index } = event
    const isThere = (each: ToldMessage): boolean =>
      each.chatId === chatId && each.recipient === recipient && each.index === index
    return [...this.#messages.recorded.values()].flat().find((each) => isThere(each) && !this.#told.has(eventId(each)!))
  }

  /** Compares the ends of a chat. Its messages stand in one of them, and in the events of the other, if the faces of the runs differ. */
  #compareEnds(recorded: ChatEnd, now: ChatEnd): void {
    // Nobody stops it today.
    if (this.#isBrokenOff && recorded.outcome === 'aborted') return
    const isOneSided = (recorded.messages === null) !== (now.messages === null)
    // A call of its own that the budget refused fails again; one inside an answer of the record is not made.
    const isRefusedInside = recorded.terminationReason === 'budget' && now.terminationReason !== 'budget'
    const shown = { ...(isOneSided && { messages: null }), ...(isRefusedInside && { terminationReason: null }) }
    this.#compare(now.id, now.type, { ...fieldsOf(recorded), ...shown }, { ...fieldsOf(now), ...shown })
    if (recorded.outcome === now.outcome && recorded.terminationReason === now.terminationReason)
      this.#blameMissing(now)
    if (!isOneSided) return
    const [kept, without] = now.messages
      ? ([now.messages, 'recorded'] as const)
      : ([recorded.messages!, 'now'] as const)
    const told = this.#toldIn(now, without)
    // Where events of both have told some of them, those are compared one by one.
    if (told.length === 0 || this.#toldIn(now, without === 'now' ? 'recorded' : 'now').length > 0) return
    const sides = [told, kept.slice(-told.length)].map((messages) => messages.map(withoutSides))
    if (without === 'now') sides.reverse()
    this.#compare(now.id, `${now.type}.messages`, ...(sides as [object, object]))
  }

  /** Where a chat ends otherwise because a call was not made, that call is the difference: a summary does not tell it. */
  #blameMissing({ chatId }: ChatEnd): void {
    const missing = this.difference && [...this.#missing.values()].find(({ place }) => place.startsWith(`${chatId}.`))
    if (!missing || this.#rules.mayDiffer(missing.kind)) return
    this.difference = null
    this.#end({ place: missing.place, path: missing.kind, recorded: missing.input, now: undefined })
  }

  /** The messages of a chat that events told, in their order. */
  #toldIn(chat: ChatEnd, side: 'recorded' | 'now'): readonly ChatMessage[] {
    const told = [...new Set([chat.agent, chat.recipient])]
      .flatMap((sender) => this.#messages[side].get(senderIn({ chatId: chat.chatId, sender })) ?? [])
      .filter((message) => isBetween(message, chat))
    return told.toSorted((one, other) => one.seq - other.seq).map(({ message }) => message)
  }

  #compare(where: string | Where, path: string, recorded: unknown, now: unknown): void {
    if (this.difference) return
    const found = firstDifference(recorded, asRead(now), { path, texts: this.texts, mayDiffer: this.#rules.mayDiffer })
    if (found) this.#differ({ ...(typeof where === 'string' ? { place: where } : where), ...found })
  }

  #differ(difference: PlacedDifference): void {
    if (!this.#rules.mayDiffer(difference.path)) this.#end(difference)
  }

  #end(difference: PlacedDifference): void {
    const { place } = difference
    // What the record does not have belongs to the innermost reply that is made now.
    const replies = [...this.#replying.values()]
    const around = placesAround(place).map((chat) => replies.findLast(({ chatId }) => chatId === chat))
    const agentPath = this.#paths.get(place) ?? around.find((reply) => reply)?.agentPath ?? []
    this.difference ??= { agentPath, ...difference }
  }

  /** The journal of a run ends it, whatever the program catches. */
  #stopIfOver(): void {
    const { difference } = this
    if (difference) throw new XError('run-differs', describeDifference(difference), { details: { ...difference } })
    if (this.#isAtEnd) throw new XError('aborted', 'the program has come to the end of a record that was broken off')
  }
}

/** A place, and the agents that lead there, if they are known. */
type Where = Pick<RunDifference, 'place'> & { readonly agentPath?: RunDifference['agentPath'] }

type PlacedDifference = Where & Omit<RunDifference, 'agentPath'>

const whereOf = (event: XEvent): Where => ({ place: placeOf(event), agentPath: event.agentPath ?? [] })

/** The answer of a journal before a call is made. */
type Held = ReturnType<NonNullable<Journal['beforeCall']>>

/** Turns of the event loop in which nothing goes on, after which what is awaited does not come. */
const MAX_IDLE_TURNS = 100

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))

/** True for a run that was stopped, or had no end; chats are also stopped by a chat beside them that fails. */
const isBrokenOff = ({ info: { outcome }, events }: KeptRun): boolean =>
  outcome === null ||
  (outcome === 'aborted' && !events.some((event) => event.type === 'chatEnd' && event.outcome === 'error'))

/** A value as it would be read from a record. */
function asRead(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const json = JSON.stringify(value)
  return json === undefined ? undefined : (JSON.parse(json) as unknown)
}

/** Kinds of entries beside which their place has calls of its own, or none. */
const OPEN_KINDS: ReadonlySet<JournalKind> = new Set<JournalKind>(['begin', 'question', 'decision', 'wait', 'job'])

/** True if a place is inside one of some others. */
const isWithin = (places: ReadonlySet<string>, place: string): boolean =>
  placesAround(place).some((around) => places.has(around))

/** Identifies a call. */
type AskedCall = Parameters<typeof callId>[0]

/** Kinds of functions of the program. */
const FUNCTION_KINDS: ReadonlySet<JournalKind> = new Set<JournalKind>([
  'tool',
  'reply',
  'hook',
  'vetting',
  'message',
  'summary',
  'carryover',
  'speaker',
  'handoff',
])

/** True for the answer of a call as a whole. Hooks that answered at once stand at the place of another call. */
const isWhole = ({ kind, value }: JournalEntry): boolean =>
  kind === 'hook' ? (value as { readonly asked?: boolean } | null)?.asked === true : !OPEN_KINDS.has(kind)

/** True for what a resumed run told of the messages that it was given; the entry of the beginning has them. */
const isOfGiven = (call: KeptCall): boolean => call.kind === 'begin' && 'messages' in call.input

/** The part of a beginning that determines the course of the chat. */
const courseOf = (value: unknown): Pick<Beginning, 'options' | 'names'> => {
  const { options, names } = value as Beginning
  return { options, names }
}
