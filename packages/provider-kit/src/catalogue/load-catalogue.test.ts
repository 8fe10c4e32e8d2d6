import { isXError } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import { createCatalogue } from './catalogue.ts'
import { loadCatalogue } from './load-catalogue.ts'

const FACTS = {
  contextWindow: 1000,
  maxOutput: 100,
  abilities: ['tools'],
  price: {
    input: 3,
    cached: 0.3,
    output: 15,
    long: { above: 10, input: 6 },
    tiers: { flex: 0.5, fast: { output: 9 } },
  },
}
const DATA = { date: '2026-12-01', models: { m: FACTS, alias: '=m', row: '1000/100 +t $3/15 c0.3' } }

const answering =
  (body: string, status: number = 200): typeof fetch =>
  async () =>
    new Response(body, { status })

test('an object is checked and copied', async () => {
  const given = structuredClone(DATA)
  const data = await loadCatalogue(given)
  given.models.m.price.input = 99
  const catalogue = createCatalogue(data)
  expect(catalogue.factsOf('m')).toEqual(FACTS)
  expect(catalogue.factsOf('alias')).toEqual(FACTS)
  expect(catalogue.factsOf('row')).toEqual({
    contextWindow: 1000,
    maxOutput: 100,
    abilities: ['tools'],
    price: { input: 3, cached: 0.3, output: 15 },
  })
})

test('what a model allows, with its sources', async () => {
  const rules = {
    ...{ thinking: 'effort', efforts: ['low'], budget: [0, 9], forcedTools: 'never', sampling: 'one', api: 'chat' },
    ...{ schema: 'openai-strict', prefill: false, source: 0 },
  }
  const given = {
    date: '2026-12-01',
    sources: ['a page'],
    models: { 'm-*': rules, m: { efforts: [], source: 'mine' } },
  }
  expect(await loadCatalogue(given)).toEqual(given)
})

test('a URL gives JSON', async () => {
  const fetch = answering(JSON.stringify(DATA))
  const data = await loadCatalogue('https://example.com/models.json', { fetch })
  // Times that are no whole number of milliseconds.
  for (const timeout of [16.1, Infinity])
    expect(await loadCatalogue('https://example.com/models.json', { fetch, timeout })).toEqual(data)
  expect(data.date).toBe('2026-12-01')
  expect(createCatalogue(data).factsOf('m')).toEqual(FACTS)
})

describe('data of a wrong form is refused with its place', () => {
  const withFacts = (facts: unknown): object => ({ date: '2026-12-01', models: { m: facts } })
  const withPrice = (price: unknown): object => withFacts({ price })
  test.each<[unknown, string]>([
    [[], 'it is not an object'],
    [{ models: {} }, '`date` is not a date'],
    [{ date: 'today', models: {} }, '`date` is not a date'],
    [{ date: '2026-12-01' }, '`models` is not an object'],
    [{ date: '2026-12-01', models: [] }, '`models` is not an object'],
    [{ date: '2026-12-01', models: {}, prices: {} }, '`prices` is not known'],
    [withFacts(null), '`models.m` is not an object'],
    [withFacts('free'), '`models.m` is not in the format of data files'],
    [withFacts('10/5 $1/-2'), '`models.m.price.output` is not a price'],
    [withFacts('=other'), '`models.m` names `other`, which is not there'],
    [withFacts({ window: 3 }), '`models.m.window` is not known'],
    [withFacts({ contextWindow: '3' }), '`models.m.contextWindow` is not a number of tokens'],
    [withFacts({ maxOutput: 0 }), '`models.m.maxOutput` is not a number of tokens'],
    [{ date: '2026-12-01', sources: 'x', models: {} }, '`sources` is not a list of texts'],
    [withFacts({ source: 0 }), '`models.m.source` is not in `sources`'],
    [withFacts({ thinking: 'hard' }), '`models.m.thinking` has another value; give one of none, budget, effort'],
    [withFacts({ efforts: 'low' }), '`models.m.efforts` has another value; give a list of texts'],
    [withFacts({ budget: [9, 1] }), '`models.m.budget` has another value; give the smallest and the largest number'],
    [withFacts({ prefill: 1 }), '`models.m.prefill` has another value; give true or false'],
    [withFacts({ api: 'batch' }), '`models.m.api` has another value; give one of any, chat, responses'],
    [withFacts({ schema: 'xml' }), '`models.m.schema` has another value; give one of openai-strict'],
    [withFacts({ abilities: ['fly'] }), '`models.m.abilities` is not a list of abilities'],
    [withPrice(3), '`models.m.price` is not an object'],
    [withPrice({ input: 3 }), '`models.m.price.output` is missing'],
    [withPrice({ input: -1, output: 3 }), '`models.m.price.input` is not a price'],
    [withPrice({ input: 1, output: Infinity }), '`models.m.price.output` is not a price'],
    [withPrice({ input: 1, output: 3, cache: 1 }), '`models.m.price.cache` is not known'],
    [withPrice({ input: 1, output: 3, long: { input: 2 } }), '`models.m.price.long.above` is not a number of tokens'],
    [withPrice({ input: 1, output: 3, tiers: { flex: '1' } }), '`models.m.price.tiers.flex` is not an object'],
    [withPrice({ input: 1, output: 3, tiers: { flex: -1 } }), '`models.m.price.tiers.flex` is not a price'],
  ])('%j', async (data, said) => {
    const error: unknown = await loadCatalogue(data as object).catch((thrown: unknown) => thrown)
    expect(isXError(error, 'invalid-config')).toBe(true)
    expect(String(error)).toContain(`cannot load the catalogue from the given object: ${said}`)
  })
})

test('names that reach a prototype are names like others', async () => {
  const text = '{"date":"2026-12-01","models":{"__proto__":{"maxOutput":5},"constructor":{"maxOutput":6}}}'
  const data = await loadCatalogue('https://example.com/', { fetch: answering(text) })
  const catalogue = createCatalogue(data)
  expect([catalogue.factsOf('__proto__'), catalogue.factsOf('constructor')]).toEqual([
    { maxOutput: 5 },
    { maxOutput: 6 },
  ])
  expect(({} as { maxOutput?: number }).maxOutput).toBeUndefined()
})

describe('a source that gives no catalogue', () => {
  const url = 'https://user:hunter2@example.com/models.json?token=abcdef'
  test.each<[string, typeof fetch, string]>([
    ['another status', answering('gone', 404), 'the answer has status 404'],
    ['no JSON', answering('<html>'), 'the text is not JSON'],
    ['too much', answering('x'.repeat(10_000_001)), 'longer than 10000000 characters'],
    ['no answer', () => Promise.reject(new Error(`connect to ${url} failed`)), 'connect to [redacted] failed'],
  ])('%s', async (_, fetch, said) => {
    const error: unknown = await loadCatalogue(url, { fetch }).catch((thrown: unknown) => thrown)
    expect(isXError(error, 'invalid-config')).toBe(true)
    expect(String(error)).toContain(`cannot load the catalogue from \`https://example.com/models.json\``)
    expect(String(error)).toContain(said)
    expect(String(error)).not.toMatch(/hunter2|abcdef/u)
  })

  test('a signal stops the request', async () => {
    const controller = new AbortController()
    const hanging: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        controller.abort()
      })
    const loading = loadCatalogue('https://example.com/', { fetch: hanging, signal: controller.signal })
    await expect(loading).rejects.toSatisfy((error) => isXError(error, 'aborted'))
  })

  test.each([['file:///etc/models.json'], ['models.json'], ['']])(
    '%j is not a URL that can be asked',
    async (source) => {
      await expect(loadCatalogue(source)).rejects.toThrow('not an http or https URL')
    },
  )

  test('a misspelt option', async () => {
    await expect(loadCatalogue(DATA, { fecth: fetch } as never)).rejects.toThrow('`fetch`')
  })
})
