import type { EventBody, Face, Listener, MaybePromise, Run, RunScope } from '@x/interfaces'
import { Clock, onAbort, openPartOf, Part, type Root, stopError } from './run-part.ts'
import {
  type AnySteps,
  ignore,
  isThenable,
  POOL_REQUEST,
  type PoolRequest,
  type Request,
  RUN_REQUEST,
  SCOPE_REQUEST,
  type Steps,
  WAIT_REQUEST,
} from './steps.ts'
import { XError } from './x-error.ts'

type AnyEvent = { readonly type: string }

/**
 * Runs steps on this stack and returns their result; a promise on the way is refused with `async-in-sync`. Events go to
 * `emit`, or into `run`, where nobody waits for them.
 */
export function runSync<T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(
  steps: Steps<T, E>,
  options: Omit<DriveOptions<L>, 'signal'> = {},
): T {
  let outcome: [failed: boolean, value: unknown]
  new Driver('sync', steps, options, (...ended) => (outcome = ended)).start()
  const [failed, value] = outcome!
  if (failed) throw showCaller(value, new Error())
  return value as T
}

/**
 * Runs steps and returns a promise of their result. Events go to `emit`, or into `run`, and are waited for; an abort of
 * `signal` or of `run` closes the steps and rejects with `aborted`.
 */
export async function runAsync<T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(
  steps: Steps<T, E>,
  options: DriveOptions<L> = {},
): Promise<T> {
  try {
    return await new Promise<T>((resolve, reject) =>
      new Driver('async', steps, options, (failed, value) => (failed ? reject(value) : resolve(value as T))).start(),
    )
  } catch (error) {
    throw showCaller(error, new Error())
  }
}

/** Options of every run of steps. */
export interface DriveOptions<E extends { readonly type: string }> {
  /** The run that these steps become part of. */
  readonly run?: Run | undefined
  readonly signal?: AbortSignal | undefined
  /** Receives the events; default: the `run`, or nobody. */
  readonly emit?: Listener<E> | undefined
  /** Handed down to everything in these steps; default: that of the `run`. */
  readonly scope?: RunScope | undefined
}

/** Receives the end of steps: their result, or the error that they did not catch. */
type Settle = (failed: boolean, value: unknown) => void

/**
 * Drives one operation in any of the three faces: its root task, its listener, and what halts it. `settle` is called once,
 * with the cause of a halt if there was one. Plain fields, as in all classes of this file: a driver and a task are made for
 * every operation, and private fields cost more to make.
 */
export class Driver implements Root {
  readonly face: Face
  readonly clock: Clock | undefined
  readonly part: Part
  readonly task: Task
  /** The part of another run that this operation belongs to. */
  readonly around: Part | undefined
  readonly signal: AbortSignal | undefined
  readonly listener: ((event: never) => unknown) | undefined
  done = false
  halted: { readonly cause: unknown } | undefined = undefined
  /** True once nobody listens any more. */
  isDeaf = false
  unlink: readonly ((() => void) | undefined)[] = []

  constructor(face: Face, steps: AnySteps, { run, signal, emit, scope }: DriveOptions<never>, settle: Settle) {
    const around = run && openPartOf(run)
    this.face = face
    this.around = around
    this.signal = signal
    this.listener = emit ?? around?.root.send
    this.clock = face === 'sync' ? undefined : (around?.root.clock ?? new Clock())
    this.part = new Part(this, { scope: scope ?? around?.scope })
    this.task = new Task(this.part, steps, (failed, value) => {
      this.done = true
      for (const unlink of this.unlink) unlink?.()
      settle(!!this.halted || failed, this.halted ? this.halted.cause : value)
    })
  }

  /** Takes the first step. */
  start(): void {
    const { around, signal } = this
    const stop = (cause: unknown): void => this.halt(stopError(cause))
    // The signal of the run says nothing that the run does not.
    this.unlink = [around?.onStop(stop), signal && signal !== around?.signal ? onAbort(signal, stop) : undefined]
    this.task.step('next')
  }

  /**
   * Closes every generator for a cause that no `catch` in the steps may see; the caller gets it. Events that are sent
   * meanwhile are not waited for, and not sent at all when nobody listens any more (`quiet`).
   */
  halt(cause: unknown, quiet = false): void {
    this.isDeaf ||= quiet
    if (this.halted) return
    this.halted = { cause }
    this.part.stop(cause)
    this.task.stop(cause)
  }

  /** Hands an event to the listener. One that throws halts the run; after a halt nobody is waited for. */
  readonly send = (event: unknown): MaybePromise<void> => {
    const { listener, around } = this
    if (!listener || this.done || this.isDeaf) return
    const haltQuietly = (error: unknown): void => this.halt(error, true)
    try {
      const sent = listener(event as never)
      if (!isThenable(sent)) return
      const heard = Promise.resolve(sent).then(ignore, haltQuietly)
      if (this.halted) return
      if (this.face !== 'sync') return heard
      // Blocking steps inside a run of another face send into it without waiting: they could not.
      if (!around || around.root.face === 'sync') this.refuse(sent, 'a listener')
    } catch (error) {
      haltQuietly(error)
    }
  }

  readonly fail = (cause: unknown): void => {
    this.halt(cause)
    this.around?.root.fail(cause)
  }

  refuse(promise: PromiseLike<unknown>, what: string): void {
    promise.then(ignore, ignore)
    const message = `\`${what}\` gave a promise in a blocking call: call it without \`Sync\``
    this.halt(new XError('async-in-sync', message, { details: { what } }))
  }
}

type Outcome = [method: 'next' | 'throw', input?: unknown]

/** One generator under way: `step` resumes it, `stop` closes it with every `finally` it is in. */
class Task {
  part: Part
  readonly steps: AnySteps
  readonly settle: Settle
  /** Counts the waits; the answer to one that was given up is ignored. */
  turn = 0
  isRunning = false
  isStopping = false
  isClosing = false
  group: Group | undefined = undefined
  groupEnded: Outcome | undefined = undefined

  constructor(part: Part, steps: AnySteps, settle: Settle) {
    this.part = part
    this.steps = steps
    this.settle = settle
  }

  /** Runs the steps to their next wait that really waits, or to their end. */
  step(method: 'next' | 'throw' | 'return', input?: unknown): void {
    let failed = false
    let result: unknown
    this.isRunning = true
    this.turn++
    try {
      for (;;) {
        if (this.isStopping && !this.isClosing) {
          this.isClosing = true
          method = 'return'
          input = undefined
        }
        const { done, value: request } = this.steps[method](input)
        if (done) {
          result = request
          break
        }
        method = 'next'
        switch (request.type) {
          case RUN_REQUEST:
            input = this.part.run
            continue
          case SCOPE_REQUEST:
            input = this.enterScope((request as { scope: RunScope }).scope)
            continue
          case POOL_REQUEST:
            this.groupEnded = undefined
            this.startGroup(request)
            if (!this.groupEnded) return
            ;[method, input] = this.groupEnded as Outcome
            continue
          case WAIT_REQUEST:
            input = (request as { value: unknown }).value
            break
          default:
            input = this.part.send(request)
        }
        const pause = !this.isStopping && this.part.root.clock?.pause()
        if (pause) input = Promise.all([input, pause]).then(([value]) => value)
        if (!isThenable(input)) continue
        if (this.waitsFor(input, request)) return
        input = undefined
      }
    } catch (error) {
      failed = true
      result = error
    } finally {
      this.isRunning = false
    }
    this.settle(failed, result)
  }

  stop(cause: unknown): void {
    if (this.isStopping) return
    this.isStopping = true
    if (this.group) this.group.stop(cause)
    // What runs inside may be further up this stack, and has to close before.
    else if (!this.isRunning) queueMicrotask(() => this.isClosing || this.step('return'))
  }

  /** Enters a scope; returns the function that leaves it. */
  enterScope(scope: RunScope): () => void {
    const outer = this.part
    this.part = outer.inner({ scope })
    return () => void (this.part = outer)
  }

  startGroup(request: PoolRequest): void {
    this.group = new Group(this.part, request, (...outcome) => {
      this.group = undefined
      this.groupEnded = outcome
      if (!this.isRunning) this.step(...outcome)
    })
    this.group.fill()
  }

  /** Resumes the steps when a promise settles; returns false where they go on without it. */
  waitsFor(promise: PromiseLike<unknown>, request: Request | { readonly type: string }): boolean {
    if (this.part.root.face === 'sync') {
      this.part.root.refuse(promise, (request as { what: string }).what)
      return false
    }
    if (this.isStopping && !this.isClosing) {
      // A call that stopped its own run may give a promise that nobody will settle.
      promise.then(ignore, ignore)
      return false
    }
    const { turn } = this
    promise.then(
      (value) => turn === this.turn && this.step('next', value),
      (error: unknown) => turn === this.turn && this.step('throw', error),
    )
    return true
  }
}

/** The children of one `pool`. */
class Group {
  readonly part: Part
  readonly request: PoolRequest
  readonly onEnd: (...outcome: Outcome) => void
  readonly tasks: Set<Task> = new Set()
  /** True while it fills, and at its end. */
  isBusy = false
  isStopped = false
  outcome: Outcome = ['next']

  constructor({ root, scope }: Part, request: PoolRequest, onEnd: (...outcome: Outcome) => void) {
    this.part = new Part(root, { scope })
    this.request = request
    this.onEnd = onEnd
  }

  /** Starts children while there is room, and tells when nothing runs any more. */
  fill(): void {
    if (this.isBusy) return
    this.isBusy = true
    const { next, limit } = this.request
    const room = this.part.root.face === 'sync' ? 1 : limit
    while (!this.isStopped && this.tasks.size < room) {
      try {
        const steps = next()
        if (!steps) break
        this.startChild(steps)
      } catch (error) {
        this.fail(error)
      }
    }
    this.isBusy = this.tasks.size === 0
    if (this.isBusy) this.onEnd(...this.outcome)
  }

  /** Starts no further child and closes those that run. */
  stop(cause: unknown): void {
    if (!this.isStopped) {
      this.isStopped = true
      this.part.stop(cause)
      for (const task of this.tasks) task.stop(cause)
    }
    this.fill()
  }

  startChild(steps: AnySteps): void {
    const task: Task = new Task(this.part, steps, (failed, value) => {
      this.tasks.delete(task)
      if (failed) this.fail(value)
      else this.fill()
    })
    this.tasks.add(task)
    task.step('next')
  }

  fail(error: unknown): void {
    if (!this.isStopped) this.outcome = ['throw', error]
    this.stop(error)
  }
}

/** The first line of an origin's stack, and frames of the driver, of steps and of generators: they tell the caller of an operation nothing. */
const INTERNAL_FRAMES = /^Error$|^ +at .*(.kernel.(src|dist).|\.steps\.|(next|Promise) \(<)/u

/**
 * Returns an error with the frames of its caller in place of those of the driver and of generators, which would fill the
 * ten that Node keeps. Call it where the error passes the public operation: `at` has the caller's frames.
 */
export function showCaller<T>(error: T, at: { readonly stack?: string | undefined }): T {
  if (error instanceof Error && at.stack) {
    try {
      error.stack = [...new Set(`${error.stack}\n${at.stack}`.split('\n'))]
        .filter((line) => !INTERNAL_FRAMES.test(line))
        .join('\n')
    } catch {
      // A frozen error keeps its stack.
    }
  }
  return error
}
