import { XError } from '@x/kernel'
import { BareModel } from './bare-model.ts'
import { numbersOf, questionOf, verifierOf } from './puzzle.ts'
import { StandInClient } from './stand-in-client.ts'

/** Game of 24 as a task of `x reason`: four numbers, a stand-in for a model, and a verifier. */
export function task(asked: string): {
  readonly question: string
  readonly model: BareModel
  readonly verifier: ReturnType<typeof verifierOf>
  readonly maxDepth: number
} {
  const numbers = asked.match(/\d+/g)?.slice(0, 4) ?? []
  if (numbers.length < 4) {
    throw new XError('invalid-argument', `cannot play Game of 24 with \`${asked}\`: give four numbers`)
  }
  const puzzle = numbers.join(' ')
  return {
    question: questionOf(numbersOf(puzzle)),
    model: new BareModel(new StandInClient()),
    verifier: verifierOf(puzzle),
    maxDepth: 3,
  }
}
