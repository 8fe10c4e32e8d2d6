import { describe, expect, test } from 'vitest'
import { parseFacts } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import { writeDataFile } from './data-file.ts'
import type { Decision, Decisions, TableName } from './decisions.ts'
import { mergeTables, type Merged } from './merge.ts'
import type { SourceFacts } from './source-facts.ts'
import { writeFacts } from './write-facts.ts'

const NONE: Decisions = { decisions: [], limits: {}, families: {}, aliases: {} }

type Tables = Partial<Record<TableName, Record<string, SourceFacts>>>

function merged(tables: Tables, decisions: Partial<Decisions> = {}): Merged {
  const own = (table: TableName): Map<string, SourceFacts> => new Map(Object.entries(tables[table] ?? {}))
  const all = { genaiPrices: own('genaiPrices'), litellm: own('litellm'), modelsDev: own('modelsDev') }
  const names = [...new Set(Object.values(all).flatMap((table) => [...table.keys()]))]
  return mergeTables('openai', names, all, { ...NONE, ...decisions })
}

const price = (input: number, more: object = {}): SourceFacts => ({ price: { input, output: 8, ...more } })

const decided = (field: string, take: Decision['take'], model: string = 'm'): Pick<Decisions, 'decisions'> => ({
  decisions: [{ endpoint: 'openai', model, field, take, why: 'the page says so' }],
})

describe('where tables differ', () => {
  test('two of three decide, and it is listed', () => {
    const { models, differences, undecided } = merged({
      genaiPrices: { m: price(2) },
      litellm: { m: price(3) },
      modelsDev: { m: price(2) },
    })
    expect(models.get('m')).toEqual({ ...price(2), source: '~5' })
    const values = { genaiPrices: 2, litellm: 3, modelsDev: 2 }
    const difference = { endpoint: 'openai', model: 'm', field: 'price.input', values, taken: 2, why: 'two of three' }
    expect(differences).toEqual([difference])
    expect(undecided).toEqual([])
  })

  test('one against one waits for a person', () => {
    const { models, undecided } = merged({ genaiPrices: { m: price(2) }, litellm: { m: price(3) } })
    expect(undecided).toMatchObject([{ values: { genaiPrices: 2, litellm: 3 }, taken: null, why: 'undecided' }])
    expect(models.get('m')?.price?.input).toBeUndefined()
  })

  test.each<[Decision['take'], number | undefined]>([
    ['litellm', 3],
    [5, 5],
    [null, undefined],
  ])('a decision for %s', (take, input) => {
    const tables = { genaiPrices: { m: price(2) }, litellm: { m: price(3) } }
    const { models, differences, undecided } = merged(tables, decided('price.*', take))
    expect(models.get('m')?.price?.input).toBe(input)
    expect(differences[0]).toMatchObject({ taken: input ?? null, why: 'decided: the page says so' })
    expect(undecided).toEqual([])
  })

  test.each<[string, Tables, object]>([
    [
      'LiteLLM counts the input alone',
      { genaiPrices: { m: { contextWindow: 400 } }, litellm: { m: { contextWindow: 272, maxOutput: 128 } } },
      { contextWindow: 400, maxOutput: 128 },
    ],
    [
      'a window is not ended where longer requests cost more',
      {
        genaiPrices: { m: { contextWindow: 1050, ...price(2, { long: { above: 272 } }) } },
        modelsDev: { m: { contextWindow: 272 } },
      },
      { contextWindow: 1050 },
    ],
    [
      'an exact number wins over a rounded one',
      { genaiPrices: { m: { contextWindow: 1_000_000 } }, litellm: { m: { contextWindow: 1_048_576 } } },
      { contextWindow: 1_048_576 },
    ],
    [
      'a longest answer is not the whole window',
      { litellm: { m: { contextWindow: 128, maxOutput: 128 } }, modelsDev: { m: { maxOutput: 32 } } },
      { maxOutput: 32 },
    ],
    [
      'a first token that costs more',
      {
        genaiPrices: { m: price(2, { long: { above: 199_999 } }) },
        litellm: { m: price(2, { long: { above: 200_000 } }) },
      },
      { price: { input: 2, output: 8, long: { above: 200_000 } } },
    ],
  ])('%s', (_, tables, facts) => {
    const { models, undecided } = merged(tables)
    expect(models.get('m')).toMatchObject(facts)
    expect(undecided).toEqual([])
  })

  test('a factor of a tier stands for the rates it makes', () => {
    const tiers = (batch: unknown): SourceFacts => price(2, { tiers: { batch } })
    const both = (rates: object): unknown =>
      merged({ genaiPrices: { m: tiers(rates) }, litellm: { m: tiers(0.5) } }).models.get('m')?.price?.tiers
    expect(both({ input: 1, output: 4 })).toEqual({ batch: 0.5 })
    expect(both({ input: 1.5, output: 4 })).toEqual({ batch: { input: 1.5, output: 4 } })
  })
})

describe('names', () => {
  test('a date of the same price is its model, one of another price its own', () => {
    const { models } = merged({
      litellm: {
        'gpt-4o': { contextWindow: 128, ...price(2) },
        'gpt-4o-2024-08-06': price(2),
        'gpt-4o-2024-05-13': price(5),
      },
    })
    expect([...models]).toEqual([
      ['gpt-4o', { contextWindow: 128, ...price(2), source: '~2' }],
      ['gpt-4o-2024-05-13', { contextWindow: 128, ...price(5), source: '~2' }],
    ])
  })

  test('a date with other limits is a row of its own, unless its table counts the model in the same way', () => {
    const { models } = merged({
      litellm: { m: { maxOutput: 8, ...price(2) }, 'm-2026-01-01': { maxOutput: 4, ...price(2) } },
      modelsDev: { m: { maxOutput: 8, ...price(2) } },
      genaiPrices: { 'm-2026-02-02': { contextWindow: 100 }, m: { contextWindow: 100, ...price(2) } },
    })
    expect([...models].map(([name, { maxOutput }]) => [name, maxOutput])).toEqual([
      ['m', 8],
      ['m-2026-01-01', 4],
    ])
  })

  test('of two spellings the usual one stays', () => {
    const { models } = merged({
      genaiPrices: { 'gpt-5-1': price(2), 'gpt-5.1': price(2) },
      litellm: { 'gpt-5.1': price(2) },
    })
    expect([...models.keys()]).toEqual(['gpt-5.1'])
  })

  test('limits that no table has come by hand, or from the family', () => {
    const { models } = merged(
      { genaiPrices: { 'gpt-4-x': price(2), 'gpt-5-x': { contextWindow: 7 } } },
      {
        limits: { openai: { 'gpt-4-x': { maxOutput: 3 } } },
        families: { openai: { 'gpt-*': { contextWindow: 9, maxOutput: 5 } } },
      },
    )
    expect(models.get('gpt-4-x')).toEqual({ contextWindow: 9, maxOutput: 3, ...price(2), source: '~1' })
    expect(models.get('gpt-5-x')).toEqual({ contextWindow: 7, maxOutput: 5 })
  })
})

test('a price that a person decided has no table as its source', () => {
  const tables = { genaiPrices: { m: price(2) }, litellm: { m: price(3) } }
  expect(merged(tables, decided('price.input', 5)).models.get('m')?.source).toBe('~8')
})

test('what is written is what is read', () => {
  const rates = { cached: 0.2, cacheWrite: 2.5, cacheWriteHour: 4, cachedAudio: 0.3, searches: 10 }
  const media = { audioInput: 32, audioOutput: 64, imageInput: 3, imageOutput: 30 }
  const facts = {
    contextWindow: 1_050_000,
    maxOutput: 128_000,
    abilities: ['tools', 'schema'] as const,
    price: {
      input: 2,
      output: 10,
      ...rates,
      ...media,
      long: { above: 272_000, input: 4, output: 15 },
      tiers: { batch: 0.5, fast: { input: 3, long: { above: 272_000, input: 9 } }, flex: { audioInput: 1 } },
    },
  }
  expect(parseFacts(writeFacts(facts))).toEqual(facts)
  expect(parseFacts(writeFacts({ ...facts, source: '~5' }))).toEqual({ ...facts, source: '~5' })
  expect(parseFacts(writeFacts({ maxOutput: 5 }))).toEqual({ maxOutput: 5 })
})

test('a data file has a line for each model, and none twice', () => {
  const models = new Map([
    ['b-model', { contextWindow: 1000, price: { input: 2, output: 8 } }],
    ['a', { contextWindow: 1000, price: { input: 2, output: 8 } }],
    ['nothing', {}],
  ])
  const decisions = { ...NONE, families: { x: { 'a*': { contextWindow: 3 } } }, aliases: { x: { c: 'b-model' } } }
  const text = writeDataFile({ endpoint: 'x', date: '2026-01-01', sources: ['s 1'] }, models, decisions)
  expect(text.split('\n').slice(4, -2)).toEqual([
    '"a": "1000/- $2/8",',
    '"a*": "3/-",',
    '"b-model": "=a",',
    '"c": "=a"',
    '}',
  ])
  expect(JSON.parse(text)).toMatchObject({ date: '2026-01-01', sources: ['s 1'] })
})
