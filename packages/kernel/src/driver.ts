import type { Face, Listener, Run } from '@x/interfaces'
import { FACE, POOL, WAIT, isThenable, type AnySteps, type PoolRequest } from './steps.ts'
import { abortError } from './abort.ts'
import { XError } from './x-error.ts'

/** A tree of steps on its way to an end. */
export interface Driver {
  /** Takes the first step. */
  start(): void
  /** Closes every generator for a cause that no `catch` in the steps may see; the caller gets it. */
  halt(cause: unknown): void
}

/** What is running: `step` resumes it, `stop` closes it with every `finally` it is in. */
interface Task {
  step(method: 'next' | 'throw' | 'return', input?: unknown): void
  stop(cause: unknown): void
}

interface DriveOptions {
  readonly emit?: Listener<never> | undefined
  readonly signal?: AbortSignal | undefined
}

/** Hears how a task ended: whether by an error that its steps did not catch, and with what. */
type Settle = (failed: boolean, value: unknown) => void

/** The one driver of the three faces. `settle` is called once, with the cause of a halt if there was one. */
export function drive(face: Face, steps: AnySteps, { emit: listener, signal }: DriveOptions, settle: Settle): Driver {
  let halted: { cause: unknown } | undefined

  /** Hands an event to the listener. One that throws halts the run; nothing is sent after a halt. */
  const emit = (event: unknown): void | Promise<void> => {
    if (halted || !listener) return
    try {
      const sent: unknown = listener(event as never)
      if (!isThenable(sent)) return
      if (face !== 'sync') return Promise.resolve(sent).then(ignore, halt)
      refuse(sent, 'a listener')
    } catch (error) {
      halt(error)
    }
  }
  const halt = (cause: unknown): void => {
    if (halted) return
    halted = { cause }
    scope.stop(cause)
    root.stop(cause)
  }
  /** Halts for a promise in the blocking face; the promise is abandoned, not left unhandled. */
  const refuse: Refuse = (promise, what) => {
    promise.then(ignore, ignore)
    const message = `\`${what}\` gave a promise in a blocking call: call without \`Sync\`, or answer now`
    halt(new XError('async-in-sync', message, { details: { what } }))
  }
  const onAbort = (): void => halt(abortError(signal!))

  const scope = createScope(face, emit)
  const root = createTask(scope.run, refuse, steps, (failed, value) => {
    signal?.removeEventListener('abort', onAbort)
    settle(!!halted || failed, halted ? halted.cause : value)
  })
  return {
    start() {
      signal?.addEventListener('abort', onAbort)
      if (signal?.aborted) onAbort()
      else root.step('next')
    },
    halt,
  }
}

type Refuse = (promise: PromiseLike<unknown>, what: string) => void

/** What the steps of one group see of their run, with a signal of their own; it is made when it is first asked for. */
function createScope(face: Face, emit: Run['emit']): { run: Run; stop(cause: unknown): void } {
  let controller: AbortController | undefined
  const own = (): AbortController => (controller ??= new AbortController())
  return {
    run:
      face === 'sync'
        ? { face, emit, signal: undefined }
        : {
            face,
            emit,
            get signal() {
              return own().signal
            },
          },
    stop: (cause) => own().abort(cause),
  }
}

function createTask(run: Run, refuse: Refuse, steps: AnySteps, settle: Settle): Task {
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
        if (asked.type === POOL) {
          group = createGroup(run, refuse, asked, goOnAfterGroup)
          group.fill()
          if (group) return
          ;[method, input] = groupEnded!
          continue
        }
        method = 'next'
        input = asked.type === WAIT ? asked.value : asked.type === FACE ? run : run.emit(asked as never)
        if (!isThenable(input)) continue
        if (run.face === 'sync') {
          refuse(input, (asked as { what: string }).what)
          input = undefined
        } else if (stopping && !closing) {
          // A leaf that stopped its own run may give a promise that nobody will settle.
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
      else if (!running) step('return')
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

function createGroup(
  parent: Run,
  refuse: Refuse,
  { next, limit, emit }: PoolRequest,
  onEnd: (...outcome: Outcome) => void,
): Group {
  const scope = createScope(parent.face, emit ? emit(parent) : parent.emit)
  const tasks = new Set<Task>()
  /** Filling, or at its end. */
  let busy = false
  let stopped = false
  let outcome: Outcome = ['next']

  const stop = (cause: unknown): void => {
    if (!stopped) {
      stopped = true
      scope.stop(cause)
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
      if (stopped || tasks.size >= (parent.face === 'sync' ? 1 : limit)) break
      try {
        const steps = next()
        if (!steps) break
        const task = createTask(scope.run, refuse, steps, (failed, value) => {
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

const ignore = (): void => {}
