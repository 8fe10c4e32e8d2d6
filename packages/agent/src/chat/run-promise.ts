import { XError } from '@x/kernel'
import { type State, warn } from '../memory/state.ts'

/** Fields of a result that people read of a run they forgot to await. */
const RESULT_FIELDS = [
  ...['text', 'messages', 'result', 'toolCalls', 'usage', 'cost', 'terminationReason', 'pending', 'journal'],
  ...['summary', 'chatHistory'],
]

/** A run under way. Reading a field of its result is an error, and one whose result nobody waits for is warned of. */
export class RunPromise<T> extends Promise<T> {
  // What `then` returns is a plain promise.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static {
    const tooEarly = (field: string): PropertyDescriptor => ({
      get(): never {
        throw new XError(
          'invalid-state',
          `\`${field}\` was read of a run that is under way: write \`(await agent.run(…)).${field}\``,
        )
      },
    })
    const fields = RESULT_FIELDS.map((field) => [field, tooEarly(field)] as const)
    void Object.defineProperties(this.prototype, Object.fromEntries(fields))
  }

  #isAwaited = false
  #whenForgotten: ForgottenRun | undefined

  /** Makes the promise of a run of an agent. */
  static of<T>(run: Promise<T>, state: State): RunPromise<T> {
    const promise = new RunPromise<T>((resolve, reject) => {
      run.then(resolve, reject)
    })
    // Who fails unheard is told by the runtime.
    run.then(
      () => promise.#noteEnd(state),
      () => {},
    )
    return promise
  }

  // eslint-disable-next-line unicorn/no-thenable -- a promise
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isAwaited = true
    if (this.#whenForgotten) FORGOTTEN_RUNS.remove(this.#whenForgotten)
    return super.then(onFulfilled, onRejected)
  }

  #noteEnd(state: State): void {
    if (this.#isAwaited) return
    this.#whenForgotten = { tell: () => warnOnce(state) }
    FORGOTTEN_RUNS.add(this, this.#whenForgotten)
  }
}

function warnOnce(state: State): void {
  if (state.warnedOfForgottenRun) return
  state.warnedOfForgottenRun = true
  warn(
    state,
    `the result of a run was lost, since nobody waited for it: write \`await ${state.name}.run(…)\``,
    'lost-run',
  )
}

/** Says that the result of a run was lost. */
interface ForgottenRun {
  readonly tell: () => void
}

/** Runs that have ended and that nobody has awaited: they are lost once nobody can, at the end of the process at the latest. */
class ForgottenRuns {
  readonly #runs = new Set<ForgottenRun>()
  /** Undefined where the runtime has none, as in workers. */
  readonly #collected: FinalizationRegistry<ForgottenRun> | undefined =
    typeof FinalizationRegistry === 'undefined'
      ? undefined
      : new FinalizationRegistry((run) => {
          if (this.#runs.delete(run)) run.tell()
        })
  #listens = false

  add(promise: object, run: ForgottenRun): void {
    // What nothing takes out again would be kept for ever.
    if (!this.#collected) return
    this.#runs.add(run)
    this.#collected.register(promise, run, run)
    if (this.#listens || typeof process === 'undefined' || typeof process.once !== 'function') return
    this.#listens = true
    process.once('beforeExit', () => {
      this.#listens = false
      const lost = [...this.#runs]
      this.#runs.clear()
      for (const { tell } of lost) tell()
    })
  }

  remove(run: ForgottenRun): void {
    this.#runs.delete(run)
    this.#collected?.unregister(run)
  }
}

const FORGOTTEN_RUNS = new ForgottenRuns()
