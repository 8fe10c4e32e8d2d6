import type { LlmConfig } from '@x/interfaces'
import { bestFirst, modelParts, search } from '@x/reasoning'

/** The question; put your own in its place, with a verifier that knows a right answer when it sees one. */
const question = 'Pay exactly 30 with three coins of 16, 10 or 1. End with the sum, such as "1 + 10 + 16 = 27".'

/** Accepts a sum of three such coins that is 30. */
export function verifier(answer: string): boolean {
  const coins = /(\d+) \+ (\d+) \+ (\d+) = 30\b/.exec(answer)?.slice(1).map(Number) ?? []
  return coins.every((coin) => [16, 10, 1].includes(coin)) && coins.reduce((sum, coin) => sum + coin, 0) === 30
}

/** Searches a tree of thoughts until the verifier accepts an answer, or the budget is used up. */
export const findCoins = (model: LlmConfig) =>
  search(question, {
    ...modelParts({ model: model.createModel() }),
    method: bestFirst({ maxDepth: 3 }),
    verifier,
    budget: { calls: 60 },
  })
