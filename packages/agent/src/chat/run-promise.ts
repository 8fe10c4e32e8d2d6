import type { SteeringSource } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { type State, warn } from '../memory/state.ts'
import { endSteering, steer, type Steerable } from '../run/steering.ts'

/** Fields of a result that people read of a run they forgot to await. */
const RESULT_FIELDS = [
  ...['text', 'messages', 'result', 'toolCalls', 'usage', 'cost', 'terminationReason', 'pending', 'journal'],
  ...['summary', 'chatHistory'],
]

/** A run under way. Reading a field of its result is an error, and one whose result nobody waits for is warned of. */
export class RunPromise<T> extends Promise<T> implements Steerable {
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
  #steering: SteeringSource | undefined
  #whenForgotten: ForgottenRun | undefined

  /** Makes the promise of a run of an agent. */
  static of<T>(run: Promise<T>, state: State, steering: SteeringSource): RunPromise<T> {
    const runToEnd = async (): Promise<T> => {
      try {
        const result = await run
        // Not of a failed run: the runtime tells of an error that nobody hears.
        promise.#noteEnd(state)
        return result
      } finally {
        endSteering(steering)
      }
    }
    const caller: { readonly stack?: string } = {}
    // Platforms other than V8 may have none.
    Error.captureStackTrace?.(caller)
    const promise = new RunPromise<T>((resolve, reject) => {
      runToEnd().then(resolve, (error: unknown) => {
        // The run around this one fails with the same error. Its program may await something else, and never this promise.
        if (isXError(error, 'suspended')) void Promise.prototype.then.call(promise, undefined, () => {})
        reject(withCaller(error, caller.stack))
      })
    })
    promise.#steering = steering
    return promise
  }

  async steer(text: string): Promise<boolean> {
    return await steer(this.#steering, text)
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

/** Adds the lines of the caller to the stack of an error: the platform follows an `await` only to promises of its own kind. */
function withCaller(error: unknown, stack: string | undefined): unknown {
  if (!(error instanceof Error) || !stack || Object.isFrozen(error)) return error
  const lines = stack.split('\n').slice(2)
  const known = error.stack ?? String(error)
  if (lines.length > 0 && !known.includes(lines.at(-1)!)) error.stack = [known, ...lines].join('\n')
  return error
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
  readonly #registry: FinalizationRegistry<ForgottenRun> | undefined =
    typeof FinalizationRegistry === 'undefined'
      ? undefined
      : new FinalizationRegistry((run) => {
          if (this.#runs.delete(run)) run.tell()
        })
  #listens = false

  add(promise: object, run: ForgottenRun): void {
    // Without a registry, nothing would take a run out again that is never awaited.
    if (!this.#registry) return
    this.#runs.add(run)
    this.#registry.register(promise, run, run)
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
    this.#registry?.unregister(run)
  }
}

const FORGOTTEN_RUNS = new ForgottenRuns()
