import type { OpenCall, Run } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { scopeOf } from '@x/kernel/run'

/** A time for which a program waits: seconds from now, or a date. */
export type WaitTime = number | Date

/** Longest time from now, in seconds: ten years. */
const MAX_WAIT_S = 315_576_000

/** Shortest wait of a call under way for which a chat is suspended, in seconds: another start of its program costs time too. */
const MIN_LEAVE_S = 10

/** Names of the journal entries of kind `timer`: a time to wait for, that it has come, and a time that was read. */
const UNTIL_ENTRY_NAME = 'until'
const OVER_ENTRY_NAME = 'over'
const NOW_ENTRY_NAME = 'now'

/** A time for which the program waits at a place of its run. */
interface Timer {
  /** The time in milliseconds since 1970. */
  readonly at: number
  readonly isOver: boolean
  /** Records the time, for which the chat then waits. */
  keep(): Promise<void>
  /** Stops the chat from waiting for the time. */
  end(): void
}

/** A time for which a turn stops, and the place of the run that waits; undefined outside of it. */
interface AwaitedTime {
  readonly at: number
  readonly place: string | undefined
}

/** The times for which the program of a chat waits. The journal records each one, by the clock of the store. */
export class Timers {
  readonly #now: () => number
  readonly #onWait: (time: AwaitedTime) => void
  readonly #times = new Map<object, number>()
  /** Places of the run at which it sleeps. */
  readonly places: string[] = []

  /** `now` gives the time of the store in milliseconds since 1970. `onWait` is called with a time until which the turn stops. */
  constructor(now: () => number, onWait: (time: AwaitedTime) => void) {
    this.#now = now
    this.#onWait = onWait
  }

  /** The first time for which the program waits, in milliseconds since 1970; undefined for none. */
  get next(): number | undefined {
    return this.#times.size === 0 ? undefined : Math.min(...this.#times.values())
  }

  /** True if the program waits for no time. */
  get isUnused(): boolean {
    return this.#times.size === 0
  }

  /** Begins to wait for a time at the current place of the run, or goes on with the time that an earlier turn has recorded. */
  begin(run: Run, time: WaitTime, attempt: string): Timer {
    const open = scopeOf(run)?.open?.(run, { kind: 'timer', name: UNTIL_ENTRY_NAME })
    const known = open?.known?.value
    const at = typeof known === 'number' ? known : timeOf(time, this.#now(), attempt)
    open?.noteInput?.({ time: time instanceof Date ? time.toJSON() : time })
    const token = {}
    this.#times.set(token, at)
    return {
      at,
      isOver: this.#now() >= at,
      keep: async () => await keepOnce(open, at),
      end: () => {
        this.#times.delete(token)
        open?.end()
      },
    }
  }

  /**
   * Suspends the chat for some seconds at a place of a call under way: the promise never resolves. Undefined for few seconds,
   * which the call waits itself. Nothing is recorded, since the call asks again when the program starts anew.
   */
  leave(place: string, seconds: number): Promise<never> | undefined {
    if (seconds < MIN_LEAVE_S) return undefined
    const at = Math.ceil(this.#now() + seconds * 1000)
    this.#times.set({}, at)
    this.places.push(place)
    this.#onWait({ at, place })
    return new Promise<never>(() => {})
  }

  /** Returns the time, in milliseconds since 1970, and records it. */
  async time(run: Run): Promise<number> {
    const open = scopeOf(run)?.open?.(run, { kind: 'timer', name: NOW_ENTRY_NAME })
    const now = typeof open?.known?.value === 'number' ? open.known.value : this.#now()
    try {
      await keepOnce(open, now)
      return now
    } finally {
      open?.end()
    }
  }

  /** Waits for a time. The chat is suspended until then: the promise then never resolves. */
  async sleep(run: Run, time: WaitTime): Promise<void> {
    const timer = this.begin(run, time, 'sleep')
    const over = scopeOf(run)?.open?.(run, { kind: 'timer', name: OVER_ENTRY_NAME })
    try {
      if (over?.known) return
      if (timer.isOver) return await keepOnce(over, null)
      await timer.keep()
      if (over) this.places.push(over.place)
      // The steps that wait are on the stack; stopped there, they would end before what they have started.
      await Promise.resolve()
      this.#onWait({ at: timer.at, place: over?.place })
      // The run is stopped, so this promise stays pending.
      return await new Promise<never>(() => {})
    } finally {
      over?.end()
      timer.end()
    }
  }
}

async function keepOnce(open: OpenCall | undefined, value: unknown): Promise<void> {
  if (!open || open.known) return
  const kept = open.keep(value)
  if (isThenable(kept)) await kept
}

/** Returns a time in milliseconds since 1970. */
function timeOf(time: WaitTime, now: number, attempt: string): number {
  const at = time instanceof Date ? time.getTime() : Math.ceil(now + time * 1000)
  if ((time instanceof Date || typeof time === 'number') && at - now <= MAX_WAIT_S * 1000) return at
  throw new XError(
    'invalid-argument',
    `cannot ${attempt}: the time is ${time instanceof Date ? 'no valid date' : String(time)}; give seconds from now, or a date, at most ten years ahead`,
  )
}
