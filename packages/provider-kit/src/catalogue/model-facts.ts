import type { ModelLimits, TokenRates } from '@x/interfaces'

/** An ability that a model is known to have. */
export type ModelAbility = (typeof ABILITIES)[number]

/** All abilities: calls of tools, images and audio as input, reasoning, answers by a JSON Schema. */
export const ABILITIES = ['tools', 'images', 'audio', 'reasoning', 'schema'] as const

/** Known limits, prices and abilities of one model. */
export interface ModelFacts extends ModelLimits {
  readonly price?: ModelPrice | undefined
  readonly abilities?: readonly ModelAbility[] | undefined
}

/** Models by name, and the day their facts were looked up. */
export interface CatalogueData {
  /** ISO date. */
  readonly date: string
  /**
   * Facts by model name: as an object, or as the text of a data file (see `parseFacts` of `@x/provider-kit`). A name that ends
   * with `*` gives its limits to unknown names with that beginning.
   */
  readonly models: Readonly<Record<string, ModelFacts | string>>
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
 * factor. `-` stands for an unknown value. Returns undefined for a text of another form.
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
