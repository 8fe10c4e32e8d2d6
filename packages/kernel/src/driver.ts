import type { Face, Listener, Run } from '@x/interfaces'
import { POOL, WAIT, isThenable, type AnySteps } from './steps.ts'
import { XError } from './x-error.ts'

/** How a task ended: with a value, with an error its steps did not catch, or stopped from outside. */
export type Settle = (how: 'done' | 'failed' | 'stopped', value?: unknown) => void

/** What the steps of one group see of their run; its signal is made when it is first asked for. */
class Scope implements Run {
  readonly face: Face
  readonly emit: Run['emit']
  #controller: AbortController | undefined
  #stopped: { cause: unknown } | undefined

  constructor(face: Face, emit: Run['emit']) {
    this.face = face
    this.emit = emit
  }

  get signal(): AbortSignal | undefined {
    if (this.face === 'sync') return undefined
    this.#controller ??= new AbortController()
    if (this.#stopped) this.#controller.abort(this.#stopped.cause)
    return this.#controller.signal
  }

  stop(cause: unknown): void {
    this.#stopped ??= { cause }
    this.#controller?.abort(cause)
  }
}

/** One tree of steps on its way to an end; the same driver for the three faces. */
export class Driver {
  readonly scope: Scope
  readonly #listener: Listener | undefined
  readonly #root: Task
  #halted: { cause: unknown } | undefined

  constructor(
    face: Face,
    steps: AnySteps,
    listener: Listener | undefined,
    settle: (failed: boolean, value: unknown) => void,
  ) {
    this.#listener = listener
    this.scope = new Scope(face, (event) => this.send(event))
    this.#root = new Task(this, this.scope, steps, (how, value) =>
      this.#halted ? settle(true, this.#halted.cause) : settle(how === 'failed', value),
    )
  }

  start(): void {
    this.#root.step('next', undefined)
  }

  /** Hands an event to the listener. One that throws halts the run; nothing is sent after a halt. */
  send(event: { readonly type: string }): void | Promise<void> {
    if (this.#halted || !this.#listener) return
    try {
      const sent = (this.#listener as (event: unknown) => unknown)(event)
      if (!isThenable(sent)) return
      if (this.scope.face !== 'sync') return Promise.resolve(sent).then(ignore, (error) => this.halt(error))
      this.halt(refused(sent, 'a listener'))
    } catch (error) {
      this.halt(error)
    }
  }

  /** Closes every generator for a cause that no `catch` in the steps may see; the caller gets it. */
  halt(cause: unknown): void {
    if (this.#halted) return
    this.#halted = { cause }
    this.scope.stop(cause)
    this.#root.stop(cause)
  }
}

class Task {
  readonly #driver: Driver
  readonly #scope: Scope
  readonly #steps: AnySteps
  readonly #settle: Settle
  /** Counts the waits; the answer to one that was given up is ignored. */
  #turn = 0
  #running = false
  #stopping: { cause: unknown } | undefined
  #closing = false
  #group: Group | undefined

  constructor(driver: Driver, scope: Scope, steps: AnySteps, settle: Settle) {
    this.#driver = driver
    this.#scope = scope
    this.#steps = steps
    this.#settle = settle
  }

  stop(cause: unknown): void {
    if (this.#stopping) return
    this.#stopping = { cause }
    if (this.#group) return this.#group.stop(cause)
    if (this.#running) return
    this.step('return', undefined)
  }

  /** Runs the steps to their next wait that really waits. */
  step(method: 'next' | 'throw' | 'return', input: unknown): void {
    let value: unknown
    this.#running = true
    this.#turn++
    try {
      for (;;) {
        if (this.#stopping && !this.#closing) {
          this.#closing = true
          method = 'return'
          input = undefined
        }
        const { done, value: asked } = this.#steps[method](input)
        if (done) {
          value = asked
          break
        }
        method = 'next'
        input = undefined
        if (typeof asked.type === 'string') {
          const sent = this.#driver.send(asked)
          if (sent) return this.#await(sent)
        } else if (asked.type === WAIT) {
          if (!isThenable(asked.value)) input = asked.value
          else if (this.#scope.face !== 'sync') return this.#await(asked.value)
          else this.#driver.halt(refused(asked.value, asked.what))
        } else if (asked.type === POOL) {
          const group = new Group(this.#driver, asked.next, this.#scope.face === 'sync' ? 1 : asked.limit)
          this.#group = group
          if (!group.fill()) {
            group.onEnd = () => this.#resume(group)
            this.#running = false
            return
          }
          this.#group = undefined
          if (group.failed) [method, input] = ['throw', group.failed.error]
        } else input = this.#scope
      }
    } catch (error) {
      this.#running = false
      return this.#settle(this.#closing ? 'stopped' : 'failed', error)
    }
    this.#running = false
    this.#settle(this.#closing ? 'stopped' : 'done', value)
  }

  #await(promise: PromiseLike<unknown>): void {
    this.#running = false
    const turn = this.#turn
    promise.then(
      (value) => turn === this.#turn && this.step('next', value),
      (error: unknown) => turn === this.#turn && this.step('throw', error),
    )
  }

  #resume(group: Group): void {
    this.#group = undefined
    if (group.failed) this.step('throw', group.failed.error)
    else this.step('next', undefined)
  }
}

/** The children of one `pool`: filled up to the limit, drained when one fails or all are stopped. */
class Group {
  readonly #driver: Driver
  readonly #next: () => AnySteps | undefined
  readonly #limit: number
  readonly #scope: Scope
  readonly #tasks = new Set<Task>()
  #filling = false
  #stopped = false
  failed: { error: unknown } | undefined
  onEnd: (() => void) | undefined

  constructor(driver: Driver, next: () => AnySteps | undefined, limit: number) {
    this.#driver = driver
    this.#next = next
    this.#limit = limit
    this.#scope = new Scope(driver.scope.face, driver.scope.emit)
  }

  /** Starts children while there is room; true when nothing runs any more. */
  fill(): boolean {
    this.#filling = true
    while (!this.#stopped && this.#tasks.size < this.#limit) {
      let steps: AnySteps | undefined
      try {
        steps = this.#next()
      } catch (error) {
        this.#fail(error)
      }
      if (!steps) break
      this.#start(steps)
    }
    this.#filling = false
    return this.#tasks.size === 0
  }

  #start(steps: AnySteps): void {
    const task: Task = new Task(this.#driver, this.#scope, steps, (how, value) => {
      this.#tasks.delete(task)
      if (how === 'failed') this.#fail(value)
      if (!this.#filling && this.fill()) this.onEnd?.()
    })
    this.#tasks.add(task)
    task.step('next', undefined)
  }

  #fail(error: unknown): void {
    this.failed ??= { error }
    this.stop(error)
  }

  stop(cause: unknown): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#scope.stop(cause)
    for (const task of this.#tasks) task.stop(cause)
  }
}

const ignore = (): void => {}

/** The error for a promise where nothing can be awaited; the promise is abandoned, not left unhandled. */
function refused(promise: PromiseLike<unknown>, what: string): XError {
  promise.then(undefined, ignore)
  return new XError(
    'async-in-sync',
    `\`${what}\` gave a promise in a blocking call: call the operation without \`Sync\`, or make \`${what}\` answer at once`,
    { details: { what } },
  )
}
