/** The process of one contestant: it takes messages `{ workload, params }` and answers `{ result }` or `{ error }`. */
import { pathToFileURL } from 'node:url'
import type { Connection, Contestant, ContestantInfo } from './contestant.ts'
import type { Sample } from './statistics.ts'
import { isUncollected, type Kept, type Params, type WorkloadName, workloads } from './workloads.ts'

/** One request to a contestant's process. */
export interface Request {
  readonly workload?: WorkloadName
  readonly params?: Params
  /** Asks for the time of a fixed piece of work, which shows how noisy the machine is. */
  readonly calibrate?: true
}

/** The first message of a contestant's process. */
export interface Hello {
  readonly info: ContestantInfo
  readonly variants: Readonly<Record<WorkloadName, readonly string[]>>
}

/** A message of a contestant's process. */
export interface Reply {
  readonly hello?: Hello
  readonly result?: Sample
  readonly error?: string
}

const [file = '', baseURL = ''] = process.argv.slice(2)
const kept = new Map<string, Kept>()
process.on('unhandledRejection', () => {})
process.on('disconnect', () => process.exit(0))
// Work that gives way to others after some milliseconds would allocate more on a busy machine.
if (isUncollected) performance.now = () => 0
try {
  const { info, create } = (await import(pathToFileURL(file).href)) as {
    info: ContestantInfo
    create: (connection: Connection) => Promise<Contestant>
  }
  const contestant = await create({ baseURL, apiKey: 'sk-mock' })
  const variants = Object.fromEntries(
    Object.entries(workloads).map(([name, workload]) => [name, workload.variants(contestant)]),
  ) as Hello['variants']
  process.on('message', (request: Request) => void answer(contestant, request))
  await send({ hello: { info, variants } })
} catch (error) {
  await send({ error: describe(error) })
  process.exit(1)
}

async function answer(contestant: Contestant, { workload, params, calibrate }: Request): Promise<void> {
  try {
    if (calibrate) return await send({ result: { ms: spin() } })
    const key = `${workload}:${params!.variant}`
    if (!kept.has(key)) kept.set(key, {})
    await send({ result: await workloads[workload!].run(contestant, params!, kept.get(key)!) })
  } catch (error) {
    await send({ error: describe(error) })
  }
}

function send(reply: Reply): Promise<void> {
  return new Promise((resolve) => {
    process.send!(reply, undefined, undefined, () => resolve())
  })
}

/** One line without paths of this machine, since it goes into the results. */
function describe(error: unknown): string {
  if (process.env['BENCH_STACK']) return String((error as Error).stack ?? error)
  return String(error)
    .split('\n')[0]!
    .replaceAll(/(?:file:\/\/)?\/[^\s'"]*\//gu, '')
    .slice(0, 300)
}

/** Milliseconds of a fixed piece of work. */
function spin(): number {
  const list = Array.from({ length: 200 }, (_, i) => ({ id: i, text: `item ${i}`, more: [i, i + 1] }))
  const start = performance.now()
  let characters = 0
  for (let i = 0; i < 150; i++) characters += JSON.stringify(JSON.parse(JSON.stringify(list))).length
  if (characters === 0) throw new Error('nothing was written')
  return performance.now() - start
}
