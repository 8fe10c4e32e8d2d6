import { describe, expect, it } from 'vitest'
import { CHECKS, CONTESTANTS, JUDGED } from '../bench/contestants.ts'
import { reliabilityOf } from '../bench/confidence.ts'
import { type Crew, crewOf, loneCrew } from '../bench/crew.ts'
import { puzzles } from '../bench/measure.ts'
import { entriesIn, type Entry, type Play, playTask, type Task } from '../bench/play.ts'
import { advantageOf, barsOf, type CellResult, runTournament, shareOf } from '../bench/tournament.ts'
import { BareModel, checkAnswer, Game, numbersOf, questionOf, StandInClient, verifierOf, WORLDS } from './index.ts'
import { modelParts, searchSync, seededRandom } from '@x/reasoning'

const play = (isRight: boolean, confidence: number | null = null): Play => ({ isRight, calls: 7, confidence })

/** A crew whose entries are right where a rule says so; it keeps what it was asked. */
function scripted(rule: (entry: Entry, puzzle: string, seed: number) => boolean): Crew & { readonly tasks: Task[] } {
  const tasks: Task[] = []
  return {
    tasks,
    play(asked) {
      tasks.push(...asked)
      return Promise.resolve(
        asked.map(({ puzzle, seeds, entries }) =>
          seeds.map((seed) => entries.map((entry) => play(rule(entry, puzzle, seed)))),
        ),
      )
    },
    end: () => Promise.resolve(),
  }
}

const CELL = { world: 'praise 10 %, detect 0.5', check: 'none', calls: 50 } as const
const PUZZLES = Array.from({ length: 60 }, (_, i) => `puzzle ${i}`)
const SEEDS = { choosingSeeds: [1, 2, 3], judgingSeeds: [11, 12] }

describe('the best of a cell', () => {
  it('is chosen on other seeds than those on which it is judged', async () => {
    const crew = scripted(({ name }, _, seed) => (name === 'ab_mcts' ? seed < 10 : seed > 10))
    const [result] = await runTournament({ cells: [CELL], puzzles: PUZZLES, ...SEEDS }, crew)
    expect(result!.best).toBe('ab_mcts')
    // On the judging seeds it is the worst, and that is what the table says.
    expect(result!.entries.find(({ name }) => name === 'ab_mcts')!.share).toMatchObject({ value: 0, n: 60 })
    expect(result!.entries.find(({ name }) => name === 'best_of_n')!.share.value).toBe(1)
    for (const { seeds } of crew.tasks)
      expect(seeds.every((seed) => seed < 10) || seeds.join() === SEEDS.judgingSeeds.join()).toBe(true)
  })

  it('is not chosen at all if a seed would do both', async () => {
    const crew = scripted(() => true)
    const setting = { cells: [CELL], puzzles: PUZZLES, choosingSeeds: [1, 2], judgingSeeds: [2, 3] }
    await expect(runTournament(setting, crew)).rejects.toThrow('the seeds 2 both choose and judge')
    expect(crew.tasks).toEqual([])
  })

  it('is found by a race that those leave who are clearly behind', async () => {
    const crew = scripted(({ name }, puzzle) => name.startsWith('best_first') || puzzle.endsWith('7'))
    const [result] = await runTournament({ cells: [CELL], puzzles: PUZZLES, ...SEEDS }, crew)
    const racersOn = (seed: number): string[] =>
      crew.tasks.find(({ seeds }) => seeds.join() === String(seed))!.entries.map(({ name }) => name)
    expect(racersOn(1)).toEqual(entriesIn([CELL]).flatMap(({ name }) => (name === JUDGED ? [] : name)))
    expect(racersOn(2)).toEqual(racersOn(1).filter((name) => name.startsWith('best_first')))
    expect(result!.best).toBe('best_first')
  })

  it('stands beside the best-of-n methods, and beside all on demand', async () => {
    const crew = scripted(({ name }) => name === 'ab_mcts')
    const judgedIn = async (judgesAll: boolean): Promise<string[]> => {
      const [result] = await runTournament({ cells: [CELL], puzzles: PUZZLES, ...SEEDS, judgesAll }, crew)
      return result!.entries.flatMap(({ name }) => (name === JUDGED ? [] : name))
    }
    expect(await judgedIn(false)).toEqual(['best_of_n', 'best_by_reward', 'best_by_reward, steps', 'ab_mcts'])
    expect(await judgedIn(true)).toEqual(entriesIn([CELL]).flatMap(({ name }) => (name === JUDGED ? [] : name)))
  })
})

describe('intervals', () => {
  const half = PUZZLES.map((_, i) => [play(i % 2 === 0), play(i % 2 === 0)])

  it('of a difference come from pairs: the same plays differ by nothing, the opposite ones by all', () => {
    const same = advantageOf(half, half)
    expect([same.value, same.high - same.low < 0.1]).toEqual([0, true])
    const opposite = half.map((plays) => plays.map(({ isRight }) => play(!isRight)))
    const { value, low, high } = advantageOf(half, opposite)
    expect(value).toBe(0)
    expect(high - low).toBeGreaterThan(0.4)
  })

  it('grow if the seeds of a puzzle agree, since they then say little more than one', () => {
    const spread = PUZZLES.map((_, i) => [play(true), play(i % 8 === 0)])
    const width = ({ low, high }: { low: number; high: number }): number => high - low
    expect(shareOf(half)).toMatchObject({ value: 0.5, n: 60 })
    expect(width(shareOf(half))).toBeGreaterThan(2 * width(shareOf(spread)))
  })
})

describe('the bars', () => {
  /** A cell in which two methods differ by some points, on many puzzles. */
  function cell(calls: number, judgedShare: number, world: string = CELL.world): CellResult {
    const entry = (name: string, share: number): CellResult['entries'][number] => {
      const plays = Array.from({ length: 2000 }, (_, i) => [play(i < share * 2000)])
      return { world, check: 'none', calls, name, plays, share: shareOf(plays), usedCalls: calls }
    }
    const entries = [entry('best_first', 0.6), entry('best_of_n', 0.3), entry(JUDGED, judgedShare)]
    return { world, check: 'none', calls, best: 'best_first', entries }
  }
  const missed = (...results: CellResult[]): string[] =>
    barsOf(results).flatMap(({ holds, demand, calls }) => (holds ? [] : [`${calls}: ${demand}`]))

  it('ask for less distance from 50 calls on', () => {
    expect(barsOf([cell(20, 0.6)])).toHaveLength(2)
    expect(missed(cell(20, 0.57), cell(50, 0.58))).toEqual([])
    expect(missed(cell(20, 0.57), cell(50, 0.57))).toEqual(['50: close to the best, best_first'])
    expect(missed(cell(20, 0.54))).toEqual(['20: close to the best, best_first'])
  })

  it('in worlds without false praise ask only not to be under best-of-n, nor under less budget', () => {
    expect(missed(cell(50, 0.35, 'weak proposer'))).toEqual([])
    expect(missed(cell(50, 0.25, 'weak proposer'))).toEqual(['50: not under best_of_n'])
    expect(missed(cell(20, 0.6, 'weak proposer'), cell(50, 0.5, 'weak proposer'))).toEqual(['50: not under 20 calls'])
  })

  it('do not hold by absence: without the judged method there are none', () => {
    const { entries, ...rest } = cell(50, 0.6)
    expect(barsOf([{ ...rest, entries: entries.filter(({ name }) => name !== JUDGED) }])).toEqual([])
  })
})

it('the reliability of a confidence compares it with the truth, bin by bin', () => {
  const plays = [play(true, 0.92), play(false, 0.98), play(false, 0.1), play(true, 1), play(true)]
  const { n, brier, error, bins } = reliabilityOf(plays)!
  expect(n).toBe(4)
  expect(brier).toBeCloseTo((0.08 ** 2 + 0.98 ** 2 + 0.1 ** 2) / 4)
  expect(bins.map(({ from, n: count }) => [from, count])).toEqual([
    [0.1, 1],
    [0.9, 3],
  ])
  expect(bins[1]!.said).toBeCloseTo(2.9 / 3)
  expect(bins[1]!.right).toBeCloseTo(2 / 3)
  expect(error).toBeCloseTo(0.25 * 0.1 + 0.75 * (2.9 / 3 - 2 / 3))
  expect(reliabilityOf([play(true)])).toBeNull()
})

describe('plays', () => {
  const [puzzle] = puzzles('908') as [string]

  it('are those of searches that share nothing, in every world, with every check and several budgets', () => {
    const cells = [
      ...WORLDS.map(({ name }) => ({ world: name, check: 'none', calls: 20 }) as const),
      ...CHECKS.flatMap((check) => [10, 35, 60].map((calls) => ({ ...CELL, check, calls }))),
    ]
    const entries = entriesIn(cells)
    const [plays] = playTask({ puzzle, seeds: [3], entries })
    const game = new Game()
    const alone = entries.map(({ world, check, calls, name }) => {
      const method = CONTESTANTS.find((contestant) => contestant.name === name)!.at(calls)
      if (!method) return [false, 0]
      const { calibration } = WORLDS.find((each) => each.name === world)!
      const luck = seededRandom(3)
      const { answer, used } = searchSync(questionOf(puzzle), {
        ...modelParts({ model: new BareModel(new StandInClient({ seed: 3, game, calibration })) }),
        method,
        budget: { calls },
        random: (position) => luck(`${puzzle}|${position}`),
        verifier: check === 'verifier' ? verifierOf(puzzle) : undefined,
      })
      return [answer !== null && checkAnswer(answer, numbersOf(puzzle)), used.calls]
    })
    expect(plays!.map(({ isRight, calls }) => [isRight, calls])).toEqual(alone)
    expect(new Set(plays!.map(({ isRight }) => isRight)).size).toBe(2)
  })

  it('of threads are those of one', async () => {
    const entries = entriesIn([{ ...CELL, calls: 20 }])
    const tasks = puzzles('901-904').map((each) => ({ puzzle: each, seeds: [1, 2], entries }))
    const crew = crewOf(2)
    const plays = await crew.play(tasks)
    await crew.end()
    expect(plays).toEqual(await loneCrew().play(tasks))
  })
})
