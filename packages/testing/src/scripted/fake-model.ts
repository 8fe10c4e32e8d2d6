import type {
  ConfigEntry,
  Face,
  Io,
  MaybePromise,
  Model,
  ModelAnswer,
  ModelClientClass,
  ModelEvent,
  ModelRequest,
  ModelResponse,
  OpenCall,
  Run,
  RunOptions,
  UsageMode,
  UsageSummary,
} from '@x/interfaces'
import { isThenable, runAsync, runStream, runSync, XError, type Steps } from '@x/kernel'
import { throwIfAborted } from '@x/kernel/abort'
import { redactData, secretsOf } from '@x/kernel/redact'
import { eventOutside, scopeOf } from '@x/kernel/run'
import { retrievedMessages } from './answer-events.ts'
import { budgeted, inCall, respond } from './respond.steps.ts'
import type { Script } from './script.ts'
import type { Turn } from './turn.ts'
import { UsageLedger } from './usage-ledger.ts'

/** Options of a fake model beside its script and config. */
export interface FakeModelOptions {
  /** Receives the output of `printUsageSummary`; default: nothing does. */
  readonly io?: Io | undefined
  /** The model that this one replaces; its usage is continued. */
  readonly replaces?: Model | undefined
}

/** A model that plays a script: no cache, no failover, no price list. */
export class FakeModel implements Model {
  /** The name of the scripted model. */
  readonly modelNames: readonly string[]
  readonly #script: Script
  readonly #config: Readonly<ConfigEntry>
  #secrets: ReadonlySet<string> | undefined
  readonly #io: Io | undefined
  readonly #ledger: UsageLedger

  constructor(script: Script, config: Readonly<ConfigEntry>, { io, replaces }: FakeModelOptions = {}) {
    const replaced = replaces instanceof FakeModel ? replaces : undefined
    this.#script = script
    this.#config = config
    this.modelNames = [config.model ?? []].flat()
    this.#io = io ?? (replaced && replaced.#io)
    this.#ledger = replaced ? replaced.#ledger : new UsageLedger()
  }

  /** Gives the next reply of the script. */
  async create(request: ModelRequest, options: RunOptions = {}): Promise<ModelResponse> {
    const { run, signal = run?.signal } = options
    const open = this.#open(request, run)
    if (open) return await runAsync(this.#inCall(open, request, run!), { run, signal })
    const budget = run && scopeOf(run)?.budget
    if (budget) return await runAsync(budgeted(budget, this.#respond(request, run)), { run, signal })
    throwIfAborted(signal)
    const taken = this.#take(request, 'async')
    // What need not be waited for takes no steps: a script is to cost as little as it can.
    if (isReady(taken)) return this.#response(taken.end(), taken.cost, run)
    return await runAsync(this.#respond(request, run, taken), { run, signal })
  }

  /** The same, at once; a reply that needs time is refused with `async-in-sync`. */
  createSync(request: ModelRequest, { run }: Pick<RunOptions, 'run' | 'emit'> = {}): ModelResponse {
    const open = this.#open(request, run)
    if (open) return runSync(this.#inCall(open, request, run!))
    const steps = this.#respond(request, run)
    const budget = run && scopeOf(run)?.budget
    return runSync(budget ? budgeted(budget, steps) : steps)
  }

  /** The same, as a stream of events that returns the response. */
  createStream(
    request: ModelRequest,
    { run, signal }: RunOptions = {},
  ): AsyncGenerator<ModelEvent, ModelResponse, void> {
    const open = this.#open(request, run)
    if (open) return runStream(this.#inCall(open, request, run!), { run, signal })
    const budget = run && scopeOf(run)?.budget
    return budget
      ? runStream(budgeted(budget, this.#respond(request, run)), { run, signal })
      : this.#streamed(request, { run, signal: signal ?? run?.signal })
  }

  async *#streamed(
    request: ModelRequest,
    { run, signal }: Pick<RunOptions, 'run' | 'signal'>,
  ): AsyncGenerator<ModelEvent, ModelResponse, void> {
    throwIfAborted(signal)
    const taken = this.#take(request, 'stream')
    if (!isReady(taken)) return yield* runStream(this.#respond(request, run, taken), { run, signal })
    for (const event of taken.items(true) as readonly ModelEvent[]) {
      yield event
      throwIfAborted(signal)
    }
    return this.#response(taken.end(), taken.cost, run)
  }

  /** Returns the config as a request would show it, the parameters and the tools, without secrets. */
  settingsOf({ moreTools = [], answerSchema }: ModelRequest): readonly Readonly<Record<string, unknown>>[] {
    const { tools = [], apiKey: _, defaultHeaders: __, ...config } = this.#config
    const plain = Object.entries(config).filter(([, value]) => typeof value !== 'function')
    const all = [...((tools as readonly unknown[] | null) ?? []), ...moreTools]
    return [
      {
        ...(redactData(Object.fromEntries(plain), (this.#secrets ??= secretsOf(this.#config))) as object),
        ...(all.length > 0 && { tools: all }),
        ...(answerSchema && { answerSchema }),
      },
    ]
  }

  /** Refuses: a scripted model is its own client. */
  registerModelClient(cls: ModelClientClass): void {
    throw new XError(
      'unknown-client',
      `the client class \`${cls.name}\` cannot be registered on a scripted model: use \`llmConfig\` of @x/model with a \`scriptedProvider\``,
    )
  }

  /** Usage of all replies; null before the first. Without a cache, it differs from `totalUsageSummary` only by restored usage. */
  get actualUsageSummary(): UsageSummary | null {
    return this.#ledger.actual
  }

  /** Usage of all replies; null before the first. */
  get totalUsageSummary(): UsageSummary | null {
    return this.#ledger.total
  }

  /** Sends the usage to the `io`, if there is one. */
  printUsageSummary(mode: UsageMode | readonly UsageMode[] = 'both'): void {
    const modes = new Set([mode].flat())
    const { actualUsageSummary, totalUsageSummary } = this
    const event = { type: 'usageSummary', agent: null, actualUsageSummary, totalUsageSummary } as const
    // A script has no clock.
    void this.#io?.send(eventOutside({ ...event, mode: modes.size === 1 ? [...modes][0]! : 'both' }, 0))
  }

  /** Forgets all usage. */
  clearUsageSummary(): void {
    this.#ledger.clear()
  }

  /** Adds usage that was paid for elsewhere to the summaries. */
  restoreUsage({ actual, total }: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }): void {
    this.#ledger.restore(actual, total)
  }

  /** Opens a call in a run that a tool or a function passes on, as other models do; the question of an agent has one already. */
  #open(request: ModelRequest, run: Run | undefined): OpenCall | undefined {
    const open = run && scopeOf(run)?.open?.(run, { kind: 'model' })
    if (!open?.noteInput) return open
    const { messages, agent: _, context: __, cache: ___, moreTools: ____, answerSchema: _____, ...given } = request
    const plain = Object.entries(given).filter(([, value]) => typeof value !== 'function')
    open.noteInput({ messages, settings: [{ ...this.settingsOf(request)[0], ...Object.fromEntries(plain) }] })
    return open
  }

  /** Plays the reply to a request at a place of its own, or gives the answer that the journal has. */
  #inCall(open: OpenCall, request: ModelRequest, run: Run): Steps<ModelResponse, ModelEvent> {
    const budget = scopeOf(run)?.budget
    const steps = this.#respond(request, run)
    const finish = (answer: ModelAnswer, cost: number | null): ModelResponse => this.#response(answer, cost, run)
    return inCall(open, { steps: budget ? budgeted(budget, steps) : steps, model: this.modelNames[0], finish })
  }

  #take(request: ModelRequest, face: Face): MaybePromise<Turn> {
    return this.#script.take({ config: this.#config, request, face })
  }

  /** Plays the reply to a request, or the turn `taken` for it. */
  #respond(request: ModelRequest, run: Run | undefined, taken?: MaybePromise<Turn>): Steps<ModelResponse, ModelEvent> {
    return respond(
      (face) => taken ?? this.#take(request, face),
      (answer, cost) => this.#response(answer, cost, run),
    )
  }

  #response(answer: ModelAnswer, cost: number | null, run: Run | undefined): ModelResponse {
    this.#ledger.add(answer, cost)
    const scope = run && scopeOf(run)
    // An agent counts its answers itself.
    if (scope?.countUsage && scope.callKind !== 'model') {
      const own = new UsageLedger()
      own.add(answer, cost)
      scope.countUsage(own)
    }
    return {
      ...answer,
      cost: cost ?? 0,
      configId: 0,
      passFilter: true,
      cached: false,
      messageRetrievalFunction: retrievedMessages,
    }
  }
}

/** Tells whether a reply is available without waiting. */
const isReady = (taken: MaybePromise<Turn>): taken is Turn => !isThenable(taken) && !taken.waits
