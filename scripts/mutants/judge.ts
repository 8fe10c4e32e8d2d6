import { applied, mutantsOf, type Mutant } from './operators.ts'
import { firstFailure, sourceOf, type Plugin } from './run-suite.ts'
import { SURVIVORS, type SurvivorGroup } from './survivors.ts'

/** Share of the mutants that can be told from outside that the suite has to catch. */
export const LEAST_CAUGHT_SHARE = 0.95

/** The outcome of the mutants of a plugin. */
export interface Judgement {
  readonly source: string
  /** Number of mutants. */
  readonly total: number
  readonly survivors: readonly Mutant[]
  /** Survivors that the list does not name. */
  readonly unlisted: readonly Mutant[]
  /** Number of mutants that can be told from outside. */
  readonly decidable: number
  /** Number of those that the suite catches. */
  readonly caught: number
}

/** Runs the suite on every nth mutant of a plugin. Throws if the plugin itself fails. */
export async function judgePlugin(plugin: Plugin, every: number = 1): Promise<Judgement> {
  const source = sourceOf(plugin.file)
  const own = await firstFailure(plugin, source)
  if (own !== undefined) throw new Error(`${plugin.file} fails the suite as it stands: ${own}`)
  const mutants = mutantsOf(source).filter((_, at) => at % every === 0)
  const survivors: Mutant[] = []
  for (const mutant of mutants) {
    if ((await firstFailure(plugin, applied(source, mutant))) === undefined) survivors.push(mutant)
  }
  const listed = survivors.map((mutant) => groupOf(plugin.name, source, mutant))
  const untold = listed.filter((group) => group && group.verdict !== 'missed').length
  return {
    ...{ source, total: mutants.length, survivors },
    unlisted: survivors.filter((_, at) => !listed[at]),
    decidable: mutants.length - untold,
    caught: mutants.length - survivors.length,
  }
}

const flat = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim()

function groupOf(plugin: string, source: string, { operator, start, end }: Mutant): SurvivorGroup | undefined {
  const part = flat(source.slice(start, end))
  return SURVIVORS.find(({ mutants }) =>
    mutants.some(([name, by, text]) => name === plugin && by === operator && flat(text) === part),
  )
}

/** Returns a line for a mutant: place, operator, the changed text and the text that stands there instead. */
export function describeMutant(source: string, { operator, start, end, instead }: Mutant): string {
  const line = source.slice(0, start).split('\n').length
  return `  ${line} ${operator}: ${flat(source.slice(start, end))} -> ${flat(instead) || 'nothing'}`
}
