import { describe, expect, it } from 'vitest'
import { seededRandom } from '../strategy/random.ts'
import { Belief, chooseByDraws } from './beliefs.ts'

const believing = (...rewards: readonly number[]): { belief: Belief } => {
  const belief = new Belief()
  for (const reward of rewards) belief.learn(reward, 10)
  return { belief }
}

/** Counts how often each choice is chosen in 10,000 turns. */
function countChoices(choices: readonly { readonly belief: Belief }[]): number[] {
  const random = seededRandom(7)
  const counts = choices.map(() => 0)
  for (let turn = 0; turn < 10_000; turn++) counts[choices.indexOf(chooseByDraws(choices, random(`${turn}`)))]! += 1
  return counts
}

describe('chooseByDraws', () => {
  it('chooses equal choices equally often, also an odd number of them', () => {
    for (const count of [2, 3, 5]) {
      for (const chosen of countChoices(Array.from({ length: count }, () => believing(0.4)))) {
        expect(Math.abs(chosen - 10_000 / count)).toBeLessThan(300)
      }
    }
  })

  it('chooses the better of two as often as its draw is higher', () => {
    const [better, worse] = countChoices([believing(0.6), believing(0.4)])
    // Means 7/12 and 5/12, variances 35/144/13 each: the difference is 0.86 standard deviations above 0.
    expect(better! / (better! + worse!)).toBeCloseTo(0.805, 1)
  })

  it('tries uncertain choices, and seldom bad ones', () => {
    const [bad, unknown, good] = countChoices([believing(0, 0, 0), believing(), believing(0.7, 0.7, 0.7)])
    expect(bad).toBeLessThan(100)
    expect(unknown).toBeGreaterThan(1500)
    expect(good).toBeGreaterThan(5000)
  })

  it('depends on the random number alone', () => {
    const choices = [believing(0.3), believing(0.5), believing()]
    for (const random of [0, 0.25, 0.999]) {
      expect(chooseByDraws(choices, random)).toBe(chooseByDraws(choices, random))
    }
  })
})
