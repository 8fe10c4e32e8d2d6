import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCatalogue } from '../../packages/provider-kit/src/catalogue/catalogue.ts'
import { type CatalogueData, unpackCatalogue } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import { loadCatalogue } from '../../packages/provider-kit/src/catalogue/load-catalogue.ts'
import { root } from '../workspace.ts'
import { packRows } from './data-file.ts'
import { compareWithTables, readDifferences, writeDifferences } from './differences.ts'
import { flatten } from './merge.ts'
import { resolveName } from '../../packages/provider-kit/src/catalogue/catalogue.ts'
import { anthropicFamilies } from '../../packages/provider-anthropic/src/family-rules.ts'
import { googleFamilies } from '../../packages/provider-google/src/family.ts'
import { openaiFamilies } from '../../packages/provider-openai/src/family-rules.ts'

const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))

const FOLDER = 'packages/provider-openai/src/catalogue'
const files = new Map([
  ['anthropic', 'packages/provider-anthropic/src/catalogue.json'],
  ['google', 'packages/provider-google/src/catalogue.json'],
  ...readdirSync(join(root, FOLDER)).map((file) => [file.replace('.json', ''), `${FOLDER}/${file}`] as const),
])
const names = read('scripts/catalogue/names.json') as Readonly<Record<string, readonly string[]>>
const differences = readDifferences(readFileSync(join(root, 'scripts/catalogue/differences.tsv'), 'utf8'))
const dataOf = (endpoint: string): CatalogueData => read(files.get(endpoint)!) as CatalogueData

test.each([...files.keys()])('the data of %s are read by `loadCatalogue`, whole', async (endpoint) => {
  const data = dataOf(endpoint)
  expect(Object.keys((await loadCatalogue(data)).models).length).toBe(Object.keys(data.models).length)
})

test.each([...files.keys()])('the data of %s are packed for a package, and unpacked when they are read', (endpoint) => {
  const { date, models } = dataOf(endpoint) as CatalogueData & { models: Readonly<Record<string, string>> }
  const rows = packRows(models)
  expect(rows.length).toBeLessThan(JSON.stringify(models).length)
  const unpacked = unpackCatalogue({ date, rows })
  const facts = Object.entries(models).map(([name, row]) => [
    name,
    (models[row.slice(1)] ?? row).replace(/ ~\d+$/u, ''),
  ])
  expect(unpacked).toEqual({ date, models: Object.fromEntries(facts) as object })
  expect(Object.keys(unpacked.models)).toEqual(Object.keys(models))
})

test('equal words of neighbours are packed once, and references are resolved', () => {
  expect(packRows({ a: '1/1 $2/3 ~5', ab: '=a', b: '1/1', c: '4/1 $2/3' })).toBe('0a 1/1 $2/3\n1b  \n0b \n0c 4/1 $2/3')
})

test.each([{ 'a b': '1/1' }, { a: '1/1\n2/2' }, { a: '1/1  $2/3' }])(
  'a row that no line can hold is not packed: %j',
  (models) => {
    expect(() => packRows(models as unknown as Readonly<Record<string, string>>)).toThrow('cannot pack the row')
  },
)

test.each([...files.keys()])('every price of %s has its sources, and each source its date', async (endpoint) => {
  const data = await loadCatalogue(dataOf(endpoint))
  const sources = data.sources ?? []
  expect(sources.length).toBeGreaterThan(2)
  expect(sources.filter((each) => !/, \d{4}-\d{2}-\d{2}$/u.test(each))).toEqual([])
  const isSourced = (source: unknown): boolean => {
    const bits = Number(/^~(\d+)$/u.exec(String(source))?.[1])
    return bits > 0 && bits < 2 ** sources.length
  }
  const rows = Object.entries(data.models).filter(([, row]) => typeof row === 'object' && row.price !== undefined)
  expect(rows.length).toBeGreaterThan(8)
  expect(rows.filter(([, row]) => typeof row === 'object' && !isSourced(row.source)).map(([name]) => name)).toEqual([])
})

describe('the differences between the tables', () => {
  test('have a reason each, and none twice', () => {
    expect(differences.length).toBeGreaterThan(100)
    expect(differences.filter(({ why }) => !/^(?:rule|two of three|decided: .{9,})$/u.test(why))).toEqual([])
    const keys = differences.map(({ endpoint, model, field }) => `${endpoint} ${model} ${field}`)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test.each([...files.keys()].filter((endpoint) => endpoint !== 'gemini'))(
    'for %s name models of the catalogue, which has the value that was taken',
    (endpoint) => {
      const data = dataOf(endpoint)
      const catalogue = createCatalogue(data)
      const own = differences.filter((each) => each.endpoint === endpoint)
      expect(own.filter(({ model }) => !Object.hasOwn(data.models, model)).map(({ model }) => model)).toEqual([])
      const valueOf = ({ model, field }: (typeof own)[number]): number | null =>
        flatten(catalogue.factsOf(model)).get(field) ?? null
      expect(own.filter((each) => each.taken !== null && valueOf(each) !== each.taken)).toEqual([])
    },
  )
})

test('differences are read as they were written', () => {
  expect(readDifferences(writeDifferences(differences))).toEqual(differences)
  expect(() => readDifferences('a\tb')).toThrow('the line of titles is another one')
})

test('a comparison tells what is wrong, what is missing, and not what was settled', () => {
  const data = { date: '2026-01-01', models: { a: '100/10 $2/8', b: '100/10 $2/8', c: '100/10' } }
  const stated = (input: number, window: number): object => ({ contextWindow: window, price: { input, output: 8 } })
  const rows = { a: stated(3, 100), 'a-2026-01-01': stated(4, 100), b: stated(3, 100), c: stated(1, 100) }
  const tables = {
    genaiPrices: new Map(),
    litellm: new Map(Object.entries(rows)),
    modelsDev: new Map([['a-2026-01-01', { price: { input: 2, output: 8 } }]]),
  }
  const settled = [
    {
      endpoint: 'x',
      model: 'b',
      field: 'price.input',
      values: { litellm: 3 },
      taken: 2,
      why: 'decided: the page says so',
    },
  ]
  const decisions = { decisions: [], limits: {}, families: {}, aliases: {} }
  const found = compareWithTables('x', data, Object.keys(rows), { tables, settled, decisions })
  expect(found.map(({ what, model, field, ours }) => [what, model, field, ours])).toEqual([
    ['wrong', 'a', 'price.input', 2],
    ['missing', 'c', 'price.input', undefined],
    ['missing', 'c', 'price.output', undefined],
  ])
})

describe.each([
  ['anthropic', anthropicFamilies, /^claude-/u],
  ['google', googleFamilies, /^gemini-/u],
  ['openai', openaiFamilies, /^(?:gpt-[3-6]|o\d)/u],
])('the families of %s', (endpoint, families, ofVendor) => {
  test('are read by `loadCatalogue`, whole', async () => expect(await loadCatalogue(families)).toEqual(families))

  test('have a page of the vendor as the source of each row, and each source a row', () => {
    const rows = Object.values(families.models).filter((row) => typeof row === 'object')
    expect(families.sources!.filter((source) => !/^https:\/\/[\w.]+\/[\w/-]+$/u.test(source))).toEqual([])
    const used = new Set(rows.map(({ source }) => source))
    expect(used).toEqual(new Set(families.sources!.keys()))
  })

  test('know all models of the vendor', () => {
    const catalogue = createCatalogue(families)
    const own = names[endpoint]!.filter((name) => ofVendor.test(name))
    expect(own.filter((name) => catalogue.rulesOf(name).thinking === undefined)).toEqual([])
  })
})

test.each(Object.keys(names))('every name of the public tables for %s is known', (endpoint) => {
  const data = dataOf(endpoint)
  const known = new Set(Object.keys(data.models))
  const listed = names[endpoint]!
  expect(listed.length).toBeGreaterThan(8)
  expect(listed.filter((name) => resolveName(known, name) === undefined)).toEqual([])
})

test('all models of the three vendors have limits', () => {
  for (const endpoint of ['anthropic', 'google', 'openai']) {
    const catalogue = createCatalogue(dataOf(endpoint))
    const without = names[endpoint]!.filter((name) => catalogue.factsOf(name).contextWindow === undefined)
    expect(without.filter((name) => /^(?:claude-|gemini-|gpt-[3-6]|o\d)/u.test(name))).toEqual([])
  }
})

test('Gemini’s compatible endpoint has the models of Google', () => expect(dataOf('gemini')).toEqual(dataOf('google')))

describe('prices of current models, in dollars per million tokens', () => {
  test.each([
    ['anthropic', 'claude-fable-5-2', { input: 8, output: 40, cached: 0.2, cacheWrite: 10, cacheWriteHour: 16 }],
    [
      'anthropic',
      'claude-opus-5-5',
      { input: 4, output: 20, cached: 0.2, cacheWrite: 5, cacheWriteHour: 8, searches: 10 },
    ],
    ['anthropic', 'claude-sonnet-5-5', { input: 2, output: 10, cached: 0.1, tiers: { batch: 0.5, us: 1.1 } }],
    [
      'anthropic',
      'claude-haiku-5-5',
      { input: 0.1, output: 0.5, long: { above: 100_000, input: 0.5, output: 2.5, cached: 0.05 } },
    ],
    ['google', 'gemini-3.8-flash', { input: 0.75, output: 3.75, cached: 0.075, searches: 14 }],
    ['google', 'gemini-2.5-flash', { audioInput: 1, cachedAudio: 0.1, searches: 35 }],
    ['google', 'gemini-3-pro-image', { imageOutput: 120 }],
    [
      'openai',
      'gpt-6.1-sol',
      { input: 2, output: 10, cached: 0.1, cacheWrite: 2.5, tiers: { flex: 0.5, priority: 2 } },
    ],
    ['openai', 'gpt-audio', { audioInput: 32, audioOutput: 64 }],
    ['groq', 'openai/gpt-oss-120b', { input: 0.15, output: 0.6 }],
    ['xai', 'grok-4.7', { input: 2, output: 6, long: { above: 200_000, input: 4, output: 12 } }],
  ])('%s %s', (endpoint, model, price) => {
    expect(createCatalogue(dataOf(endpoint)).factsOf(model).price).toMatchObject(price)
  })
})
