import { readFileSync } from 'node:fs'
import {
  BareModel,
  checkAnswer,
  Game,
  numbersOf,
  questionOf,
  RoundCounter,
  StandInClient,
  verifierOf,
} from '../src/index.ts'
import {
  modelParts,
  modelProposer,
  proposerByModel,
  search,
  searchSync,
  seededRandom,
  type SearchParts,
} from '@x/reasoning'
import { calibrationOf, type Noise, type Row } from './rows.ts'

/** The results of a row; shares in percent, the rest per puzzle. */
export interface Measured {
  readonly solved: number
  /** Standard deviation of the share over the seeds. */
  readonly spread: number
  readonly calls: number
  readonly rounds: number
  readonly tokens: number
}

/** The puzzles, seeds, noise and budget of a measurement. */
export interface Setting {
  readonly puzzles: readonly string[]
  readonly seeds: readonly number[]
  readonly noise?: Partial<Noise> | undefined
  readonly budget?: SearchParts['budget']
}

/**
 * Returns the puzzles of a comma-separated list: by their number in the paper's list, counted from 1, the hardest last
 * (`901`, `901-1000`), or as four numbers (`4 9 10 13`). Ignores unknown entries.
 */
export function puzzles(names: string): string[] {
  const all = readFileSync(new URL('game-of-24.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return names.split(',').flatMap((name) => {
    if (/^\s*\d+(?:\s+\d+){3}\s*$/.test(name)) return [name.trim()]
    const [from, to = from] = name.split('-').map(Number)
    return all.slice(Math.max(0, (from ?? 0) - 1), to)
  })
}

/** Shared by all seeds, since the arithmetic does not depend on them. */
const game = new Game()

interface Sums {
  solved: number
  calls: number
  rounds: number
  tokens: number
}

/** Measures a row with independent calls at once, and counts rounds on a virtual clock. */
export async function measure(row: Row, setting: Setting): Promise<Measured> {
  const seeds: Sums[] = []
  for (const seed of setting.seeds) {
    const sums = { solved: 0, calls: 0, rounds: 0, tokens: 0 }
    const clientOf = clientsOf(row, setting, seed)
    for (const puzzle of setting.puzzles) {
      const counter = new RoundCounter(clientOf())
      const modelOf = (name?: string): BareModel => new BareModel(name === undefined ? counter : clientOf(name))
      const { answer, used } = await search(questionOf(puzzle), partsOf(row, puzzle, { modelOf, setting, seed }))
      count(sums, puzzle, { answer, used })
      sums.rounds += counter.rounds
    }
    seeds.push(sums)
  }
  return summarize(seeds, setting)
}

/** Measures a row one call at a time: faster, but without rounds. */
export function measureSync(row: Row, setting: Setting): Measured {
  const seeds = setting.seeds.map((seed) => {
    const sums = { solved: 0, calls: 0, rounds: 0, tokens: 0 }
    const clientOf = clientsOf(row, setting, seed)
    const modelOf = (name?: string): BareModel => new BareModel(clientOf(name))
    for (const puzzle of setting.puzzles) {
      count(sums, puzzle, searchSync(questionOf(puzzle), partsOf(row, puzzle, { modelOf, setting, seed })))
    }
    return sums
  })
  return summarize(seeds, setting)
}

/** Returns the stand-in, and by name the models among which a method chooses. */
function clientsOf(row: Row, { noise }: Setting, seed: number): (name?: string) => StandInClient {
  const clientWith = (noise: Partial<Noise> | undefined): StandInClient =>
    new StandInClient({ seed, game, calibration: calibrationOf(row, noise) })
  const defaultClient = clientWith(noise)
  const clientsByName = new Map(
    Object.entries(row.models ?? {}).map(([name, proposal]) => [name, clientWith({ ...noise, proposal })]),
  )
  return (name) => (name === undefined ? defaultClient : clientsByName.get(name)!)
}

interface Environment {
  readonly modelOf: (name?: string) => BareModel
  readonly setting: Setting
  readonly seed: number
}

function partsOf(row: Row, puzzle: string, { modelOf, setting, seed }: Environment): SearchParts {
  const proposers = Object.keys(row.models ?? {}).map((name) => [name, modelProposer({ model: modelOf(name) })])
  const luck = seededRandom(seed)
  return {
    ...modelParts({ model: modelOf() }),
    ...(row.models && { proposer: proposerByModel(Object.fromEntries(proposers)) }),
    budget: setting.budget,
    method: row.method,
    concurrency: Infinity,
    // Without it all searches would draw the same random numbers, which the mean over the seeds does not even out.
    random: (name) => luck(`${puzzle}|${name}`),
    verifier: row.verified ? verifierOf(puzzle) : undefined,
  }
}

type Result = Pick<Awaited<ReturnType<typeof search>>, 'answer' | 'used'>

function count(sums: Sums, puzzle: string, { answer, used }: Result): void {
  if (answer !== null && checkAnswer(answer, numbersOf(puzzle))) sums.solved += 1
  sums.calls += used.calls
  sums.tokens += used.promptTokens + used.completionTokens
}

function summarize(seeds: readonly Sums[], { puzzles }: Setting): Measured {
  const mean = (key: keyof Sums): number =>
    seeds.reduce((sum, each) => sum + each[key], 0) / seeds.length / puzzles.length
  const solved = 100 * mean('solved')
  const squares = seeds.map((each) => ((100 * each.solved) / puzzles.length - solved) ** 2)
  const spread = Math.sqrt(squares.reduce((a, b) => a + b, 0) / Math.max(1, seeds.length - 1))
  return { solved, spread, calls: mean('calls'), rounds: mean('rounds'), tokens: mean('tokens') }
}
