import { checkAnswer, Game, numbersOf, questionOf, verifierOf, WORLDS, type World } from '../src/index.ts'
import { type Method, searchSync, seededRandom } from '@x/reasoning'
import { type Check, CONTESTANTS } from './contestants.ts'
import { type Asked, Replies, type WorldParts } from './replies.ts'

/** A world with a check of answers and a budget of calls. */
export interface Cell {
  /** Name of the world. */
  readonly world: string
  readonly check: Check
  readonly calls: number
}

/** A contestant in a cell, by its name. */
export interface Entry extends Cell {
  readonly name: string
}

/** How an entry did on one puzzle with one seed. */
export interface Play {
  readonly isRight: boolean
  readonly calls: number
  /** The probability that the method gave to its answer; null if it says none. */
  readonly confidence: number | null
}

/** One puzzle to play with some seeds. */
export interface Task {
  readonly puzzle: string
  readonly seeds: readonly number[]
  readonly entries: readonly Entry[]
}

/** Returns the entries of all contestants in some cells. */
export const entriesIn = (cells: readonly Cell[]): Entry[] =>
  cells.flatMap(({ world, check, calls }) =>
    CONTESTANTS.filter(({ checks }) => checks.includes(check)).map(({ name }) => ({ world, check, calls, name })),
  )

/** Plays a task; returns for each seed the plays of the entries, in their order. Equal searches run once. */
export function playTask({ puzzle, seeds, entries }: Task): Play[][] {
  const game = new Game()
  const searches = searchesOf(entries)
  return seeds.map((seed) => playAll(searches, { puzzle, seed, game }))
}

/** An entry with what its names stand for. */
interface Search {
  readonly world: World
  readonly check: Check
  readonly calls: number
  /** Null if the contestant does not fit into the budget. */
  readonly method: Method | null
}

/** Looks the names of entries up, and makes each method once. */
function searchesOf(entries: readonly Entry[]): Search[] {
  const worlds = new Map(WORLDS.map((world) => [world.name, world]))
  const contestants = new Map(CONTESTANTS.map((contestant) => [contestant.name, contestant]))
  const methods = new Map<string, Method | null>()
  return entries.map(({ world, check, calls, name }) => {
    const key = `${name} ${calls}`
    if (!methods.has(key)) methods.set(key, contestants.get(name)!.at(calls))
    return { world: worlds.get(world)!, check, calls, method: methods.get(key)! }
  })
}

/** A play, and where it would be the same. */
interface Known {
  readonly check: Check
  readonly budget: number
  readonly play: Play
  readonly asked: Asked
  readonly likeness: string
}

/** Calls that a search may make beyond those that it made before its budget stops it: the next one, and one in reserve. */
const RESERVE_CALLS = 2

/** A method that does not fit into the budget answers nothing. */
const NO_PLAY: Play = { isRight: false, calls: 0, confidence: null }

interface Problem {
  readonly puzzle: string
  readonly seed: number
  /** The arithmetic, whose caches the problems of a puzzle share. */
  readonly game: Game
}

function playAll(searches: readonly Search[], { puzzle, seed, game }: Problem): Play[] {
  const replies = new Replies({ game, seed })
  const worlds = new Map<World, WorldParts>()
  const partsOf = (world: World): WorldParts => {
    const parts = worlds.get(world) ?? replies.in(world.calibration)
    worlds.set(world, parts)
    return parts
  }
  const known = new Map<Method, Known[]>()
  return searches.map(({ world, check, calls, method }) => {
    if (!method) return NO_PLAY
    const worldParts = partsOf(world)
    const plays = known.get(method) ?? []
    known.set(method, plays)
    const same = plays.find(
      (each) => each.check === check && hasEqualEnd(each, calls) && worldParts.likeness(each.asked) === each.likeness,
    )
    if (same) return same.play
    const play = playOne(method, { puzzle, seed, check, calls, worldParts })
    const asked = worldParts.takeAsked()
    plays.push({ check, budget: calls, play, asked, likeness: worldParts.likeness(asked) })
    return play
  })
}

/** True if a play ends in the same way with this budget: it had the same one, or ended before either could stop it. */
const hasEqualEnd = ({ play, budget }: Known, calls: number): boolean =>
  budget === calls || play.calls + RESERVE_CALLS <= Math.min(budget, calls)

interface Setting {
  readonly puzzle: string
  readonly seed: number
  readonly check: Check
  readonly calls: number
  readonly worldParts: WorldParts
}

function playOne(method: Method, { puzzle, seed, check, calls, worldParts }: Setting): Play {
  const luck = seededRandom(seed)
  const result = searchSync(questionOf(puzzle), {
    ...worldParts.parts,
    method,
    budget: { calls },
    random: (name) => luck(`${puzzle}|${name}`),
    verifier: check === 'verifier' ? verifierOf(puzzle) : undefined,
  })
  const { answer, used, beliefs } = result
  const isRight = answer !== null && checkAnswer(answer, numbersOf(puzzle))
  return { isRight, calls: used.calls, confidence: beliefs?.confidence ?? null }
}
