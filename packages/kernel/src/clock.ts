/** How long steps may keep the event loop, in milliseconds. */
const LONGEST = 10

/** Steps that are taken before the clock is read: most operations are over by then. */
const UNCLOCKED = 12

// Both are taken when the module is loaded: fake timers of a test would stop a run for good.
const now = performance.now.bind(performance)
const later: (go: (value: undefined) => void) => unknown =
  globalThis.setImmediate ??
  (globalThis.MessageChannel
    ? (go) => {
        const { port1, port2 } = new MessageChannel()
        Object.assign(port1, { onmessage: go })
        port2.postMessage(0)
      }
    : setTimeout)

/** Milliseconds of a clock that nobody sets. */
export const monotonicNow = (): number => performance.now()

/** The clock of a run and all that is in it. Plain fields: private ones cost more to make than all else that a short run does. */
export class Clock {
  steps = 0
  since = 0
  turn: Promise<void> | undefined = undefined

  /** Asked after each step, gives a promise of the event loop's next turn when the run has kept the loop for too long. */
  pause(): Promise<void> | undefined {
    if (this.turn || this.steps++ < UNCLOCKED) return this.turn
    const time = now()
    this.since ||= time
    if (time - this.since < LONGEST) return undefined
    return (this.turn = new Promise<undefined>(later).then(() => {
      this.turn = undefined
      this.since = 0
    }))
  }
}
