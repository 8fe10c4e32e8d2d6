import { describe, expect, test } from 'vitest'
import { createCatalogue, fitsFamily } from './catalogue.ts'
import { unpackCatalogue } from './model-facts.ts'

const catalogue = createCatalogue({
  date: '2026-01-01',
  models: {
    'gpt-4': '8192/4096 $30/60',
    'gpt-4o': '128000/16384 $2/8 c1',
    'gpt-4o:free': '128000/- $0/0',
    'gpt-4.1': '1000000/32768 $2/8',
    'gpt-5.6': '=gpt-4o',
    'claude-opus-4-5': '200000/64000 $5/25',
    'gemini-2.5-flash': '1000000/65536 $0.3/2.5',
    'Qwen/Qwen3.5-9B': '262144/65536 $0.1/0.15',
    'claude-*': '1000000/128000 $1/1',
    'claude-3-*': '200000/4096',
    'not-in-the-format': 'seven/eight',
  },
})

const inputOf = (model: string): number | undefined => catalogue.factsOf(model).price?.input

describe('a name', () => {
  test.each([
    ['gpt-4', 30],
    ['gpt-4-0613', 30],
    ['gpt-4o-2024-08-06', 2],
    ['openai/gpt-4o', 2],
    ['gpt-4o:nitro', 2],
    ['gpt-4o:free', 0],
    ['gpt-4o-latest', 2],
    ['GPT-4o', 2],
    ['gpt-41', 2],
    ['gpt-5.6', 2],
    ['claude-opus-4-5-20251101', 5],
    ['claude-opus-4-5@20251101', 5],
    ['claude-opus-4.5', 5],
    ['anthropic/claude-opus-4.5', 5],
    ['us.anthropic.claude-opus-4-5-20251101-v1:0', 5],
    ['models/gemini-2.5-flash', 0.3],
    ['gemini-2.5-flash-preview-09-2025', 0.3],
    ['gemini-2.5-flash-001', 0.3],
    ['qwen3.5-9b', 0.1],
  ])('%s is known', (model, input) => expect(inputOf(model)).toBe(input))

  test.each(['gpt-4-turbo', 'gpt-4o-mini', 'toString', '__proto__', 'not-in-the-format', '', 'gpt'])(
    '%j is not known',
    (model) => expect(catalogue.factsOf(model)).toEqual({}),
  )
})

describe('a family', () => {
  test.each([
    ['claude-opus-9', { contextWindow: 1_000_000, maxOutput: 128_000 }],
    ['anthropic/Claude-Opus-9', { contextWindow: 1_000_000, maxOutput: 128_000 }],
    ['claude-3-sonnet-20240229', { contextWindow: 200_000, maxOutput: 4096 }],
  ])('gives its limits to %s, and no price', (model, limits) => {
    expect(catalogue.factsOf(model)).toEqual(limits)
  })
})

describe('what a model allows', () => {
  const rules = createCatalogue(
    { date: '2026-02-01', models: { 'a-#*': { sampling: 'none' }, 'a-5.5': { efforts: ['max'], source: 'a page' } } },
    {
      date: '2026-01-01',
      models: {
        'a-*': { thinking: 'effort', efforts: ['low'], sampling: 'both', source: 0, contextWindow: 9 },
        'a-5*': { sampling: 'one', stop: true },
        'a-*-pro': { api: 'responses' },
        'b-*': '=a-*',
        'a-5.5': '10/5 $7/9',
      },
    },
  )

  test.each([
    ['a-x', { thinking: 'effort', efforts: ['low'], sampling: 'both' }],
    ['b-x', { thinking: 'effort', efforts: ['low'], sampling: 'both' }],
    ['a-7-pro', { thinking: 'effort', efforts: ['low'], sampling: 'none', api: 'responses' }],
    ['host/A-5', { thinking: 'effort', efforts: ['low'], sampling: 'none', stop: true }],
    ['a-5.5-2026-01-01', { thinking: 'effort', efforts: ['max'], sampling: 'none', stop: true }],
    ['c', {}],
    ['', {}],
  ])('%s: the longer family wins, the first data, and the row of the name over all', (model, found) => {
    expect(rules.rulesOf(model)).toEqual(found)
  })

  test('is found once for a name', () => expect(rules.rulesOf('a-5')).toBe(rules.rulesOf('a-5')))

  test('a row with rules alone leaves limits and price to other data', () => {
    expect(rules.factsOf('a-5.5')).toEqual({ contextWindow: 10, maxOutput: 5, price: { input: 7, output: 9 } })
  })
})

describe('a family', () => {
  test.each([
    ['gpt-5*', ['gpt-5', 'gpt-5-mini', 'gpt-5.4', 'gpt-5@x'], ['gpt-50', 'gpt-4', 'xgpt-5']],
    ['gpt-4*', ['gpt-4o', 'gpt-4-0613'], ['gpt-41']],
    ['gpt-4.1*', ['gpt-4.1', 'gpt-4-1-mini'], ['gpt-4-1106-preview', 'gpt-41']],
    ['gpt-#*', ['gpt-5', 'gpt-35-turbo', 'gpt-10x'], ['gpt-oss', 'gpt-', 'gpt-2026']],
    ['a-5.#*', ['a-5-5', 'a-5.10-x', 'a-5-5-20260101'], ['a-5', 'a-5-20260101', 'a-5-x']],
    ['gpt-*-pro', ['gpt-5-pro', 'gpt-5.2-pro'], ['gpt-5-production', 'gpt-pro', 'gpt-5-pro-x']],
    ['g*flash*image*', ['gemini-3-flash-image', 'g-flash-x-image-y'], ['gemini-3-image', 'g-image-flash']],
    ['*', ['anything', ''], []],
  ])('%s', (family, fitting, others) => {
    expect(fitting.filter((name) => !fitsFamily(family, name))).toEqual([])
    expect(others.filter((name) => fitsFamily(family, name))).toEqual([])
  })
})

test('what stands first wins', () => {
  const own = { date: '2026-02-01', models: { 'gpt-4': { price: { input: 1, output: 2 } }, 'gpt-9': '10/5 $7/9' } }
  const both = createCatalogue(own, {
    date: '2026-01-01',
    models: { 'gpt-4': '8192/4096 $30/60', 'gpt-5': '2/1 $3/4' },
  })
  expect(['gpt-4-0613', 'gpt-5', 'gpt-9'].map((model) => both.factsOf(model).price?.input)).toEqual([1, 3, 7])
  expect(both.factsOf('gpt-4')).toEqual({ price: { input: 1, output: 2 } })
})

test('packed rows share the beginning of the name before, and words of the facts', () => {
  const rows = '0ab-1 10/5 $1/2\n4x =ab-1\n0__proto__ 7/7\n0b  $3/4\n1c  '
  const data = unpackCatalogue({ date: '2026-01-01', sources: ['a page'], rows })
  expect(Object.entries(data.models)).toEqual([
    ['ab-1', '10/5 $1/2'],
    ['ab-1x', '=ab-1'],
    ['__proto__', '7/7'],
    ['b', '7/7 $3/4'],
    ['bc', '7/7 $3/4'],
  ])
  expect(createCatalogue(data).factsOf('ab-1x')).toEqual({
    contextWindow: 10,
    maxOutput: 5,
    price: { input: 1, output: 2 },
  })
  expect(data.models).toBe(data.models)
})
