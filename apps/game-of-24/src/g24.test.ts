import { describe, expect, it } from 'vitest'
import { GPT4 } from './calibration.ts'
import { checkAnswer, evaluate } from './puzzle.ts'
import { Game, keyOf } from './moves.ts'
import { numbersOf, questionOf } from './puzzle.ts'
import { rational, show } from './rational.ts'
import { StandInClient } from './stand-in-client.ts'

describe('arithmetic', () => {
  it.each([
    ['(10 - 4) * (9 - 5)', '24'],
    ['8 / (3 - 8 / 3)', '24'],
    ['-3 + 2 * 5', '7'],
    ['1 / 3', '1/3'],
  ])('evaluates %s exactly', (expression, value) => {
    expect(show(evaluate(expression)!)).toBe(value)
  })

  it.each(['1 / 0', '1 +', '(1', '1 2', 'x', '', '1 ** 2', 'process.exit()'])('gives nothing for %j', (expression) => {
    expect(evaluate(expression)).toBeNull()
  })

  it.each([
    ['Answer: (10 - 4) * (9 - 5) = 24', true],
    ['Some steps.\nANSWER: (10 - 4) * (9 - 5)', true],
    ['Answer: (10 - 4) * (9 - 5) * 1 = 24', false],
    ['Answer: 10 + 4 + 9 + 5 = 24', false],
    ['Answer: 24', false],
  ])('checks %j', (answer, right) => {
    expect(checkAnswer(answer, [4, 5, 9, 10])).toBe(right)
  })

  it('knows which numbers can become 24', () => {
    const game = new Game()
    expect(game.solvable([3, 3, 8, 8].map((number) => rational(number)))).toBe(true)
    expect(game.solvable([1, 1, 1, 1].map((number) => rational(number)))).toBe(false)
    const moves = game.moves([rational(6), rational(4)])
    expect(moves.map(({ left }) => keyOf(left))).toContain('24')
  })
})

const thinker = { role: 'system' as const, content: 'You propose the next step.' }
const ask = (client: StandInClient, sample?: number): string => {
  const messages = [thinker, { role: 'user' as const, content: `Question:\n${questionOf('4 5 9 10')}\n---\n` }]
  return client.create({ messages }, { sample }).choices[0]?.message.content as string
}

describe('StandInClient', () => {
  it('reads the numbers of a question in text', () => {
    expect(numbersOf('4 5 9 10')).toEqual([4, 5, 9, 10])
    expect(ask(new StandInClient(), 0)).toContain('The numbers left are 4 5 9 10.')
  })

  it('gives a sample of a question the same answer, whatever was asked before', () => {
    const [one, other] = [new StandInClient(), new StandInClient()]
    const third = ask(one, 3)
    ask(other, 0)
    ask(other, 1)
    expect(ask(other, 3)).toBe(third)
    expect(ask(other, 2)).not.toBe(third)
  })

  it('gives another answer every time without a sample', () => {
    const client = new StandInClient()
    expect(ask(client)).not.toBe(ask(client))
  })

  it('writes the same content in an odd style as in the usual one', () => {
    const steps = (text: string): string[] => text.match(/\d+ [-+*/] \d+ = -?[\d/]+ \(left: [^)]*\)/g) ?? []
    const odd = new StandInClient({ calibration: { ...GPT4, noise: { ...GPT4.noise, style: 1 } } })
    for (let sample = 0; sample < 20; sample++) {
      const usual = ask(new StandInClient(), sample)
      expect(steps(ask(odd, sample))).toEqual(steps(usual))
      expect(ask(odd, sample)).not.toBe(usual)
    }
  })
})
