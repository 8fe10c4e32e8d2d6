import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCatalogue } from '../../packages/provider-kit/src/catalogue/catalogue.ts'
import type { CatalogueData } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import { loadCatalogue } from '../../packages/provider-kit/src/catalogue/load-catalogue.ts'
import { root } from '../workspace.ts'
import { resolveName } from '../../packages/provider-kit/src/catalogue/catalogue.ts'
import { anthropicFamilies } from '../../packages/provider-anthropic/src/families.ts'
import { googleFamilies } from '../../packages/provider-google/src/family.ts'
import { openaiFamilies } from '../../packages/provider-openai/src/families.ts'

const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))

const FOLDER = 'packages/provider-openai/src/catalogue'
const files = new Map([
  ['anthropic', 'packages/provider-anthropic/src/catalogue.json'],
  ['google', 'packages/provider-google/src/catalogue.json'],
  ...readdirSync(join(root, FOLDER)).map((file) => [file.replace('.json', ''), `${FOLDER}/${file}`] as const),
])
const names = read('scripts/catalogue/names.json') as Readonly<Record<string, readonly string[]>>
const dataOf = (endpoint: string): CatalogueData => read(files.get(endpoint)!) as CatalogueData

test.each([...files.keys()])('the data of %s are read by `loadCatalogue`, whole', async (endpoint) => {
  const data = dataOf(endpoint)
  expect(Object.keys((await loadCatalogue(data)).models).length).toBe(Object.keys(data.models).length)
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
