import { writeFileSync } from 'node:fs'
import { WORLDS } from '../src/index.ts'
import { CHECKS } from './contestants.ts'
import { crewOf } from './crew.ts'
import { barsOf, runTournament, type TournamentSetting } from './tournament.ts'
import { barLines, figuresOf, renderTable, tablesOf } from './worlds-report.ts'

/** What the command is asked for. */
export interface WorldsRequest extends Omit<TournamentSetting, 'cells' | 'tell'> {
  /** Budgets in calls. */
  readonly budgets: readonly number[]
  /** Matches the names of the worlds. */
  readonly only: RegExp
  /** Number of threads. */
  readonly parallel: number
  readonly markdown: boolean
  /** A file for the figures as JSON. */
  readonly json: string | undefined
}

/** Compares the methods in the worlds with names, and prints tables; returns true if all bars hold. */
export async function compareInWorlds(request: WorldsRequest): Promise<boolean> {
  const { puzzles, choosingSeeds, judgingSeeds, judgesAll, budgets, only, parallel, markdown, json } = request
  const cells = WORLDS.filter(({ name }) => only.test(name)).flatMap(({ name }) =>
    CHECKS.flatMap((check) => budgets.map((calls) => ({ world: name, check, calls }))),
  )
  console.log(
    `${cells.length} cells: ${cells.length / CHECKS.length / budgets.length} worlds, with and without a verifier, ${budgets.join(', ')} calls.`,
  )
  console.log(
    `${puzzles.length} puzzles; the best is chosen on the seeds ${choosingSeeds.join(', ')} and judged on ${judgingSeeds.join(', ')}: ${puzzles.length * judgingSeeds.length} pairs a cell.`,
  )
  console.log('Intervals hold with 95 %, over puzzles.\n')
  const crew = crewOf(parallel)
  const tell = (progress: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${progress}`)
  const results = await runTournament({ cells, puzzles, choosingSeeds, judgingSeeds, judgesAll, tell }, crew)
  await crew.end()
  for (const table of tablesOf(results, { all: judgesAll === true }))
    console.log(`${renderTable(table, { markdown })}\n`)
  const bars = barsOf(results)
  for (const line of barLines(bars)) console.log(line)
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figuresOf(results), null, 2)}\n`)
  return bars.every(({ holds }) => holds)
}
