import { XError } from '@x/kernel'
import { RATE_NAMES } from '@x/kernel/price'
import { isRecord } from '../json/is-record.ts'
import { ABILITIES, type CatalogueData, type ModelFacts } from './model-facts.ts'
import type { ModelPrice } from './model-price.ts'
import { parseFacts } from './parse-facts.ts'

/** Most models of a catalogue. */
const MOST_MODELS = 50_000

/** Checks the data of a catalogue and returns a frozen copy of it; `where` names its source in errors. */
export function checkCatalogue(data: unknown, where: string): CatalogueData {
  const fail = failing(where)
  if (!isRecord(data)) return fail('', 'is not an object', "{ date: '2026-12-01', models: { … } }")
  checkKeys(data, ['date', 'sources', 'models'], '', fail)
  const { date, models } = data
  if (typeof date !== 'string' || !/^\d{4}-\d{2}-\d{2}$/u.test(date))
    fail('date', 'is not a date', "one such as '2026-12-01'")
  if (!isRecord(models)) return fail('models', 'is not an object', 'facts by model name')
  const names = Object.keys(models)
  if (names.length > MOST_MODELS) fail('models', `has ${names.length} entries`, `at most ${MOST_MODELS}`)
  const read = new Map(names.map((name) => [name, readFacts(models[name], name, fail)]))
  for (const [name, facts] of read) {
    if (typeof facts === 'string' && !Object.hasOwn(models, facts.slice(1)))
      fail(pathOf(name), `names \`${facts.slice(1)}\`, which is not there`, 'the facts themselves')
  }
  // `fromEntries` defines properties, so that no name can reach a prototype.
  return Object.freeze({ date: date as string, models: Object.freeze(Object.fromEntries(read)) })
}

type Fail = (path: string, wrong: string, give: string) => never

const failing =
  (where: string): Fail =>
  (path, wrong, give) => {
    const what = path ? `\`${path}\`` : 'it'
    throw new XError('invalid-config', `cannot load the catalogue from ${where}: ${what} ${wrong}; give ${give}`, {
      details: { path },
    })
  }

const pathOf = (name: string): string => `models.${name.slice(0, 100)}`

function readFacts(facts: unknown, name: string, fail: Fail): ModelFacts | string {
  const path = pathOf(name)
  if (typeof facts === 'string') {
    if (/^=./u.test(facts)) return facts
    const parsed = facts.length < 2000 ? parseFacts(facts) : undefined
    return parsed ? readFacts(parsed, name, fail) : fail(path, 'is not in the format of data files', 'an object')
  }
  if (!isRecord(facts)) return fail(path, 'is not an object', '{ contextWindow, maxOutput, price }')
  checkKeys(facts, ['contextWindow', 'maxOutput', 'price', 'abilities'], path, fail)
  for (const key of ['contextWindow', 'maxOutput'] as const) {
    const value = facts[key]
    if (value === undefined || (Number.isInteger(value) && Number(value) > 0 && Number(value) <= 1e9)) continue
    fail(`${path}.${key}`, 'is not a number of tokens', 'a whole number above 0')
  }
  const { abilities, price } = facts
  if (abilities !== undefined && !(Array.isArray(abilities) && abilities.every((each) => ABILITIES.includes(each))))
    fail(`${path}.abilities`, 'is not a list of abilities', `some of ${ABILITIES.join(', ')}`)
  return Object.freeze({ ...facts, ...(price !== undefined && { price: readPrice(price, `${path}.price`, fail) }) })
}

function readPrice(price: unknown, path: string, fail: Fail): ModelPrice {
  const rates = readRates(price, ['long', 'tiers'], path, fail)
  const { tiers } = rates
  if (tiers !== undefined && !isRecord(tiers)) fail(`${path}.tiers`, 'is not an object', 'a factor or rates by tier')
  for (const key of ['input', 'output'] as const)
    if (rates[key] === undefined) fail(`${path}.${key}`, 'is missing', 'US dollars per 1,000,000 tokens')
  for (const [tier, special] of Object.entries((tiers ?? {}) as object)) {
    if (typeof special === 'number') checkRate(special, `${path}.tiers.${tier}`, fail)
    else readRates(special, ['long'], `${path}.tiers.${tier}`, fail)
  }
  return Object.freeze(rates) as unknown as ModelPrice
}

function readRates(rates: unknown, more: readonly string[], path: string, fail: Fail): Record<string, unknown> {
  if (!isRecord(rates)) return fail(path, 'is not an object', '{ input, output } in US dollars per 1,000,000 tokens')
  checkKeys(rates, [...RATE_NAMES, ...more], path, fail)
  for (const key of RATE_NAMES) if (rates[key] !== undefined) checkRate(rates[key], `${path}.${key}`, fail)
  const { long } = rates
  if (!more.includes('long') || long === undefined) return { ...rates }
  if (!isRecord(long)) return fail(`${path}.long`, 'is not an object', '{ above, input, output }')
  const { above, ...others } = long
  if (!Number.isInteger(above) || Number(above) < 0)
    fail(`${path}.long.above`, 'is not a number of tokens', 'a whole number')
  return { ...rates, long: { above, ...readRates(others, [], `${path}.long`, fail) } }
}

function checkRate(rate: unknown, path: string, fail: Fail): void {
  if (typeof rate === 'number' && rate >= 0 && rate <= 1e6) return
  fail(path, 'is not a price', 'US dollars per 1,000,000 tokens, at least 0')
}

function checkKeys(record: object, known: readonly string[], path: string, fail: Fail): void {
  const unknown = Object.keys(record).find((key) => !known.includes(key))
  if (unknown === undefined) return
  fail(path ? `${path}.${unknown}` : unknown, 'is not known', `some of ${known.join(', ')}`)
}
