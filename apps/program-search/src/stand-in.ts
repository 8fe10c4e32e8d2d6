import type { SearchParts } from '@x/reasoning'
import { seededRandom } from '@x/reasoning'
import type { ProgramProblem } from './problems.ts'

/** Rates of what the stand-in does; assumed, and not measured on a model. */
export interface WriterRates {
  /** Share of new programs that are right, and that have one error; the others have two to four. */
  readonly right: number
  readonly nearlyRight: number
  /** Chance that a repair removes an error, and that it makes a new one; otherwise it changes nothing. */
  readonly fixes: number
  readonly breaks: number
}

/** The rates of the bench. */
export const RATES: WriterRates = { right: 0.08, nearlyRight: 0.32, fixes: 0.4, breaks: 0.2 }

/**
 * A stand-in for a model that writes one program per call: at the question a new one, after a program a changed one. It
 * sees the program and not its own notes, and it does not know which of the errors a failing test comes from.
 */
export function programWriter(
  problem: ProgramProblem,
  { rates = RATES, seed = 1 }: { rates?: WriterRates; seed?: number } = {},
): SearchParts['proposer'] {
  const draw = seededRandom(seed)
  return {
    propose({ node, sample, context }) {
      const name = `${problem.name}|${node.parent ? node.trajectory : ''}|${sample}|${context ?? ''}`
      const random = (what: string): number => draw(`${name}|${what}`)
      const content = node.parent ? repair(problem, node.content, rates, random) : write(problem, rates, random)
      return { text: content, reflection: '', options: [{ content }] }
    },
  }
}

type Random = (what: string) => number

function write({ solution, slips }: ProgramProblem, { right, nearlyRight }: WriterRates, random: Random): string {
  const kind = random('kind')
  const count = kind < right ? 0 : kind < right + nearlyRight ? 1 : 2 + Math.floor(3 * random('count'))
  const order = slips.map((slip, i) => ({ slip, rank: random(`slip ${i}`) })).toSorted((a, b) => a.rank - b.rank)
  return order.slice(0, count).reduce((program, { slip: [good, bad] }) => program.replace(good, bad), solution)
}

function repair({ slips }: ProgramProblem, program: string, { fixes, breaks }: WriterRates, random: Random): string {
  const wrong = slips.filter(([, bad]) => program.includes(bad))
  const right = slips.filter(([good]) => program.includes(good))
  const kind = random('kind')
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random('place') * list.length)]
  const [from, to] =
    [kind < fixes ? pick(wrong)?.toReversed() : kind < fixes + breaks ? pick(right) : undefined][0] ?? []
  return from === undefined ? program : program.replace(from, to)
}
