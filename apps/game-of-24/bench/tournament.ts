import { differenceOf, type Interval, intervalOf } from '@x/eval'
import { isBarWorld, WORLDS } from '../src/index.ts'
import { CONTESTANTS, JUDGED } from './contestants.ts'
import type { Crew } from './crew.ts'
import { type Cell, entriesIn, type Entry, type Play } from './play.ts'

/** The puzzles, seeds and cells of a tournament. */
export interface TournamentSetting {
  readonly cells: readonly Cell[]
  readonly puzzles: readonly string[]
  /** Seeds on which the best contestant of each cell is chosen. */
  readonly choosingSeeds: readonly number[]
  /** Seeds on which it is compared with the judged one: others. */
  readonly judgingSeeds: readonly number[]
  /** True to judge all contestants, not only the best, the best-of-n methods and the judged one. */
  readonly judgesAll?: boolean | undefined
  /** Hears how far the tournament is. */
  readonly tell?: ((progress: string) => void) | undefined
}

/** The plays of an entry, puzzle by puzzle: those of the same seeds in the same order for every entry. */
export type PlaysByPuzzle = readonly (readonly Play[])[]

/** The result of one entry on the judging seeds. */
export interface JudgedEntry extends Entry {
  readonly plays: PlaysByPuzzle
  /** Share of right answers. */
  readonly share: Interval
  /** Mean number of calls. */
  readonly usedCalls: number
}

/** The result of a cell. */
export interface CellResult extends Cell {
  /** Name of the contestant that was best on the choosing seeds. */
  readonly best: string
  readonly entries: readonly JudgedEntry[]
}

const keyOf = ({ world, check, calls }: Cell): string => `${world}|${check}|${calls}`

/** Number of the seed of the bootstrap. */
const BOOTSTRAP_SEED = 1

const isRight = ({ isRight }: Play): number => Number(isRight)

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the share of right answers, with an interval over puzzles: the seeds of one puzzle are not independent. */
export const shareOf = (plays: PlaysByPuzzle): Interval =>
  intervalOf(
    plays.map((ofPuzzle) => mean(ofPuzzle.map(isRight))),
    BOOTSTRAP_SEED,
  )!

/** Returns the paired difference of the shares of two entries, with an interval over puzzles. */
export const advantageOf = (one: PlaysByPuzzle, other: PlaysByPuzzle): Interval =>
  differenceOf(
    one.map((plays, i) => [mean(plays.map(isRight)), mean(other[i]!.map(isRight))]),
    BOOTSTRAP_SEED,
  )!

/** Chooses the best contestant of each cell on some seeds, and judges it beside others on other seeds. */
export async function runTournament(setting: TournamentSetting, crew: Crew): Promise<CellResult[]> {
  const shared = setting.choosingSeeds.filter((seed) => setting.judgingSeeds.includes(seed))
  if (shared.length > 0) throw new Error(`the seeds ${shared.join(', ')} both choose and judge: take others for one`)
  const best = await chooseBest(setting, crew)
  const isJudged = ({ name, ...cell }: Entry): boolean =>
    setting.judgesAll === true || name === JUDGED || isBestOfN(name) || name === best.get(keyOf(cell))
  const entries = entriesIn(setting.cells).filter(isJudged)
  const plays = await playAll(entries, { seeds: setting.judgingSeeds, setting, crew })
  const judged = entries.map((entry, i): JudgedEntry => {
    const all = plays[i]!
    return { ...entry, plays: all, share: shareOf(all), usedCalls: mean(all.flat().map(({ calls }) => calls)) }
  })
  const byCell = Map.groupBy(judged, keyOf)
  return setting.cells.map((cell) => ({ ...cell, best: best.get(keyOf(cell))!, entries: byCell.get(keyOf(cell))! }))
}

const isBestOfN = (name: string): boolean =>
  CONTESTANTS.some((contestant) => contestant.name === name && contestant.isBestOfN === true)

interface Round {
  readonly seeds: readonly number[]
  readonly setting: TournamentSetting
  readonly crew: Crew
}

/** Plays entries with all puzzles and some seeds; returns the plays of each entry by puzzle. */
async function playAll(entries: readonly Entry[], { seeds, setting, crew }: Round): Promise<PlaysByPuzzle[]> {
  setting.tell?.(`${entries.length} entries, ${setting.puzzles.length} puzzles, seeds ${seeds.join(', ')}`)
  const plays = await crew.play(setting.puzzles.map((puzzle) => ({ puzzle, seeds, entries })))
  return entries.map((_, i) => plays.map((ofPuzzle) => ofPuzzle.map((ofSeed) => ofSeed[i]!)))
}

/**
 * Chooses the best contestant of each cell by a race (Maron and Moore 1994): seed by seed, those leave whose interval of the
 * difference from the leader lies below zero.
 */
async function chooseBest(setting: TournamentSetting, crew: Crew): Promise<Map<string, string>> {
  let racing = entriesIn(setting.cells)
    .filter(({ name }) => name !== JUDGED)
    .map((entry) => ({ entry, plays: [] as Play[] }))
  const leaders = new Map<string, (typeof racing)[number]>()
  for (const seed of setting.choosingSeeds) {
    const plays = await playAll(
      racing.map(({ entry }) => entry),
      { seeds: [seed], setting, crew },
    )
    racing.forEach((racer, i) => racer.plays.push(...plays[i]!.flat()))
    const byCell = Map.groupBy(racing, ({ entry }) => keyOf(entry))
    for (const [key, racers] of byCell) leaders.set(key, leaderOf(racers))
    racing = racing.filter((racer) => isInTheRace(racer, leaders.get(keyOf(racer.entry))!))
  }
  return new Map([...leaders].map(([key, { entry }]) => [key, entry.name]))
}

/** Returns the racer with most right answers; of equals the first. */
const leaderOf = <T extends { readonly plays: readonly Play[] }>(racers: readonly T[]): T =>
  racers.reduce((best, racer) => (mean(racer.plays.map(isRight)) > mean(best.plays.map(isRight)) ? racer : best))

function isInTheRace(racer: { readonly plays: readonly Play[] }, leader: { readonly plays: readonly Play[] }): boolean {
  const pairs = racer.plays.map((play, i) => [isRight(play), isRight(leader.plays[i]!)] as const)
  return differenceOf(pairs, BOOTSTRAP_SEED)!.high >= 0
}

/** A demand on the judged method in one cell, and how it went. */
export interface Bar extends Cell {
  readonly demand: string
  /** The paired difference of the judged method from another entry. */
  readonly difference: Interval
  readonly holds: boolean
}

/** Budget from which the judged method has to be close to the best. */
const CLOSE_FROM_CALLS = 50
/** How far below the best the whole interval of the difference may lie. */
const SLACK = { close: 0.03, small: 0.05 } as const

/**
 * The demands on the judged method: close to the best of its cell where grades praise falsely; in no cell shown to be under a
 * best-of-n with the same check, or under itself with a smaller budget.
 */
export function barsOf(results: readonly CellResult[]): Bar[] {
  const barWorlds = new Set(WORLDS.filter(isBarWorld).map(({ name }) => name))
  return results.flatMap((result) => {
    const judged = result.entries.find(({ name }) => name === JUDGED)
    if (!judged) return []
    const { world, check, calls } = result
    const bar = (demand: string, other: JudgedEntry, holds: (difference: Interval) => boolean): Bar => {
      const difference = advantageOf(judged.plays, other.plays)
      return { world, check, calls, demand, difference, holds: holds(difference) }
    }
    const slack = calls >= CLOSE_FROM_CALLS ? SLACK.close : SLACK.small
    const close = result.entries
      .filter(({ name }) => name === result.best && barWorlds.has(world))
      .map((best) => bar(`close to the best, ${best.name}`, best, ({ low }) => low > -slack))
    const notUnder = result.entries
      .filter(({ name }) => isBestOfN(name))
      .map((other) => bar(`not under ${other.name}`, other, ({ high }) => high >= 0))
    const smaller = results
      .filter((other) => other.world === world && other.check === check && other.calls < calls)
      .toSorted((a, b) => b.calls - a.calls)[0]
    const before = smaller?.entries.find(({ name }) => name === JUDGED)
    const anytime = before ? [bar(`not under ${before.calls} calls`, before, ({ high }) => high >= 0)] : []
    return [...close, ...notUnder, ...anytime]
  })
}
