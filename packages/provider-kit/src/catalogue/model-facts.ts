import type { ModelLimits, TokenRates } from '@x/interfaces'
import type { SchemaTableName } from '../schema/schema-rules.ts'

/** An ability that a model is known to have. */
export type ModelAbility = (typeof ABILITIES)[number]

/** All abilities: calls of tools, images and audio as input, reasoning, answers by a JSON Schema. */
export const ABILITIES = ['tools', 'images', 'audio', 'reasoning', 'schema'] as const

/**
 * Rules of a model, as far as requests depend on them. An adapter reads the rules of its own wire; an absent rule is
 * that of an unknown model.
 */
export interface ModelRules {
  /** How reasoning is asked for: not at all, by a budget of tokens, or by a level of effort. */
  readonly thinking?: 'none' | 'budget' | 'effort' | undefined
  /** Levels of effort that the model takes, lowest first; an empty list if it takes none, absent for any. */
  readonly efforts?: readonly string[] | undefined
  /** Smallest and largest budget for reasoning, in tokens; the smallest is 0 where reasoning can be switched off. */
  readonly budget?: readonly [least: number, most: number] | undefined
  /** How Claude's thinking is switched off: by `disabled`, so at no more than high effort, by `between_tools`, or never. */
  readonly thinkingOff?: 'disabled' | 'disabled-to-high' | 'between_tools' | 'never' | undefined
  /**
   * Sampling parameters that the model takes: all, temperature or `top_p` but not both, all while it does not reason, all
   * without temperature and `top_p`, or none.
   */
  readonly sampling?: 'both' | 'one' | 'without-thinking' | 'no-temperature' | 'none' | undefined
  /** True if the model takes penalties for repetition (Google). */
  readonly penalties?: boolean | undefined
  /** True if the model takes stop texts while it reasons (OpenAI). */
  readonly stop?: boolean | undefined
  /** When the model can be made to call a tool. */
  readonly forcedTools?: 'always' | 'without-thinking' | 'never' | undefined
  /**
   * API of OpenAI that the model is asked by: any, one alone, or the Responses API for requests with tools that may reason,
   * or that name an effort.
   */
  readonly api?: 'any' | 'chat' | 'responses' | 'responses-for-tools' | 'responses-for-effort' | undefined
  /** Table of what the model takes in the schema of an answer; `none` if it cannot be held to one. */
  readonly schema?: SchemaTableName | 'none' | undefined
  /** Tiers of service beyond the usual ones (OpenAI). */
  readonly tiers?: readonly string[] | undefined
  /** Role of system messages (OpenAI). */
  readonly systemRole?: 'system' | 'developer' | 'user' | undefined
  /** True if the model takes a system instruction (Google). */
  readonly system?: boolean | undefined
  /** Whether a conversation may end with the beginning of its answer (Claude). */
  readonly prefill?: boolean | undefined
  /** Whether calls that are sent back must carry a signature (Google). */
  readonly signed?: boolean | undefined
  /** Whether a request may ask for an answer in JSON beside tools (Google). */
  readonly jsonWithTools?: boolean | undefined
  /** Whether results of tools may hold images; for others they stand behind the results (Google). */
  readonly mediaResults?: boolean | undefined
  /** Whether the model reads images and files in results of tools, unless `abilities` say it. */
  readonly images?: boolean | undefined
}

/** Known limits, prices and abilities of one model, and what it allows. */
export interface ModelFacts extends ModelLimits, ModelRules {
  readonly price?: ModelPrice | undefined
  readonly abilities?: readonly ModelAbility[] | undefined
  /** Where the facts are from: a text, the place of one in `sources`, or places as in `parseFacts`. */
  readonly source?: number | string | undefined
}

/** Models by name, and the day their facts were looked up. */
export interface CatalogueData {
  /** ISO date. */
  readonly date: string
  /** Where the facts are from. */
  readonly sources?: readonly string[] | undefined
  /**
   * Facts by model name: as an object, or as the text of a data file (see `parseFacts` of `@x/provider-kit`). A name
   * with `*` (any text) or `#` (a number of one or two digits) is a family: its rules hold for all names that fit, its
   * limits for those without an entry of their own. `.` fits `-`, too, and a number before `*` is whole. The longer of
   * two families wins for each rule, and the row of a name itself over both.
   */
  readonly models: Readonly<Record<string, ModelFacts | string>>
}

/** Data of a package with the rows of all models in one text. */
interface PackedCatalogue extends Pick<CatalogueData, 'date' | 'sources'> {
  /**
   * A line per model: the number of characters that its name shares with the name before, as one digit of base 36, the rest
   * of the name, a space, and the facts. A word that the facts before have at the same place is left empty.
   */
  readonly rows: string
}

/** Returns the data of packed rows, which are read when something asks for the models: few programs need all tables. */
export function unpackCatalogue({ date, sources, rows }: PackedCatalogue): CatalogueData {
  let models: Record<string, string> | undefined
  return {
    date,
    sources,
    get models() {
      return (models ??= unpackRows(rows))
    },
  }
}

function unpackRows(rows: string): Record<string, string> {
  let name = ''
  let facts: readonly string[] = []
  const entries = rows.split('\n').map((row) => {
    const [end = '', ...words] = row.split(' ')
    name = name.slice(0, Number.parseInt(end.charAt(0), 36)) + end.slice(1)
    facts = words.map((word, at) => word || facts[at]!)
    return [name, facts.join(' ')]
  })
  return Object.fromEntries(entries) as Record<string, string>
}

/** Prices of one model, in US dollars per 1,000,000 tokens. */
export interface ModelPrice extends TokenRates {
  /** Prices of a request with more input tokens than `above`; absent ones are the usual ones. */
  readonly long?: (Partial<TokenRates> & { readonly above: number }) | undefined
  /** Prices by tier of service, such as `flex` and `batch`: a factor for all rates, or the rates that differ. */
  readonly tiers?: Readonly<Record<string, number | TierRates>> | undefined
}

/** Rates of a tier of service that differ from the usual ones. */
export interface TierRates extends Partial<TokenRates> {
  readonly long?: (Partial<TokenRates> & { readonly above: number }) | undefined
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type Rates = Writable<Partial<TokenRates>>
type Scope = Rates & { long?: Rates & { above: number } }

/** Letters of single rates. */
const SINGLE_RATES: Readonly<Record<string, keyof TokenRates>> = {
  c: 'cached',
  w: 'cacheWrite',
  h: 'cacheWriteHour',
  C: 'cachedAudio',
  q: 'searches',
}

/** Letters of pairs of rates, for input and output. */
const RATE_PAIRS: Readonly<Record<string, readonly [keyof TokenRates, keyof TokenRates]>> = {
  $: ['input', 'output'],
  a: ['audioInput', 'audioOutput'],
  i: ['imageInput', 'imageOutput'],
}

/**
 * Reads the facts of a model in the format of data files, words separated by spaces: `1050000/128000` is context window and
 * longest answer, `+tirs` the first letters of abilities, `$2/10` dollars per million tokens of input and output, `c` `w`
 * `h` `q` `C` the rates of cached input, cache writes, those for an hour, searches and cached audio, `a1/2` and `i1/2`
 * those of audio and images. `>272000` begins the rates of longer requests, `@flex` those of a tier; `@flex*0.5` is a
 * factor. `~5` names the sources that state the price: the sum of 1, 2, 4 and so on for the places in `sources`. `-` stands
 * for an unknown value. Returns undefined for a text of another form.
 */
export function parseFacts(text: string): ModelFacts | undefined {
  const facts: Writable<ModelFacts> = {}
  const price: Scope = {}
  const tiers: Record<string, number | TierRates> = {}
  let scope: Scope = price
  let rates: Rates = price
  for (const word of text.split(' ')) {
    const sign = word.charAt(0)
    const rest = word.slice(1)
    if (sign === '+') facts.abilities = abilitiesOf(rest)
    else if (sign === '~') facts.source = word
    else if (sign === '>') scope.long = Object.assign((rates = {}), { above: Number(rest) })
    else if (sign === '@') {
      const [tier = '', factor] = rest.split('*')
      if (factor === undefined) tiers[tier] = rates = scope = {}
      else tiers[tier] = Number(factor)
    } else if (sign in SINGLE_RATES) rates[SINGLE_RATES[sign]!] = Number(rest)
    else if (sign in RATE_PAIRS) addPair(rates, RATE_PAIRS[sign]!, rest)
    else {
      const [window, output] = word.split('/')
      if (window !== '-') facts.contextWindow = Number(window)
      if (output !== '-') facts.maxOutput = Number(output)
    }
  }
  if (price.input !== undefined) {
    const hasTiers = Object.keys(tiers).length > 0
    facts.price = { ...(price as ModelPrice), ...(hasTiers && { tiers }) }
  }
  return JSON.stringify(facts).includes('null') ? undefined : facts
}

function addPair(rates: Rates, [input, output]: readonly [keyof TokenRates, keyof TokenRates], text: string): void {
  const [first, second] = text.split('/')
  if (first !== '-') rates[input] = Number(first)
  if (second !== '-') rates[output] = Number(second)
}

const abilitiesOf = (letters: string): ModelAbility[] =>
  ABILITIES.filter((ability) => letters.includes(ability.charAt(0)))
