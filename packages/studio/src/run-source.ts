import type { KeptRun, KeptRunInfo, RunQuery } from '@x/records'
import type { RunFuture, RunList, RunRows, RunTotals } from './protocol.ts'
import { type RowOfSteps, rowsOf, withShared } from './run-rows.ts'

/** Where the studio reads runs: what `openRecords` or `hostRuns` returns. */
export interface StudioSource {
  list(query?: RunQuery): Promise<readonly KeptRunInfo[]>
  read(runId: string): Promise<KeptRun | undefined>
}

/** Joins runs with those that are recorded apart from them, such as their forks; a run that both have is that of the first. */
export const bothOf = (source: StudioSource, apart: StudioSource): StudioSource => ({
  list: async (query) => {
    const infos = await source.list(query)
    const known = new Set(infos.map(({ runId }) => runId))
    const others = (await apart.list(query)).filter(({ runId }) => !known.has(runId))
    return [...infos, ...others].toSorted((one, other) => other.last - one.last)
  },
  read: async (runId) => (await source.read(runId)) ?? (await apart.read(runId)),
})

/** A search of a person in the list of runs. */
export interface RunSearch {
  /** Words that stand in the title, the id, an agent, a tag or a label. */
  readonly words: string
  readonly query: RunQuery
  /** A tag as it is shown, `name=value`; null for any. */
  readonly tag: string | null
  readonly limit: number
}

/** A run with its rows. */
export interface LoadedRun {
  readonly run: KeptRun
  readonly rows: readonly RowOfSteps[]
}

/** Runs that stay in memory. */
const MAX_LOADED = 3
/** Days that the totals of a list tell apart. */
const MAX_DAYS = 30
/** Most names to choose from. */
const MAX_NAMES = 100

/** Reads runs for the page, and keeps those that were read last. */
export class RunReader {
  readonly #source: StudioSource
  readonly #loaded = new Map<string, LoadedRun>()

  constructor(source: StudioSource) {
    this.#source = source
  }

  /** Lists runs, the newest first, with what all that fit cost together. */
  async list({ words, query, tag, limit }: RunSearch): Promise<RunList> {
    const listed = await this.#source.list({ ...query, limit: Infinity })
    const all = tag === null ? listed : listed.filter((info) => tagsOf(info).includes(tag))
    const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean)
    const found = wanted.length === 0 ? all : all.filter((info) => hasWords(info, wanted))
    return {
      runs: found.slice(0, limit),
      totals: totalsOf(found),
      agents: namesIn(all.flatMap(({ agents }) => agents)),
      tags: namesIn(all.flatMap(tagsOf)),
    }
  }

  /** Reads a run with what it shares with the run that it was forked from; one in which nothing is new is read once. */
  async load(runId: string, seen: readonly string[] = []): Promise<LoadedRun | undefined> {
    const known = this.#loaded.get(runId)
    if (known) {
      const info = (await this.#source.list({ runId, limit: Infinity })).find((each) => each.runId === runId)
      const { events, bytes, began } = known.run.info
      // A chat of a host that was deleted and submitted again began later.
      const isSame = info?.began === began && info.events === events && info.bytes === bytes
      if (info && isSame) return { ...known, run: { ...known.run, info } }
    }
    const run = await this.#source.read(runId)
    this.#loaded.delete(runId)
    if (!run) return undefined
    const { parent } = run.info
    const origin = parent && !seen.includes(parent.runId) ? await this.load(parent.runId, [...seen, runId]) : undefined
    const own = rowsOf(run)
    const loaded = { run, rows: origin ? withShared(origin.rows, own, parent!.place) : own }
    this.#loaded.set(runId, loaded)
    for (const oldest of this.#loaded.keys()) {
      if (this.#loaded.size <= MAX_LOADED) break
      this.#loaded.delete(oldest)
    }
    return loaded
  }

  /** Returns the rows of a run from the first on that has changed since an event. */
  async rows(runId: string, since: number): Promise<RunRows | undefined> {
    const loaded = await this.load(runId)
    if (!loaded) return undefined
    const { run, rows } = loaded
    const changed = rows.findIndex(({ lastSeq }) => lastSeq > since)
    const from = changed === -1 ? rows.length : changed
    return { info: run.info, from, rows: rows.slice(from).map(({ row }) => row), seq: run.events.at(-1)?.seq ?? -1 }
  }

  /** Lists the runs that were forked from a run. */
  async forks(runId: string): Promise<readonly KeptRunInfo[]> {
    return (await this.#source.list({ limit: Infinity })).filter(({ parent }) => parent?.runId === runId)
  }

  /** Returns what was said in runs, to put them side by side. */
  async futures(runIds: readonly string[]): Promise<readonly RunFuture[]> {
    const futures: RunFuture[] = []
    for (const runId of runIds) {
      const loaded = await this.load(runId)
      if (loaded) futures.push({ info: loaded.run.info, said: saidIn(loaded.rows) })
    }
    return futures
  }
}

function saidIn(rows: readonly RowOfSteps[]): RunFuture['said'] {
  return rows.flatMap(({ row, steps }) => {
    const step = steps[0]!
    const who = row.agent ?? ''
    if (row.kind === 'chat') return [{ who, text: step.input }]
    if (row.kind === 'tool') return [{ who: row.name ?? who, text: step.output }]
    if (row.kind === 'code' || row.kind === 'humanInput')
      return [{ who: row.kind === 'code' ? 'code' : who, text: step.output }]
    return row.kind === 'reply' || row.kind === 'answer' ? [{ who, text: step.output }] : []
  })
}

const tagsOf = ({ tags }: KeptRunInfo): string[] => Object.entries(tags).map(([name, value]) => `${name}=${value}`)

function hasWords(info: KeptRunInfo, words: readonly string[]): boolean {
  const { runId, title, agents, labels, error } = info
  const texts = [runId, title, error ?? '', ...agents, ...tagsOf(info)]
  for (const { name, value } of labels)
    texts.push(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const text = texts.join('\n').toLowerCase()
  return words.every((word) => text.includes(word))
}

const namesIn = (names: readonly string[]): readonly string[] => [...new Set(names)].toSorted().slice(0, MAX_NAMES)

function totalsOf(infos: readonly KeptRunInfo[]): RunTotals {
  const totals = { runs: infos.length, failed: 0, calls: 0, promptTokens: 0, completionTokens: 0, cost: 0, unpriced: 0 }
  const days = new Map<string, { day: string; runs: number; cost: number }>()
  const sumOf = (day: string): { day: string; runs: number; cost: number } => {
    const sum = days.get(day) ?? { day, runs: 0, cost: 0 }
    days.set(day, sum)
    return sum
  }
  for (const { began, outcome, spent } of infos) {
    if (outcome === 'error') totals.failed++
    sumOf(new Date(began).toISOString().slice(0, 10)).runs++
    for (const { day, calls, promptTokens, completionTokens, cost, unpriced = 0 } of spent) {
      totals.calls += calls
      totals.promptTokens += promptTokens
      totals.completionTokens += completionTokens
      totals.cost += cost
      totals.unpriced += unpriced
      sumOf(day).cost += cost
    }
  }
  const sorted = [...days.values()].toSorted((one, other) => (one.day < other.day ? -1 : 1))
  return { ...totals, days: sorted.slice(-MAX_DAYS) }
}
