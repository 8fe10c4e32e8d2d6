/** The cost of a piece of work, per unit of it. */
export interface Cost {
  /** Microseconds of this thread's processor time. */
  readonly cpu: number
  /** Microseconds of the clock. */
  readonly wall: number
}

/** Measures several ways of doing the same work in turns, so that drift of the machine hits all; gives the median of each. */
export async function measure<K extends string>(
  ways: Readonly<Record<K, () => unknown>>,
  { rounds = 9, warm = 12, units }: { rounds?: number; warm?: number; units: number },
): Promise<Record<K, Cost>> {
  const names = Object.keys(ways) as K[]
  const costs = Object.fromEntries(names.map((name) => [name, [] as Cost[]])) as Record<K, Cost[]>
  for (const name of names) for (let i = 0; i < warm; i++) await ways[name]()
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const cpu = process.threadCpuUsage()
      const start = performance.now()
      await ways[name]()
      const { user, system } = process.threadCpuUsage(cpu)
      costs[name].push({ cpu: (user + system) / units, wall: ((performance.now() - start) * 1000) / units })
    }
  }
  return Object.fromEntries(
    names.map((name) => [
      name,
      { cpu: median(costs[name].map((c) => c.cpu)), wall: median(costs[name].map((c) => c.wall)) },
    ]),
  ) as Record<K, Cost>
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

/** Prints one line of a bench: what was measured, the ratio and the goal. */
export function report(name: string, ratio: number, goal: string, detail: string): void {
  console.log(`${name.padEnd(44)} ${ratio.toFixed(2).padStart(7)}   goal ${goal.padEnd(9)} ${detail}`)
}
