import type { SpanEvent, XEvent } from '@x/interfaces'

/** Turns of the event loop without a change after which a program that waits does nothing else. */
const QUIET_TURNS = 3

/** Calls of a program by their places, and work under way. */
interface CurrentActivity {
  readonly calls: readonly string[]
  readonly work: ReadonlySet<object>
}

const NOTHING: CurrentActivity = { calls: [], work: new Set() }

/**
 * The calls that a program makes while another of its branches waits: those of models, tools and code that are open, writes
 * and parts under way. A call in which something waits is no activity.
 */
export class Activity {
  /** Places of the calls that are open. */
  readonly #open = new Set<string>()
  /** Number of spans that are open. */
  #spans = 0
  readonly #underWay = new Set<object>()
  /** Jobs of searches that are open, by the place of their search. */
  readonly #jobs = new Map<string, number>()
  #changes = 0
  #onChange: (() => void) | undefined

  /** True if no span is open, and nothing is under way. */
  get isIdle(): boolean {
    return this.#spans === 0 && this.#underWay.size === 0
  }

  /** Takes an event of the run. */
  take(event: XEvent): void {
    if (event.type.endsWith('Start')) this.#spans++
    else if ('ms' in event) this.#spans--
    if (event.type === 'searchJobStart' || event.type === 'searchJobEnd') this.#countJob(event)
    const id = 'id' in event ? event.id : ''
    if (event.type.endsWith('Start') && isPlace(id)) this.#open.add(id)
    else if ('ms' in event) this.#open.delete(id)
    this.#change()
  }

  /** Counts work under way until it ends. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    this.#change()
    try {
      return await work
    } finally {
      this.#underWay.delete(work)
      this.#change()
    }
  }

  /** All that goes on now. */
  get current(): CurrentActivity {
    return { calls: [...this.#open, ...this.#jobs.keys()], work: new Set(this.#underWay) }
  }

  /** Resolves when nothing goes on but what waits at some places, and `besides`. */
  async quiet(waits: () => readonly string[], besides: CurrentActivity = NOTHING): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns++) {
      const seen = this.#changes
      await new Promise(setImmediate)
      if (seen !== this.#changes) turns = -1
      else if (this.#isBusy([...waits(), ...besides.calls], besides)) {
        await new Promise<void>((resolve) => (this.#onChange = resolve))
        turns = -1
      }
    }
  }

  #countJob({ type, parentId }: Pick<SpanEvent, 'type' | 'parentId'>): void {
    if (parentId === null) return
    const jobs = (this.#jobs.get(parentId) ?? 0) + (type === 'searchJobStart' ? 1 : -1)
    if (jobs > 0) this.#jobs.set(parentId, jobs)
    else this.#jobs.delete(parentId)
  }

  #isBusy(waits: readonly string[], { calls, work }: CurrentActivity): boolean {
    for (const each of this.#underWay) if (!work.has(each)) return true
    for (const [place, jobs] of this.#jobs) {
      if (!calls.includes(place) && jobs > waits.filter((each) => each === place).length) return true
    }
    const isInside = (inner: string, outer: string): boolean => inner.startsWith(`${outer}.`)
    const open = [...this.#open]
    // An open call is one of those that wait, or around another one that is open.
    return open.some(
      (id) => !waits.some((place) => place === id || isInside(place, id)) && !open.some((other) => isInside(other, id)),
    )
  }

  #change(): void {
    this.#changes++
    this.#onChange?.()
    this.#onChange = undefined
  }
}

/** Lets a program go on where nothing outside has to answer: a few turns of the event loop. */
export async function fewTurns(): Promise<void> {
  for (let turns = 0; turns < QUIET_TURNS; turns++) await new Promise(setImmediate)
}

/** True for the id of the span of a call, which is its place. */
export const isPlace = (id: string): boolean => /^\d+(?:\.\d+)*$/u.test(id)
