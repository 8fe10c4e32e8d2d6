/** How long steps may keep the event loop, in milliseconds. */
const LONGEST = 10

/** Steps that are taken before the clock is read: most operations are over by then. */
const UNCLOCKED = 8

// Both are taken when the module is loaded: fake timers of a test would stop a run for good.
const now = performance.now.bind(performance)
const later: (go: (value: undefined) => void) => unknown =
  globalThis.setImmediate ??
  ((go) => {
    const { port1, port2 } = new MessageChannel()
    Object.assign(port1, { onmessage: go })
    port2.postMessage(0)
  })

/**
 * Makes the clock of a run and all that is in it. Asked after each step, it gives undefined, or a promise of the event
 * loop's next turn when the run has kept the loop for too long.
 */
export function createPause(): () => Promise<void> | undefined {
  let steps = 0
  let since = 0
  let turn: Promise<void> | undefined
  return () => {
    if (turn || steps++ < UNCLOCKED) return turn
    const time = now()
    since ||= time
    if (time - since < LONGEST) return undefined
    return (turn = new Promise<undefined>(later).then(() => {
      turn = undefined
      since = 0
    }))
  }
}
