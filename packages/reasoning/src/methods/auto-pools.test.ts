import { describe, expect, it } from 'vitest'
import { ThinkNode } from '../tree/think-node.ts'
import { PathBelief } from './auto-paths.ts'
import { Pools } from './auto-pools.ts'

const root = new ThinkNode({ content: 'question' })
interface Answer {
  readonly text: string
}

const answerOf = (text: string): Answer => ({ text })

/** Makes pools over ends of which each is right with the same chance before any choice, and has an answer. */
function pools(size: number, chance = 0.3): { pools: Pools<Answer>; ends: PathBelief[]; answers: Answer[] } {
  const ends = Array.from(
    { length: size },
    () => new PathBelief(new ThinkNode({ content: 'end', parent: root }), null, { kind: 'end', rate: chance }),
  )
  const answers = ends.map((_, i) => answerOf(`answer ${i}`))
  const believed = (end: PathBelief): number => {
    const odds = (chance / (1 - chance)) * Math.exp(end.choices)
    return odds / (1 + odds)
  }
  const terms = {
    chance: believed,
    belief: believed,
    answer: (end: PathBelief) => answers[ends.indexOf(end)],
    factor: () => 1,
  }
  return { pools: new Pools(terms), ends, answers }
}

describe('choices among ends', () => {
  it('believe in the skill and in the end where they agree, and in neither where they do not', () => {
    const [equal, different] = [pools(5), pools(5)]
    for (let i = 0; i < 4; i++) {
      equal.pools.take(equal.ends, equal.answers[0]!)
      different.pools.take(different.ends, different.answers[i]!)
    }
    const before = pools(5).pools.skill
    expect(equal.pools.skill).toBeGreaterThan(before)
    expect(different.pools.skill).toBeLessThan(before)
    expect(equal.ends[0]!.choices).toBeGreaterThan(1)
    expect(Math.max(...equal.ends.slice(1).map(({ choices }) => choices))).toBeLessThan(-1)
    expect(Math.max(...different.ends.map(({ choices }) => choices))).toBeLessThan(equal.ends[0]!.choices / 2)
  })

  it('are worth less once they disagree', () => {
    const { pools: of, ends, answers } = pools(5)
    const terms = { leader: answers[0]!, slip: 0.1, chance: (group: Answer) => chances.get(group)! }
    const chances = new Map(answers.map((answer) => [answer, 0.3]))
    const first = of.gain(ends, terms)
    for (const answer of answers) of.take(ends, answer)
    expect(first).toBeGreaterThan(0.05)
    expect(of.gain(ends, terms)).toBeLessThan(first / 2)
  })

  it('are worth nothing without skill, however many answers of slips they give', () => {
    const { pools: of, ends, answers } = pools(8)
    const outside = answerOf('outside')
    const gain = (): number =>
      of.gain(ends, { leader: outside, slip: 0.1, chance: (group) => (group === outside ? 0.4 : 0.3) })
    expect(gain()).toBeGreaterThan(0.001)
    for (let i = 0; i < 160; i++) of.take(ends, answers[i % 8]!)
    for (let i = 0; i < 4; i++) of.take(ends, answerOf(`slip ${i}`))
    expect(of.skill).toBeLessThan(0.05)
    expect(gain()).toBeLessThan(0.001)
  })

  it('give an answer whose end is not known the chance of the ends that it may come from', () => {
    const { ends } = pools(4)
    const [one, other] = [answerOf('one'), answerOf('other')]
    const of = new Pools<Answer>({ chance: () => 0.3, belief: () => 0.3, answer: () => undefined, factor: () => 1 })
    of.take(ends, one)
    const once = of.pooled(one)
    of.take(ends, one)
    of.take(ends, other)
    expect(once).toBeGreaterThan(0.3)
    expect(of.pooled(one)).toBeGreaterThan(of.pooled(other))
    expect(of.pooled(answerOf('never written'))).toBe(0)
  })

  it('among different ends count together where the same answer is written', () => {
    const { ends } = pools(6)
    const answer = answerOf('answer')
    const of = new Pools<Answer>({ chance: () => 0.3, belief: () => 0.3, answer: () => undefined, factor: () => 1 })
    of.take(ends.slice(0, 4), answer)
    const once = of.pooled(answer)
    of.take(ends.slice(2), answer)
    expect(of.pooled(answer)).toBeGreaterThan(once + 0.1)
  })

  it('stay numbers after hundreds of choices', () => {
    const { pools: of, ends, answers } = pools(8)
    for (let i = 0; i < 500; i++) of.take(ends, answers[i % 8]!)
    expect(of.skill).toBeLessThan(0.1)
    expect(ends.every(({ choices }) => Number.isFinite(choices))).toBe(true)
    const gain = of.gain(ends, { leader: answers[0]!, slip: 0.1, chance: () => 0.3 })
    expect(gain).toBeGreaterThanOrEqual(-0.3)
  })
})
