import type { JsonValue, Run } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import type { Score, Scorer } from '../task.ts'
import { exact } from './exact.ts'
import { isDeepEqual, schema } from './schema.ts'

const NO_CONTEXT = { run: null as unknown as Run, ask: () => Promise.reject(new Error('no model')) }

const verdict = (score: Score): unknown => (typeof score === 'object' && score !== null ? score.score : score)

const judged = (scorer: Scorer, text: string, task: object): unknown =>
  verdict(scorer({ task: { id: 't', input: 'q', ...task }, text, state: null }, NO_CONTEXT) as Score)

describe('exact', () => {
  it.each([
    ['42', 42],
    ['Answer: 42', '42'],
    ['I think 41.\nanswer: 42\nBye', 42],
    ['**Answer:** 1,234.50.', 1234.5],
    ['Answer: $\\boxed{7/2}$', '3.5'],
    ['Answer: −3', -3],
    ['Answer: 14/4', '7/2'],
    ['Answer: "Ada,  ben"', 'ada, Ben'],
    ['TRUE', true],
    ['Answer: 100000000000000000000000001', '100000000000000000000000001'],
    ['Answer: .5', 0.5],
    ['Answer: Ada,Ben', 'Ada, Ben'],
    ['[ 1,2 ]', '[1, 2]'],
    ['1000000000000000000000', 1e21],
    ['1e+21', 1e21],
    ['1e21', 1e21],
    ['Answer: 6.02 × 10^23', 6.02e23],
    ['Answer: $6.02*10²³$', 6.02e23],
    ['Answer: 1.50E−7', 1.5e-7],
    ['Answer: 1.5e3', 1500],
    ['Answer: 42e0', 42],
    ['0.0000001', 1e-7],
    ['-0.00000012', -1.2e-7],
    ['Answer: 2^5', '2⁵'],
    ['H₂O', 'h2o'],
    ['So:\n**Answer**: 42', 42],
    ['__Answer__ : 42', 42],
    ['Answer：42', 42],
    ['Answer: \\(42\\).', 42],
    ['**Answer: \\[ \\boxed{7/2} \\]**', 3.5],
    ['Answer: $\\boxed{\\frac{-7}{2}}$', '-7/2'],
    ['Answer: \\(-\\dfrac{14}{4}\\)', -3.5],
    ['Answer: $\\boxed{\\text{Ada, Ben}}$', 'Ada, Ben'],
    ['The answer: 5', 'The answer: 5'],
    ['Answer: 72', 'Half of 48 is 24.\nAnswer: 72'],
    ['Answer: *', '*'],
    ['Answer: `*`', '*'],
    ['`"`', '"'],
    ['Answer: "$"', '$'],
    ['Answer:', ''],
  ])('takes %j for %j', (text, expected) => {
    expect(judged(exact(), text, { expected })).toBe(true)
  })

  it.each([
    ['Answer: 41 or 42', 42],
    ['Answer: 42\nAnswer: 41', 42],
    ['Answer: 100000000000000000000000001', '100000000000000000000000002'],
    ['The answer is not 42', 42],
    ['Answer: 42/0', 42],
    ['Answer: 42e1', 42],
    ['Answer: $3\\frac{1}{2}$', '31/2'],
    ['Answer: e1', 1],
    ['Answer: 1e9999', Infinity],
    ['', 0],
    ['Answer:', ''.padEnd(1, '0')],
    ['Answer: 4,2', 42],
    ['', '*'],
    ['Answer:', '**'],
    ['Answer: _', '*'],
    ['Answer: `', '$'],
    ['I cannot tell: " "', '"'],
    ['Answer: **', '*'],
    ['Answer: 2⁵', 25],
    ['Answer: 101₂', 1012],
    ['Answer: 1, 234', 1234],
    ['Answer: 1, 234', '1,234'],
    ['Answer: 4 2', 42],
    ['NewYork', 'New York'],
    [`Answer: ${'9'.repeat(20_000)}`, 9],
    [`${'*'.repeat(100_000)}42${' '.repeat(100_000)}x`, 42],
    ['Answer: __proto__', 'constructor'],
    [`Answer: ${'\\boxed{'.repeat(100_000)}${'}'.repeat(100_000)}`, 42],
  ])('refuses %j for %j', (text, expected) => {
    expect(judged(exact(), text, { expected })).toBe(false)
  })

  it('names an empty answer', () => {
    const task = { id: 't', input: 'q', expected: 'x' }
    expect(exact()({ task, text: ' ', state: null }, NO_CONTEXT)).toMatchObject({ reason: 'an empty text is not `x`' })
  })

  it('says which task has nothing to compare with', () => {
    expect(() => judged(exact(), '1', {})).toThrow('the task `t` has no `expected`')
  })
})

describe('schema', () => {
  const answerSchema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  }

  it.each([
    ['{"n": 1}', true],
    ['```json\n{"n": 1}\n```', true],
    ['{"n": "1"}', false],
    ['{"n": 1, "x": 2}', false],
    ['Sure! {"n": 1}', false],
    ['{"n": 1', false],
    ['{"__proto__": {"n": 1}}', false],
    ['['.repeat(100_000), false],
    [`{"n": ${'['.repeat(400_000)}${']'.repeat(400_000)}}`, false],
  ])('judges %j as %s', (text, isRight) => {
    expect(judged(schema(), text, { answerSchema })).toBe(isRight)
  })

  it('compares with the expected value, whatever the order of keys', () => {
    const expected = { a: [1, { b: null }], c: 'x' }
    const of = { type: 'object' }
    expect(judged(schema(of), '{"c": "x", "a": [1, {"b": null}]}', { expected })).toBe(true)
    expect(judged(schema(of), '{"c": "x", "a": [{"b": null}, 1]}', { expected })).toBe(false)
    expect(judged(schema(of), '{"c": "x", "a": {"0": 1, "1": {"b": null}}}', { expected })).toBe(false)
  })
})

it('compares deep values without recursion', () => {
  const deep = (end: JsonValue): JsonValue => {
    let value = end
    for (let depth = 0; depth < 100_000; depth++) value = [value]
    return value
  }
  expect(isDeepEqual(deep(1), deep(1))).toBe(true)
  expect(isDeepEqual(deep(1), deep(2))).toBe(false)
})
