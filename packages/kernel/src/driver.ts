import type { EventBody, Face, Listener, MaybePromise, Run, RunScope } from '@x/interfaces'
import { Clock, onAbort, openPartOf, Part, type Root, stopError } from './run-part.ts'
import {
  type AnySteps,
  ignore,
  isThenable,
  POOL_REQUEST,
  type PoolRequest,
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
  drive('sync', steps, options, (...ended) => (outcome = ended)).start()
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
      drive('async', steps, options, (failed, value) => (failed ? reject(value) : resolve(value as T))).start(),
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

/** An operation under way: a tree of steps. */
export interface Driver {
  /** Takes the first step. */
  start(): void
  /**
   * Closes every generator for a cause that no `catch` in the steps may see; the caller gets it. Events that are sent
   * meanwhile are not waited for, and not sent at all when nobody listens any more (`quiet`).
   */
  halt(cause: unknown, quiet?: boolean): void
}

/** One generator under way: `step` resumes it, `stop` closes it with every `finally` it is in. */
interface Task {
  step(method: 'next' | 'throw' | 'return', input?: unknown): void
  stop(cause: unknown): void
}

/** The one driver of the three faces. `settle` is called once, with the cause of a halt if there was one. */
export function drive(
  face: Face,
  steps: AnySteps,
  { run, signal, emit, scope }: DriveOptions<never>,
  settle: Settle,
): Driver {
  const around = run && openPartOf(run)
  /** True once nobody listens any more. */
  let deaf = false
  const listener = emit ?? around?.root.send

  /** Hands an event to the listener. One that throws halts the run; after a halt nobody is waited for. */
  const send = (event: unknown): MaybePromise<void> => {
    if (!listener || root.done || deaf) return
    try {
      const sent: unknown = listener(event as never)
      if (!isThenable(sent)) return
      const heard = Promise.resolve(sent).then(ignore, haltQuietly)
      if (root.halted) return
      if (face !== 'sync') return heard
      // Blocking steps inside a run of another face send into it without waiting: they could not.
      if (!around || around.root.face === 'sync') root.refuse(sent, 'a listener')
    } catch (error) {
      haltQuietly(error)
    }
  }
  const halt = (cause: unknown, quiet = false): void => {
    deaf ||= quiet
    if (root.halted) return
    root.halted = { cause }
    part.stop(cause)
    task.stop(cause)
  }
  const haltQuietly = (error: unknown): void => halt(error, true)
  const root: Root = {
    face,
    send,
    done: false,
    halted: undefined,
    clock: face === 'sync' ? undefined : (around?.root.clock ?? new Clock()),
    fail(cause) {
      halt(cause)
      around?.root.fail(cause)
    },
    refuse(promise, what) {
      promise.then(ignore, ignore)
      const message = `\`${what}\` gave a promise in a blocking call: call it without \`Sync\``
      halt(new XError('async-in-sync', message, { details: { what } }))
    },
  }
  const onStop = (cause: unknown): void => halt(stopError(cause))
  let unlink: (() => void) | undefined
  let unhear: (() => void) | undefined
  const part = new Part(root, { scope: scope ?? around?.scope })
  const task = createTask(part, steps, (failed, value) => {
    root.done = true
    unlink?.()
    unhear?.()
    settle(!!root.halted || failed, root.halted ? root.halted.cause : value)
  })
  return {
    start() {
      // The signal of the run says nothing that the run does not.
      unlink = around?.onStop(onStop)
      if (signal && signal !== around?.signal) unhear = onAbort(signal, onStop)
      task.step('next')
    },
    halt,
  }
}

function createTask(part: Part, steps: AnySteps, settle: Settle): Task {
  /** Counts the waits; the answer to one that was given up is ignored. */
  let turn = 0
  let running = false
  let stopping = false
  let closing = false
  let group: Group | undefined
  let groupEnded: Outcome

  const goOnAfter = (promise: PromiseLike<unknown>): void => {
    const asked = turn
    promise.then(
      (value) => asked === turn && step('next', value),
      (error: unknown) => asked === turn && step('throw', error),
    )
  }

  const goOnAfterGroup = (...outcome: Outcome): void => {
    group = undefined
    groupEnded = outcome
    if (!running) step(...outcome)
  }

  /** Runs the steps to their next wait that really waits. */
  const step: Task['step'] = (method, input) => {
    let result: [failed: boolean, value: unknown]
    running = true
    turn++
    try {
      for (;;) {
        if (stopping && !closing) {
          closing = true
          method = 'return'
          input = undefined
        }
        const { done, value: asked } = steps[method](input)
        if (done) {
          result = [false, asked]
          break
        }
        method = 'next'
        switch (asked.type) {
          case RUN_REQUEST:
            input = part.run
            continue
          case SCOPE_REQUEST: {
            const outer = part
            part = outer.inner({ scope: (asked as { scope: RunScope }).scope })
            input = (): void => void (part = outer)
            continue
          }
          case POOL_REQUEST:
            group = createGroup(part, asked, goOnAfterGroup)
            group.fill()
            if (group) return
            ;[method, input] = groupEnded!
            continue
          case WAIT_REQUEST:
            input = (asked as { value: unknown }).value
            break
          default:
            input = part.send(asked)
        }
        const pause = !stopping && part.root.clock?.pause()
        if (pause) input = Promise.all([input, pause]).then(([value]) => value)
        if (!isThenable(input)) continue
        if (part.root.face === 'sync') {
          part.root.refuse(input, (asked as { what: string }).what)
          input = undefined
        } else if (stopping && !closing) {
          // A call that stopped its own run may give a promise that nobody will settle.
          input.then(ignore, ignore)
        } else return goOnAfter(input)
      }
    } catch (error) {
      result = [true, error]
    } finally {
      running = false
    }
    settle(...result)
  }

  return {
    step,
    stop(cause) {
      if (stopping) return
      stopping = true
      if (group) group.stop(cause)
      // What runs inside may be further up this stack, and has to close before.
      else if (!running) queueMicrotask(() => closing || step('return'))
    },
  }
}

type Outcome = [method: 'next' | 'throw', input?: unknown]

/** The children of one `pool`. */
interface Group {
  /** Starts children while there is room, and tells when nothing runs any more. */
  fill(): void
  /** Starts no further child and closes those that run. */
  stop(cause: unknown): void
}

function createGroup({ root, scope }: Part, { next, limit }: PoolRequest, onEnd: (...outcome: Outcome) => void): Group {
  const part = new Part(root, { scope })
  const tasks = new Set<Task>()
  /** True while it fills, and at its end. */
  let busy = false
  let stopped = false
  let outcome: Outcome = ['next']

  const stop = (cause: unknown): void => {
    if (!stopped) {
      stopped = true
      part.stop(cause)
      for (const task of tasks) task.stop(cause)
    }
    fill()
  }
  const fail = (error: unknown): void => {
    if (!stopped) outcome = ['throw', error]
    stop(error)
  }
  const fill = (): void => {
    if (busy) return
    busy = true
    for (;;) {
      if (stopped || tasks.size >= (root.face === 'sync' ? 1 : limit)) break
      try {
        const steps = next()
        if (!steps) break
        const task = createTask(part, steps, (failed, value) => {
          tasks.delete(task)
          if (failed) fail(value)
          else fill()
        })
        tasks.add(task)
        task.step('next')
      } catch (error) {
        fail(error)
      }
    }
    busy = tasks.size === 0
    if (busy) onEnd(...outcome)
  }
  return { fill, stop }
}

/** The first line of an origin's stack, and frames of the driver, of steps and of generators: they tell the caller of an operation nothing. */
const PLUMBING = /^Error$|^ +at .*(.kernel.(src|dist).|\.steps\.|(next|Promise) \(<)/u

/**
 * Returns an error with the frames of its caller: frames of the driver and of generators would fill the ten that Node
 * keeps. Call it where the error passes the public operation: `at` has the caller's frames.
 */
export function showCaller<T>(error: T, at: { readonly stack?: string | undefined }): T {
  if (error instanceof Error && at.stack) {
    try {
      error.stack = [...new Set(`${error.stack}\n${at.stack}`.split('\n'))]
        .filter((line) => !PLUMBING.test(line))
        .join('\n')
    } catch {
      // A frozen error keeps its stack.
    }
  }
  return error
}
