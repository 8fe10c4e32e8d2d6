import type { RunningProcess } from '../src/processes.ts'

/** Interval at which the processes are asked. */
const INTERVAL_MS = 2000

/** Growth of the least heap from which a process is said to keep memory: a share, and bytes on top. */
const MAX_GROWTH = 0.25
const MAX_GROWTH_BYTES = 16 * 2 ** 20

/** Fewest samples in a quarter of the time from which a heap is judged: in less, garbage may not have been collected. */
const MIN_SAMPLES = 60

interface Sample {
  readonly rss: number
  readonly heap: number
}

/** Watches the memory of processes by their metrics. */
export class MemoryWatch implements Disposable {
  readonly #processes: readonly (readonly [name: string, process: RunningProcess])[]
  readonly #samples = new Map<string, Sample[]>()
  readonly #pids = new Map<string, Set<number | undefined>>()
  readonly #timer: NodeJS.Timeout

  constructor(processes: readonly (readonly [name: string, process: RunningProcess])[]) {
    this.#processes = processes
    this.#timer = setInterval(() => void this.#sample(), INTERVAL_MS)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #sample(): Promise<void> {
    for (const [name, { child, monitor }] of this.#processes) {
      const response = await fetch(`${monitor}/metrics`).catch(() => null)
      const text = (await response?.text().catch(() => '')) ?? ''
      const value = (metric: string): number => Number(new RegExp(`^${metric} (\\S+)$`, 'mu').exec(text)?.[1] ?? NaN)
      const sample = { rss: value('process_resident_memory_bytes'), heap: value('nodejs_heap_size_used_bytes') }
      if (Number.isNaN(sample.rss)) continue
      this.#samples.set(name, [...(this.#samples.get(name) ?? []), sample])
      this.#pids.set(name, (this.#pids.get(name) ?? new Set()).add(child.pid))
    }
  }

  /** A row for each process: starts, memory at first, at most and at last, and the least heap in two quarters of the time. */
  rows(): (string | number)[][] {
    const mega = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)
    return [...this.#samples].map(([name, samples]) => {
      const all = samples.map(({ rss }) => rss)
      const [before, after] = this.#leastHeaps(name)
      return [
        name,
        this.#pids.get(name)!.size,
        mega(all[0]!),
        mega(Math.max(...all)),
        mega(all.at(-1)!),
        mega(before),
        mega(after),
      ]
    })
  }

  /** Names the processes that were not started again, and whose least heap has grown; none in a run of less than eight minutes. */
  leaks(): string[] {
    return [...this.#samples.keys()].flatMap((name) => {
      const [before, after] = this.#leastHeaps(name)
      const isJudged = this.#pids.get(name)!.size === 1 && this.#samples.get(name)!.length >= 4 * MIN_SAMPLES
      const grown = isJudged && after > before * (1 + MAX_GROWTH) + MAX_GROWTH_BYTES
      return grown ? [`the ${name} keeps memory: its least heap grew from ${before} to ${after} bytes`] : []
    })
  }

  #leastHeaps(name: string): [number, number] {
    const heaps = this.#samples.get(name)!.map(({ heap }) => heap)
    const quarter = Math.max(1, Math.floor(heaps.length / 4))
    return [Math.min(...heaps.slice(quarter, 2 * quarter + 1)), Math.min(...heaps.slice(-quarter))]
  }
}
