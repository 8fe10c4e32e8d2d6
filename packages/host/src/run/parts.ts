import type {
  ChatClaim,
  ChatKind,
  ChatOutcome,
  HostBackend,
  HostedChat,
  Journal,
  MaybePromise,
  Run,
  RunCalls,
  TraceContext,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions } from '@x/kernel/options'
import { scopeOf, unescapeTexts } from '@x/kernel/run'
import { checkWhole, partError } from '../chat-errors.ts'
import type { DefinedChat, PerformOptions } from '../defined-chat.ts'
import { HOST_OPTION_KINDS, isDefinedChat } from '../host-options.ts'
import { plainJson } from '../plain-json.ts'
import { digestOf } from '../platform.ts'
import { cancelChat, isCancelling } from './cancelling.ts'
import type { ChatWatcher } from './chat-watcher.ts'
import { traceEntries } from './turn-events.ts'

/** Number of chats that are read at once to find the parts of a chat. */
const CHATS_PER_PAGE = 100
/** Number of parts that are ended at once. */
const PARTS_PER_BATCH = 10

/** Returns the prefix of the identifiers of all parts of a chat. */
const prefixOf = (id: string): string => `${id}/part-`

/** Suffix that makes the identifier of a part of that of its parent: a digest of the input, and the number of the attempt. */
const PART_SUFFIX = String.raw`/part-[\w-]{27}\.\d+`
const PART_SUFFIXES = new RegExp(`^(?:${PART_SUFFIX})+$`, 'u')
const PART_ID = new RegExp(`^(.+)${PART_SUFFIX}$`, 'su')

/** True if a chat is a part of another, or a part of such a part. Chats named `report` and `report/part-1` by a program are not. */
export const isPartOf = (id: string, part: string): boolean =>
  part.startsWith(prefixOf(id)) && PART_SUFFIXES.test(part.slice(id.length))

/** Returns the identifier of the parent of a part; undefined for a chat that is not a part. */
export const parentOf = (id: string): string | undefined => PART_ID.exec(id)?.[1]

/** Returns the identifier of the chat of which a chat is a part, whatever other parts are between them; its own if it is none. */
export function rootOf(id: string): string {
  const parent = parentOf(id)
  return parent === undefined ? id : rootOf(parent)
}

type Part = Pick<HostedChat, 'id' | 'name' | 'version' | 'input'>

/** The turn of the parent, as its parts use it. */
interface ParentTurn {
  /** Aborts when the worker releases the parent, whose parts go on running. */
  readonly stop: AbortSignal
  /** Called when the parent has ended or another worker has claimed it. */
  readonly onLost: () => void
  /** Called when the store or queue has failed: the outcome of the part is unknown, so the program must not go on. */
  readonly onFailure: (error: unknown) => void
  /** Called when a part waits for a place of which chats that wait for it hold some. */
  readonly onNested: () => void
  /** The trace context with which the parent was submitted. */
  readonly trace: TraceContext | undefined
}

/** The parts of a chat: chats of their own, which any worker may run. */
export class Parts {
  readonly #backend: HostBackend
  readonly #watcher: ChatWatcher
  readonly #chat: ChatClaim & ChatKind
  readonly #turn: ParentTurn
  /** True if this worker may have submitted parts. */
  isUsed = false
  /** Parts that the parent waits for, of its own program or one that it is a part of: chats that wait hold places of that. */
  readonly nested: Set<string> = new Set()
  /** Programs of the parent and of all chats that it is a part of. */
  #programs: Promise<readonly ChatKind[]> | undefined

  constructor(backend: HostBackend, watcher: ChatWatcher, chat: ChatClaim & ChatKind, turn: ParentTurn) {
    this.#backend = backend
    this.#watcher = watcher
    this.#chat = chat
    this.#turn = turn
  }

  /** Runs a part to its end. `calls` is told what it was asked, and what came of it. */
  async perform(
    definition: DefinedChat,
    value: unknown,
    options: PerformOptions = {},
    calls?: RunCalls,
  ): Promise<unknown> {
    checkOptions(options, HOST_OPTION_KINDS.perform, 'run `perform`')
    // A stopped run has no caller that waits; failing instead would let a program that retries spin.
    if (this.#turn.stop.aborted) return await new Promise<never>(() => {})
    const { signal } = options
    const part = await partOf(this.#chat.id, definition, value, options)
    const stop = signal ? AbortSignal.any([this.#turn.stop, signal]) : this.#turn.stop
    this.isUsed = true
    calls?.takeInput(part.call, part.asks)
    for (let attempt = 0; ; attempt++) {
      const its = part.attempt(attempt)
      const outcome = await this.#attempt(its, stop)
      if (outcome.state !== 'cancelled') calls?.takeEntry({ ...part.call, value: { id: its.id, ...outcome } })
      if (outcome.state === 'done') return outcome.value
      if (outcome.state === 'failed') throw partError(its.id, outcome.error)
      await this.#checkClaim()
    }
  }

  /** Fails when the parent has ended, for example because it was cancelled with its parts, or another worker has claimed it. */
  async #checkClaim(): Promise<void> {
    const { id, epoch } = this.#chat
    const chat = await this.#guard(() => this.#backend.store.get(id))
    if (chat && !chat.outcome && chat.epoch === epoch) return
    this.#turn.onLost()
    throw new XError('aborted', `the chat \`${id}\` was cancelled, or another worker has claimed it`)
  }

  /** Runs one attempt to its end. An attempt that had failed before counts as cancelled, so that the next one runs. */
  async #attempt(part: Part, stop: AbortSignal): Promise<ChatOutcome> {
    const { store } = this.#backend
    const { id } = part
    let isSubmitted = false
    // The watcher notices changes before it asks the first time, so it misses no change after the submission.
    const findOutcome = async (): Promise<ChatOutcome | undefined> => {
      const isFirst = !isSubmitted
      const chat = await this.#guard(() => (isFirst ? this.#submit(part) : store.get(id)))
      isSubmitted = true
      if (!chat) return { state: 'cancelled', reason: 'it was deleted' }
      if (!chat.outcome) checkWhole(chat)
      if (isFirst && chat.outcome?.state === 'failed') return { state: 'cancelled', reason: 'it had failed before' }
      return chat.outcome ?? undefined
    }
    try {
      return await this.#watcher.until(id, findOutcome, { signal: stop })
    } catch (error) {
      // Cancels only when the caller no longer needs the part: after a release, the next worker of the parent finds it.
      if (stop.aborted && !this.#turn.stop.aborted)
        await this.#guard(() => cancelChat(this.#backend, id, 'no longer needed'))
      throw error
    } finally {
      this.nested.delete(id)
    }
  }

  /** Reports a failure of the store or queue to the turn: it is not a failure of the part. */
  async #guard<T>(ask: () => MaybePromise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      this.#turn.onFailure(error)
      throw error
    }
  }

  /** Submits a part, and enqueues it if it waits: an earlier worker may have died between the two. */
  async #submit(part: Part): Promise<HostedChat> {
    const { store, queue } = this.#backend
    const entries = await traceEntries(this.#turn.trace)
    const { chat } = await store.submit({ ...part, entries, durable: false })
    if (chat.state === 'waiting') await queue.add(chat, this.#chat.id)
    this.#programs ??= this.#readPrograms()
    if ((await this.#programs).some(({ name, version }) => chat.name === name && chat.version === version)) {
      this.nested.add(chat.id)
      this.#turn.onNested()
    }
    return chat
  }

  async #readPrograms(): Promise<readonly ChatKind[]> {
    const programs: ChatKind[] = [this.#chat]
    for (let id = parentOf(this.#chat.id); id !== undefined; id = parentOf(id)) {
      const chat = await this.#backend.store.get(id)
      if (chat) programs.push(chat)
    }
    return programs
  }
}

/** Place of all parts in the record of a run: they stand in no order, and are told apart by their names. */
const PARTS_PLACE = '0.1'

/** A part that a program asks for. */
interface AskedPart {
  /** The part as a record names it. */
  readonly call: { readonly kind: 'part'; readonly place: string; readonly name: string }
  readonly asks: { readonly version: string; readonly key: string; readonly input: unknown }
  /** Returns an attempt at it by its number. */
  readonly attempt: (number: number) => Part
}

/** Returns what takes the calls of a run, if the events of the run have all of their content. */
export function callsOf(run: Run): RunCalls | undefined {
  const scope = scopeOf(run)
  return scope?.tracesRequests ? scope.trace?.calls : undefined
}

/** Returns the attempts of a part by their numbers; refuses a program without slots of its own, and a wrong input. */
async function partOf(
  parent: string,
  definition: DefinedChat,
  value: unknown,
  { key = '' }: PerformOptions,
): Promise<AskedPart> {
  if (!isDefinedChat(definition)) {
    throw new XError('invalid-argument', 'cannot perform a program: it is not a chat made by `defineChat`; give one')
  }
  const { name, version, concurrency } = definition
  if (concurrency === undefined) {
    throw new XError(
      'invalid-argument',
      `cannot perform the program \`${name}\`: it has no slots of its own, and chats that wait for it could hold all others; give its \`defineChat\` a \`concurrency\``,
    )
  }
  await definition.check(value)
  const input = plainJson(value, 'run `perform`', 'its input')
  const digest = digestOf(JSON.stringify([name, version, key, input]))
  return {
    call: { kind: 'part', place: PARTS_PLACE, name: `${name} ${digest}` },
    asks: { version, key, input },
    attempt: (number) => ({ id: `${prefixOf(parent)}${digest}.${number}`, name, version, input }),
  }
}

/** Returns the outcome of a part from the record of a run, whose journal is given; undefined if the record does not have it. */
export async function recordedPart(
  { run, journal, parent }: { readonly run: Run; readonly journal: Journal; readonly parent: string },
  definition: DefinedChat,
  { value, options = {} }: { readonly value: unknown; readonly options?: PerformOptions | undefined },
): Promise<{ readonly value: unknown } | undefined> {
  checkOptions(options, HOST_OPTION_KINDS.perform, 'run `perform`')
  const { call, asks } = await partOf(parent, definition, value, options)
  scopeOf(run)?.trace?.calls?.takeInput(call, asks)
  const entry = journal.recall(call.place).find(({ name }) => name === call.name)
  if (!entry) return undefined
  const { id, ...outcome } = unescapeTexts(entry.value) as { readonly id: string } & Exclude<
    ChatOutcome,
    { readonly state: 'cancelled' }
  >
  if (outcome.state === 'failed') throw partError(id, outcome.error)
  return { value: outcome.value }
}

/**
 * Reads the value of a part that `perform` would return at once; undefined if the part has to run or is running. `ask` gives
 * what the store says of a chat.
 */
export async function readPart(
  ask: (id: string) => Promise<HostedChat | null>,
  parent: string,
  definition: DefinedChat,
  { value, options = {} }: { readonly value: unknown; readonly options?: PerformOptions | undefined },
): Promise<{ readonly value: unknown } | undefined> {
  checkOptions(options, HOST_OPTION_KINDS.perform, 'run `perform`')
  const part = await partOf(parent, definition, value, options)
  for (let attempt = 0; ; attempt++) {
    const chat = await ask(part.attempt(attempt).id)
    if (chat?.outcome?.state === 'done') return { value: chat.outcome.value }
    if (!chat) return undefined
    if (chat.outcome) continue
    checkWhole(chat)
    return undefined
  }
}

/** True if a chat has not ended, or has failed and may be resumed: it may ask for its parts. */
export async function mayAskParts({ store }: HostBackend, id: string): Promise<boolean> {
  const chat = await store.get(id)
  return chat !== null && (!chat.outcome || chat.state === 'failed')
}

/** Cancels a part if it has not ended, and deletes it. */
export async function endPart(backend: HostBackend, { id, outcome }: HostedChat): Promise<void> {
  if (!outcome) await cancelChat(backend, id, 'the chat that it is a part of has ended')
  await backend.store.delete(id)
}

/**
 * Ends and deletes the parts of a chat that has ended. Those with a value stay of a chat that has failed, which asks for them
 * again if it is resumed, and of one that was cancelled, until nothing is done for it at vendors.
 */
export async function endParts(
  backend: HostBackend,
  { id, state }: { readonly id: string; readonly state?: HostedChat['state'] | undefined },
): Promise<void> {
  const prefix = prefixOf(id)
  const keepsValues = state === 'failed' || (state === 'cancelled' && (await isCancelling(backend, id)))
  let after = prefix
  for (;;) {
    const page = await backend.store.list({ after, limit: CHATS_PER_PAGE })
    const stays = (chat: HostedChat): boolean => keepsValues && chat.state === 'done'
    const parts = page.filter((chat) => isPartOf(id, chat.id) && !stays(chat))
    for (let first = 0; first < parts.length; first += PARTS_PER_BATCH) {
      await Promise.all(parts.slice(first, first + PARTS_PER_BATCH).map(async (part) => await endPart(backend, part)))
      // Ending many parts in one SQLite file would block everything else in this process.
      await new Promise(setImmediate)
    }
    after = page.at(-1)?.id ?? after
    if (page.length < CHATS_PER_PAGE || !after.startsWith(prefix)) return
  }
}

/** Deletes a chat that has ended, with its parts and events; false when there is no such chat. */
export async function deleteChat(backend: HostBackend, id: string): Promise<boolean> {
  await endParts(backend, { id })
  return await backend.store.delete(id)
}
