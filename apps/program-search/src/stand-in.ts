import type { SearchParts } from '@x/reasoning'
import { seededRandom } from '@x/reasoning'
import type { ProgramProblem } from './problems.ts'

/** Rates of the stand-in; assumed, not measured on a model. */
export interface WriterRates {
  /** Share of new programs that are right. */
  readonly right: number
  /** Share of new programs with one error; the others have two to four. */
  readonly nearlyRight: number
  /** Chance that a repair removes an error. */
  readonly fixes: number
  /** Chance that a repair makes a new error; otherwise it changes nothing. */
  readonly breaks: number
}

/** The rates of the bench. */
export const WRITER_RATES: WriterRates = { right: 0.08, nearlyRight: 0.32, fixes: 0.4, breaks: 0.2 }

/**
 * Makes a stand-in for a model that writes one program per call: a new one at the question, a changed one after a program.
 * It sees only the program, and does not know which error makes a test fail.
 */
export function programWriter(
  problem: ProgramProblem,
  { rates = WRITER_RATES, seed = 1 }: { rates?: WriterRates; seed?: number } = {},
): SearchParts['proposer'] {
  const draw = seededRandom(seed)
  return {
    propose({ node, sample, context }) {
      const name = `${problem.name}|${node.parent ? node.trajectory : ''}|${sample}|${context ?? ''}`
      const random = (key: string): number => draw(`${name}|${key}`)
      const content = node.parent ? repair(problem, node.content, rates, random) : write(problem, rates, random)
      return { text: content, reflection: '', options: [{ content }] }
    },
  }
}

type Random = (key: string) => number

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
