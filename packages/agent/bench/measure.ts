/** Microseconds of this process's processor time, so that what else runs on the machine does not count. */
async function cpu(run: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** The least processor time, in µs, of some rounds after a warm-up: what the work costs when nothing disturbs it. */
export async function cheapest(run: () => unknown, { rounds = 9, warm = 2 } = {}): Promise<number> {
  for (let round = 0; round < warm; round++) await run()
  let least = Infinity
  for (let round = 0; round < rounds; round++) least = Math.min(least, await cpu(run))
  return least
}

/** The exponent of the growth: 1 when twice the turns cost twice the time; least squares over all lengths. */
export function slope(costs: ReadonlyMap<number, number>): number {
  const points = [...costs].map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const [meanX, meanY] = [0, 1].map((at) => points.reduce((sum, point) => sum + point[at]!, 0) / points.length)
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX!) * (y - meanY!), 0)
  return over / points.reduce((sum, [x]) => sum + (x - meanX!) ** 2, 0)
}

/** What a figure is to keep. */
export interface Limit {
  readonly limit: number
  readonly unit: string
  readonly detail?: string
}

/** Prints one line of the bench: what was measured, the figure, and the limit that it is to keep. */
export function report(name: string, figure: number, { limit, unit, detail }: Limit): void {
  const kept = figure <= limit
  if (!kept) process.exitCode = 1
  const line = [
    name.padEnd(52),
    figure.toFixed(2).padStart(6),
    unit.padEnd(2),
    `limit ${limit}`,
    kept ? 'kept' : 'BROKEN',
  ]
  console.log([...line, detail ?? ''].join('  ').trimEnd())
}
