import type { ChatJournal } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import type {
  ApprovalDecision,
  ChatOutcome,
  ClaimedChat,
  HostBackend,
  HostedChat,
  JournalEntry,
  PendingApproval,
  Run,
  RunTracer,
  XEvent,
} from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { damagedChat } from '@x/kernel/hosting'
import { partRun } from '@x/kernel/run'
import type { DefinedChat, SubmitOptions } from '../defined-chat.ts'
import type { HostOptions } from '../host-options.ts'
import { plainJson } from '../plain-json.ts'
import { submissionOf, submitOnce } from '../submission.ts'
import { platformRandom, platformTicks } from '../platform.ts'
import type { ChatWatcher } from './chat-watcher.ts'
import { Activity } from './activity.ts'
import { cannotWait, chatRunOf, type GivenProgram, type RecordedRun } from './chat-run.ts'
import { ChatWriter } from './chat-writer.ts'
import { deadlinesOf, passedDeadlines, questionsIn } from './deadlines.ts'
import { type Awaited, type LaterMessages, Messages } from './messages.ts'
import { callsOf, endParts, Parts } from './parts.ts'
import {
  failedBy,
  isOfAnotherProgram,
  isOfNewerRelease,
  loadJournal,
  messageOf,
  type ProgramInput,
  readInput,
} from './program-start.ts'
import { retryOf, waitsOutInTool, type Retry } from './retry.ts'
import { earlierEvents, isTraceEntry, traceOf, TurnEvents } from './turn-events.ts'
import { lastStep, newStopReason, type ProgramEnd, type TurnStop } from './turn-stop.ts'

/** Is told of the end and the questions of a chat before the store is. */
export interface TurnTeller {
  ended(chat: HostedChat): Promise<void>
  asked(chat: HostedChat, questions: readonly PendingApproval[]): Promise<void>
}

/** Number of messages after which a program starts again from its journal, so that its memory does not grow for ever. */
const MAX_RESTS = 100
/** Characters of entries after which it does so too: it holds them all, and starts again with those behind a checkpoint. */
const MAX_HELD_LENGTH = 1_000_000

/** Options of a turn. */
interface TurnOptions {
  /** Options for its events. */
  readonly events: HostOptions['events']
  /** Called with every event, also with those that are not kept. */
  readonly onEvent: (event: XEvent) => void
  /** Called with the identifier of the chat when it waits for a part in {@link Turn.nestedParts}. */
  readonly onNestedPart: (id: string) => void
  /** Waits for the parts of the chat. */
  readonly watcher: ChatWatcher
  /** Follows the run as a trace. */
  readonly tracer: RunTracer | undefined
  /** Tells addresses of the end and the questions of the chat. */
  readonly webhooks: TurnTeller | undefined
}

/** The end of a turn. */
export interface TurnEnd {
  /** The state in which the chat ended, or why the worker left it; `retry`: its program failed in a way that passes. */
  readonly how: ChatOutcome['state'] | 'suspended' | 'released' | 'retry' | 'refused' | 'lost'
  /** The chat if another turn is to follow, here or on another worker, now or after a delay; else null. */
  readonly next: HostedChat | null
  /** Reason for which the program was refused. */
  readonly reason?: string | undefined
}

/** One worker's run of a chat that it has claimed: from the end of the journal until the chat ends, waits or is released. */
export class Turn {
  readonly definition: DefinedChat
  readonly #backend: HostBackend
  #chat: ClaimedChat
  #writer: ChatWriter
  #parts: Parts
  readonly #options: TurnOptions
  readonly #controller = new AbortController()
  /** Time of the claim by the clock of this process, in milliseconds. */
  #claimedAt = platformTicks()
  /** The program under way. */
  #program: Promise<ProgramEnd> | undefined
  /** Resolves when the program can only wait, and stays in memory. */
  #rest = Promise.withResolvers<ProgramEnd>()
  /** The chat as the store has suspended it, while its program stays in memory; null while that runs. */
  #resting: HostedChat | null = null
  /** True once the program waits for a message and does nothing else. */
  #isAtRest = false
  #restsLeft = MAX_RESTS
  /** Characters of the entries that the program has added, as far as it has waited in memory since. */
  #heldLength = 0
  /** The entries behind those: most programs never wait, and need not be measured. */
  readonly #unmeasured: JournalEntry[] = []
  #isDropped = false
  /** The journal and messages of the program; null before it runs. */
  #journal: ChatJournal | null = null
  #messages: Messages | null = null
  #events: TurnEvents | null = null
  #stop: TurnStop | null = null
  /** Calls of the program, which a wait does not stop. */
  readonly #activity = new Activity()
  /** True once the program has ended, and what it has left running is stopped. */
  #isEnding = false
  /** True once an operation of the program waits for a decision, which only another start of it gets. */
  #asks = false
  /** True once an entry of this turn is kept. */
  #hasKept = false
  /** How the chat waits out the error of its program. */
  #retry: Retry | null = null

  constructor(backend: HostBackend, definition: DefinedChat, chat: ClaimedChat, options: TurnOptions) {
    this.#backend = backend
    this.definition = definition
    this.#chat = chat
    this.#options = options
    this.#writer = this.#newWriter(chat)
    this.#parts = this.#newParts(chat)
  }

  #newWriter(chat: ClaimedChat): ChatWriter {
    return new ChatWriter(this.#backend, chat, (stop) => this.stop(stop))
  }

  #newParts(chat: ClaimedChat): Parts {
    return new Parts(this.#backend, this.#options.watcher, chat, {
      stop: this.#controller.signal,
      onLost: () => this.stop({ why: 'lost' }),
      onFailure: (error) => this.#writer.fail(error),
      onNested: () => this.#options.onNestedPart(chat.id),
      trace: chat.damage === null ? traceOf(chat.entries) : undefined,
    })
  }

  /** Number of the claim on the chat. */
  get epoch(): number {
    return this.#chat.epoch
  }

  /** Parts that the chat waits for, of its own program or one that it is a part of. */
  get nestedParts(): ReadonlySet<string> {
    return this.#parts.nested
  }

  /** True if pieces of an answer are buffered because nobody follows the chat. */
  get isBuffering(): boolean {
    return this.#writer.isBuffering
  }

  /** Called when somebody follows the chat. */
  follow(): void {
    this.#writer.follow()
  }

  /** Stops the turn; only the first reason counts. */
  stop(stop: TurnStop): void {
    if (this.#stop) return
    this.#stop = stop
    this.#controller.abort(newStopReason())
  }

  /** True if the program waits for a message, and goes on in this process when that comes. */
  get isResting(): boolean {
    return this.#resting !== null && this.#stop === null
  }

  /**
   * Goes on with the program where it waits, for a chat that was claimed again. Returns false if somebody else has changed the
   * journal since: only a program that starts again goes on from that.
   */
  goOn(chat: ClaimedChat): boolean {
    if (!this.isResting || !this.#isAsLeft(chat)) return false
    this.#chat = chat
    this.#claimedAt = platformTicks()
    this.#writer = this.#newWriter(chat)
    this.#parts = this.#newParts(chat)
    this.#events = new TurnEvents({ seq: this.#events!.next, spans: [] })
    this.#rest = Promise.withResolvers()
    this.#resting = null
    this.#isAtRest = false
    this.#hasKept = false
    this.#messages!.goOn(chat)
    return true
  }

  /** True if a chat is as this turn has left it, beside a message that has come. */
  #isAsLeft(chat: ClaimedChat): boolean {
    const { turn, takenOver, damage, reason, entries } = chat
    // A message that comes while the chat is suspended begins its next turn.
    const next = this.#resting!.turn + (this.#resting!.state === 'suspended' ? 1 : 0)
    if (turn !== next || takenOver || damage !== null || reason !== null) return false
    // A decision has no number.
    const isSame = entries.at(-1)?.seq === this.#journal!.length - 1 && entries.every(({ seq }) => seq !== undefined)
    return isSame && this.#messages!.hasNextIn(chat)
  }

  /** Stops a program that waits in memory: when a message comes, another turn starts it again. */
  drop(): void {
    this.#isDropped = true
    this.stop({ why: 'lost' })
  }

  /** Runs the turn. Fails when the store does. */
  async run(): Promise<TurnEnd> {
    try {
      this.#program ??= this.#runProgram()
      const end = await Promise.race([this.#program, this.#rest.promise])
      // A write under way may still stop the turn.
      await this.#writer.settled()
      return await this.#doLastStep(end)
    } finally {
      this.#writer.drop()
    }
  }

  /** Runs the program, and returns how it ended. The result means nothing if the turn was stopped. */
  async #runProgram(): Promise<ProgramEnd> {
    const { id, input, damage } = this.#chat
    if (damage !== null) return failedBy(damagedChat(id, damage))
    const checked = await readInput(this.definition, input, this.#chat.entries)
    if ('refused' in checked) return { state: 'refused', reason: checked.refused }
    // A log that cannot be read is a failure of the store, and not one of the program.
    if (this.#keepsAll) this.#events = new TurnEvents(await earlierEvents(this.#backend.events, this.#chat))
    try {
      return { state: 'done', value: plainJson(await this.#callProgram(checked), 'end the chat', 'its value') }
    } catch (error) {
      if (isXError(error, 'suspended'))
        return this.#keepsAll ? 'suspended' : failedBy(cannotWait(this.definition, 'a decision'))
      if (isOfAnotherProgram(error) || isOfNewerRelease(error)) return { state: 'refused', reason: error.message }
      return this.#retry ? { state: 'set-back', retry: this.#retry } : failedBy(error)
    }
  }

  async #callProgram(given: ProgramInput): Promise<unknown> {
    const { id, version } = this.#chat
    const journal = (this.#journal = this.#loadJournal())
    const messages = (this.#messages = new Messages(this.#chat, {
      onWait: (awaited) => this.#waitFor(awaited),
      now: () => this.#now,
      later: this.#laterMessages,
    }))
    const { events } = this.#options
    return await runRecorded((run, recorded) => this.#runOrRetry(run, recorded, { ...given, messages }), {
      ...(this.#keepsAll && { steering: messages.steering }),
      journal,
      runId: id,
      version,
      streams: this.#keepsAll,
      signal: this.#controller.signal,
      waitsOut: (error) => waitsOutInTool(error, this.definition.retry),
      ...(this.#keepsAll && {
        leaves: (place, seconds) => messages.timers.leave(place, seconds),
        suspends: () => this.#waitForDecision(),
      }),
      // The log of a fork begins with what its entries tell.
      events: this.#isForkBegun ? { ...events, recalled: true } : events,
      firstSeq: this.#events?.firstSeq,
      emit: (event) => this.#emit(event),
      tracer: this.#tracer,
    })
  }

  /** Runs the program, and tells the run of an error that the chat waits out. */
  async #runOrRetry(run: Run, recorded: RecordedRun, given: GivenProgram): Promise<unknown> {
    const startedAt = platformTicks()
    try {
      return await this.#runInPart(run, recorded, given)
    } catch (error) {
      if (!this.#stop) {
        this.#retry = retryOf(error, {
          policy: this.definition.retry,
          before: this.#hasKept ? null : this.#chat.retry,
          ranMs: platformTicks() - startedAt,
          random: platformRandom(),
          reason: messageOf(error),
        })
      }
      if (this.#retry) await run.emit({ type: 'waitingToRetry', agent: null, ...this.#retry })
      throw error
    }
  }

  /** Runs the program in a part of the run. What it has left running when it ends is stopped, so that its spans end. */
  async #runInPart(run: Run, recorded: RecordedRun, given: GivenProgram): Promise<unknown> {
    const part = partRun(run, {})
    const { definition } = this
    try {
      if (await this.#hasDecided()) return this.stop({ why: 'decided' })
      const chat = chatRunOf(part.run, recorded, {
        ...given,
        id: this.#chat.id,
        definition,
        atCheckpoint: () => ({ trace: traceOf(this.#chat.entries), events: this.#events?.next }),
        submit: (program, value, options) => this.#activity.during(this.#submit(program, value, options)),
        perform: (program, value, options) =>
          this.#activity.during(this.#parts.perform(program, value, options, callsOf(part.run))),
      })
      return await definition.run(chat)
    } finally {
      this.#isEnding = true
      part.end()
    }
  }

  /** Decides on questions whose deadline has passed; true if the program has to begin anew with that. */
  async #hasDecided(): Promise<boolean> {
    const { approvals } = this.definition
    if (!approvals || !this.#keepsAll) return false
    let hasDecided = false
    for (const entry of await passedDeadlines(approvals, this.#chat.entries, this.#now)) {
      const decides = entry.kind === 'decision'
      await (decides ? this.#decide(entry) : this.#keep(entry))
      hasDecided ||= decides
    }
    return hasDecided
  }

  async #decide(entry: JournalEntry): Promise<void> {
    const { by = null } = entry.value as ApprovalDecision
    try {
      await this.#backend.store.decide(this.#chat.id, entry, by)
    } catch (error) {
      // A failure of the store is none of the program.
      this.#writer.fail(error)
      throw error
    }
  }

  /** Keeps the deadlines of new questions; returns the time at which the chat goes on by itself. */
  async #wakeTime(): Promise<number | undefined> {
    const { approvals } = this.definition
    const slept = this.#messages?.timers.next
    if (!approvals || !this.#journal) return slept
    const { added, first } = deadlinesOf(approvals, this.#journal.saveState().entries, this.#now)
    for (const entry of added) await this.#keep(entry)
    return slept === undefined || first === undefined ? (slept ?? first) : Math.min(slept, first)
  }

  /** Submits a chat of the program. A failure of the store is none of the program, which must not go on. */
  async #submit(program: DefinedChat, value: unknown, options: SubmitOptions & { readonly id: string }): Promise<void> {
    const { tags, tenant, priority } = this.#chat
    const labels = { tags, tenant: tenant ?? undefined, priority }
    const trace = options.trace ?? traceOf(this.#chat.entries)
    const submission = await submissionOf(program, value as never, options, { ...labels, id: options.id, trace })
    try {
      await submitOnce(this.#backend, submission)
    } catch (error) {
      if (!isXError(error, 'invalid-state')) this.#writer.fail(error)
      throw error
    }
  }

  /** A tracer that goes on with the trace with which the chat was submitted. */
  get #tracer(): RunTracer | undefined {
    const { tracer } = this.#options
    const trace = traceOf(this.#chat.entries)
    return tracer && trace ? { begin: () => tracer.begin(trace) } : tracer
  }

  /** True if this is the first turn of a chat that began with a journal. */
  get #isForkBegun(): boolean {
    const { turn, takenOver, entries } = this.#chat
    return turn === 0 && !takenOver && !entries.every(isTraceEntry)
  }

  get #keepsAll(): boolean {
    return this.definition.keeps !== 'value'
  }

  #loadJournal(): ChatJournal {
    return loadJournal(this.#chat.entries, this.#keepsAll ? { onEntry: (entry) => this.#saveEntry(entry) } : {})
  }

  /** Messages that come while the turn runs, of which the store tells with each entry that it keeps. */
  get #laterMessages(): LaterMessages {
    const { store } = this.#backend
    const read = async (without: number): Promise<readonly string[]> => {
      try {
        return await store.messages(this.#chat.id, without)
      } catch (error) {
        this.#writer.fail(error)
        throw error
      }
    }
    return { heard: () => this.#writer.heard, read }
  }

  /** Saves an entry behind the events that were sent before it. */
  async #saveEntry(entry: JournalEntry): Promise<void> {
    this.#events?.keep(entry)
    this.#unmeasured.push(entry)
    if (this.#messages?.isRepeatable(entry)) {
      this.#hasKept = true
      return this.#writer.defer(entry)
    }
    if (await this.#activity.during(this.#writer.append(entry))) return void (this.#hasKept = true)
    throw new XError(
      'invalid-state',
      `cannot save an entry of the chat \`${this.#chat.id}\`: another worker has taken it over, or it was cancelled`,
      { cause: this.#controller.signal.reason },
    )
  }

  #emit(event: XEvent): void {
    if (this.#isDropped) return
    this.#activity.take(event)
    this.#options.onEvent(event)
    if (this.#events) this.#writer.add(this.#events.place(event, this.#isLeaving))
  }

  /** True while everything is stopped, and another turn is to go on with it. */
  get #isLeaving(): boolean {
    return this.#stop !== null || (this.#isEnding && this.#events?.isSuspended === true)
  }

  /** The time of the store, in milliseconds since 1970, whatever the clock of this process says. */
  get #now(): number {
    return Math.round(this.#chat.now + platformTicks() - this.#claimedAt)
  }

  #waitFor(awaited: Awaited): void {
    if (!this.#keepsAll) throw cannotWait(this.definition, `a ${awaited.for}`)
    if (awaited.place === undefined) this.stop({ why: 'wait' })
    else void this.#stopWhenQuiet()
  }

  /**
   * Stops the turn where an operation waits for a decision, once the program has come to the end of what it does without it. What
   * goes on beside the question already is stopped too, and the next turn begins it again.
   */
  async #waitForDecision(): Promise<void> {
    this.#asks = true
    await this.#activity.quiet(() => this.#messages!.waits, this.#activity.current)
    if (!this.#isEnding) this.stop({ why: 'wait' })
  }

  /** Stops the turn once everything that the program does can only wait. */
  async #stopWhenQuiet(): Promise<void> {
    await this.#activity.quiet(() => this.#messages!.waits)
    if (this.#isEnding) return
    for (const entry of this.#unmeasured.splice(0)) this.#heldLength += JSON.stringify(entry).length
    const hasRoom = this.#restsLeft-- > 0 && this.#heldLength < MAX_HELD_LENGTH
    const mayRest = !this.#stop && !this.#asks && !this.#options.tracer && hasRoom
    this.#isAtRest = mayRest && this.#activity.isIdle && this.#messages!.isAtRest
    if (this.#isAtRest) this.#rest.resolve('suspended')
    else this.stop({ why: 'wait' })
  }

  async #doLastStep(end: ProgramEnd): Promise<TurnEnd> {
    const step = lastStep(end, this.#stop)
    switch (step.do) {
      case 'finish':
        return await this.#finish(step.outcome)
      case 'suspend':
        return await this.#suspend()
      case 'release':
        return await this.#release()
      case 'putOff':
        return await this.#putOff(step.reason, step.retry)
      case 'leave':
        return await this.#leave()
      case 'fail':
        throw step.error
    }
  }

  async #finish(outcome: ChatOutcome): Promise<TurnEnd> {
    await this.#options.webhooks?.ended(this.#chat)
    if (!(await this.#writer.finish(outcome))) return await this.#leave()
    await this.#endParts(outcome.state)
    return { how: outcome.state, next: null }
  }

  async #suspend(): Promise<TurnEnd> {
    // A failure of the journal is one of the writer, which tells it.
    const wakesAt = await this.#wakeTime().catch(() => undefined)
    if (!(await this.#flush())) return await this.#leave()
    await this.#options.webhooks?.asked(this.#chat, questionsIn(this.#journal?.saveState().entries ?? []))
    const heard = this.#messages?.heard ?? this.#chat.heard
    const chat = await this.#backend.store.suspend(this.#chat, heard, wakesAt)
    if (!chat) return await this.#leave()
    if (this.#isAtRest) this.#resting = chat
    return { how: 'suspended', next: chat.state === 'waiting' || chat.wakesAt !== null ? chat : null }
  }

  async #release(): Promise<TurnEnd> {
    // A store that does not take the last events is not asked again: the claim ends with its lease.
    if (!(await this.#flush())) return await this.#leave()
    const chat = await this.#backend.store.release(this.#chat)
    return chat ? { how: 'released', next: chat } : await this.#leave()
  }

  /**
   * Writes the last events, and keeps where the turn has left the chat in the same change: another turn does not send the
   * events before it again. False when the claim on the chat has ended.
   */
  async #flush(): Promise<boolean> {
    const left = this.#messages && this.#events?.leave(this.#messages.waits, this.epoch)
    // A failure of the journal is one of the writer, which tells it.
    if (left) await this.#keep(left).catch(() => {})
    return await this.#writer.flush()
  }

  async #keep(entry: JournalEntry): Promise<void> {
    await this.#journal!.keep(entry)
  }

  async #putOff(reason: string, retry: Retry | undefined): Promise<TurnEnd> {
    if (!(await this.#writer.flush())) return await this.#leave()
    const delay = retry && { kind: retry.kind, delay: retry.delayMs / 1000 }
    const chat = await this.#backend.store.putOff(this.#chat, reason, delay)
    if (!chat) return await this.#leave()
    return retry ? { how: 'retry', next: chat } : { how: 'refused', next: null, reason }
  }

  /** Leaves a chat after its claim has ended: it was cancelled or deleted, or another worker has it. */
  async #leave(): Promise<TurnEnd> {
    const { id, epoch } = this.#chat
    const chat = await this.#backend.store.get(id)
    if (chat && !chat.outcome) return { how: 'lost', next: null }
    // This worker may have submitted parts after the chat had ended.
    await this.#endParts(chat?.state)
    return { how: chat?.epoch === epoch ? chat.outcome!.state : 'lost', next: null }
  }

  /** Ends the parts of a chat that has ended. A chat with entries may also have parts from an earlier worker. */
  async #endParts(state: HostedChat['state'] | undefined): Promise<void> {
    const { id, entries } = this.#chat
    if (this.#parts.isUsed || entries.length > 0) await endParts(this.#backend, { id, state })
  }
}
