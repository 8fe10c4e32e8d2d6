import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { RATE_NAMES } from '@x/kernel/price'
import { plainCause } from '../failure/model-failure.ts'
import { createTransport } from '../http/transport.ts'
import {
  type CatalogueData,
  ABILITIES,
  type ModelFacts,
  type ModelPrice,
  type ModelRules,
  parseFacts,
} from './model-facts.ts'
import { isRecord } from '../json/wire-values.ts'

/** Options of `loadCatalogue`. */
export interface LoadCatalogueOptions {
  /** Sends the request; default: a lean transport. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Stops the request. */
  readonly signal?: AbortSignal | undefined
  /** Timeout of the request in seconds; default 30. */
  readonly timeout?: number | undefined
}

const LOAD_CATALOGUE_KINDS: OptionKinds<LoadCatalogueOptions> = {
  fetch: kind.call,
  signal: kind.having('an `AbortSignal`', 'addEventListener'),
  timeout: kind.timeout,
}

/** Characters of the text of a catalogue; the largest of the packages has 30,000. */
const MAX_CATALOGUE_CHARS = 10_000_000

/**
 * Loads facts about models, such as prices and what they allow, from a URL of JSON or from an object, and checks all of them.
 * Give the result to `createOpenAI({ catalogue })` and its like; it wins over the facts of the package. Fails with
 * `invalid-config` for data of a wrong form, naming the place.
 */
export async function loadCatalogue(
  source: string | URL | object,
  options: LoadCatalogueOptions = {},
): Promise<CatalogueData> {
  checkOptions(options, LOAD_CATALOGUE_KINDS, 'run `loadCatalogue`')
  if (typeof source !== 'string' && !(source instanceof URL)) return checkCatalogue(source, 'the given object')
  const { url, shown } = checkUrl(source)
  const text = await download(url, shown, options)
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (cause) {
    throw new XError(
      'invalid-config',
      `cannot load the catalogue from ${shown}: the text is not JSON; look at the page in a browser`,
      {
        cause,
      },
    )
  }
  return checkCatalogue(data, shown)
}

function checkUrl(source: string | URL): { readonly url: URL; readonly shown: string } {
  const url = URL.canParse(String(source)) ? new URL(source) : undefined
  if (url && /^https?:$/u.test(url.protocol)) return { url, shown: `\`${url.origin}${url.pathname}\`` }
  throw new XError(
    'invalid-argument',
    'cannot run `loadCatalogue`: its source is not an http or https URL; give one, or read the file and give the object',
  )
}

/** Most milliseconds of a timer, which counts whole ones. */
const MAX_TIMER_MS = 2 ** 31 - 1

async function download(url: URL, shown: string, options: LoadCatalogueOptions): Promise<string> {
  const { fetch = createTransport(), signal, timeout = 30 } = options
  const timeoutSignal = AbortSignal.timeout(Math.min(Math.ceil(timeout * 1000), MAX_TIMER_MS))
  try {
    const response = await fetch(url.href, {
      signal: signal ? AbortSignal.any([signal, timeoutSignal]) : timeoutSignal,
    })
    if (!response.ok) throw new Error(`the answer has status ${response.status}`)
    return await readLimitedText(response)
  } catch (error) {
    if (signal?.aborted)
      throw new XError('aborted', `loading the catalogue from ${shown} was stopped`, { cause: error })
    const cause = plainCause(error, new Set([url.href, url.password].filter(Boolean)))
    const reason = timeoutSignal.aborted ? `it took longer than ${timeout} s` : (cause?.message ?? 'unknown')
    throw new XError(
      'invalid-config',
      `cannot load the catalogue from ${shown}: ${reason}; try again, or give the object`,
      {
        cause,
      },
    )
  }
}

/** Reads a text; fails when it is longer than any catalogue. */
async function readLimitedText(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > MAX_CATALOGUE_CHARS)
      throw new Error(`the answer is longer than ${MAX_CATALOGUE_CHARS} characters`)
  }
  return text + decoder.decode()
}

/** Models of a catalogue. */
const MAX_MODELS = 50_000

/** Checks the data of a catalogue and returns a frozen copy; errors name its source. */
function checkCatalogue(data: unknown, source: string): CatalogueData {
  const fail = failFor(source)
  if (!isRecord(data)) return fail('', 'is not an object', "{ date: '2026-12-01', models: { … } }")
  checkKeys(data, ['date', 'sources', 'models'], '', fail)
  const { date, sources, models } = data
  if (typeof date !== 'string' || !/^\d{4}-\d{2}-\d{2}$/u.test(date))
    fail('date', 'is not a date', "one such as '2026-12-01'")
  if (sources !== undefined && !isTexts(sources)) fail('sources', 'is not a list of texts', 'where the facts are from')
  if (!isRecord(models)) return fail('models', 'is not an object', 'facts by model name')
  const names = Object.keys(models)
  if (names.length > MAX_MODELS) fail('models', `has ${names.length} entries`, `at most ${MAX_MODELS}`)
  const checked = new Map(names.map((name) => [name, readFacts(models[name], name, fail)]))
  const known = (sources ?? []) as readonly string[]
  for (const [name, facts] of checked) {
    if (typeof facts === 'string' && !Object.hasOwn(models, facts.slice(1)))
      fail(pathOf(name), `names \`${facts.slice(1)}\`, which is not there`, 'the facts themselves')
    if (typeof facts !== 'string') checkSource(facts.source, pathOf(name), { known, fail })
  }
  return Object.freeze({
    date: date as string,
    ...(sources !== undefined && { sources: known }),
    // `fromEntries` defines properties, so that no name can reach a prototype.
    models: Object.freeze(Object.fromEntries(checked)),
  })
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

function checkSource(
  source: unknown,
  path: string,
  { known, fail }: { readonly known: readonly string[]; readonly fail: Fail },
): void {
  if (source === undefined || typeof source === 'string' || known[source as number] !== undefined) return
  fail(`${path}.source`, 'is not in `sources`', 'a text, or the place of one in `sources`')
}

type Fail = (path: string, wrong: string, give: string) => never

const failFor =
  (source: string): Fail =>
  (path, wrong, give) => {
    const subject = path ? `\`${path}\`` : 'it'
    throw new XError('invalid-config', `cannot load the catalogue from ${source}: ${subject} ${wrong}; give ${give}`, {
      details: { path },
    })
  }

const pathOf = (name: string): string => `models.${name.slice(0, 100)}`

type RuleKind = readonly string[] | 'flag' | 'texts' | 'range'

/** Values of each rule: one of some words, true or false, a list of texts, or two numbers of tokens. */
const RULE_KINDS: Readonly<Record<keyof ModelRules, RuleKind>> = {
  thinking: ['none', 'budget', 'effort'],
  efforts: 'texts',
  budget: 'range',
  thinkingOff: ['disabled', 'disabled-to-high', 'between_tools', 'never'],
  sampling: ['both', 'one', 'without-thinking', 'no-temperature', 'none'],
  penalties: 'flag',
  stop: 'flag',
  forcedTools: ['always', 'without-thinking', 'never'],
  api: ['any', 'chat', 'responses', 'responses-for-tools', 'responses-for-effort'],
  schema: ['openai-strict', 'anthropic-strict', 'gemini', 'gemini-openapi', 'none'],
  tiers: 'texts',
  systemRole: ['system', 'developer', 'user'],
  system: 'flag',
  prefill: 'flag',
  signed: 'flag',
  jsonWithTools: 'flag',
  mediaResults: 'flag',
  images: 'flag',
}

const FACT_KEYS = ['contextWindow', 'maxOutput', 'price', 'abilities', 'source', ...Object.keys(RULE_KINDS)]

function checkRules(facts: Readonly<Record<string, unknown>>, path: string, fail: Fail): void {
  for (const [key, rule] of Object.entries(RULE_KINDS)) {
    const value = facts[key]
    if (value !== undefined && !isOfKind(value, rule)) fail(`${path}.${key}`, 'has another value', wordsFor(rule))
  }
}

function isOfKind(value: unknown, rule: RuleKind): boolean {
  if (rule === 'flag') return typeof value === 'boolean'
  if (rule === 'texts') return isTexts(value)
  if (rule !== 'range') return rule.includes(value as string)
  if (!Array.isArray(value) || value.length !== 2) return false
  const [least, most] = value as [unknown, unknown]
  return Number.isInteger(least) && Number.isInteger(most) && Number(least) >= 0 && Number(most) >= Number(least)
}

function wordsFor(rule: RuleKind): string {
  if (rule === 'flag') return 'true or false'
  if (rule === 'texts') return 'a list of texts'
  return rule === 'range' ? 'the smallest and the largest number of tokens' : `one of ${rule.join(', ')}`
}

function readFacts(facts: unknown, name: string, fail: Fail): ModelFacts | string {
  const path = pathOf(name)
  if (typeof facts === 'string') {
    if (/^=./u.test(facts)) return facts
    const parsed = facts.length < 2000 ? parseFacts(facts) : undefined
    return parsed ? readFacts(parsed, name, fail) : fail(path, 'is not in the format of data files', 'an object')
  }
  if (!isRecord(facts)) return fail(path, 'is not an object', '{ contextWindow, maxOutput, price }')
  checkKeys(facts, FACT_KEYS, path, fail)
  checkRules(facts, path, fail)
  for (const key of ['contextWindow', 'maxOutput'] as const) {
    const value = facts[key]
    if (value === undefined || (Number.isInteger(value) && Number(value) > 0 && Number(value) <= 1e9)) continue
    fail(`${path}.${key}`, 'is not a number of tokens', 'a whole number above 0')
  }
  const { abilities, price } = facts
  if (
    abilities !== undefined &&
    !(Array.isArray(abilities) && abilities.every((ability) => ABILITIES.includes(ability)))
  )
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
