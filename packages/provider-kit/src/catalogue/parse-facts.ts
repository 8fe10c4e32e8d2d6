import type { TokenRates } from '@x/interfaces'
import { ABILITIES, type ModelAbility, type ModelFacts } from './model-facts.ts'
import type { ModelPrice, TierRates } from './model-price.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type Rates = Writable<Partial<TokenRates>>
type Scope = Rates & { long?: Rates & { above: number } }

/** Letters of single rates. */
const SINGLE: Readonly<Record<string, keyof TokenRates>> = {
  c: 'cached',
  w: 'cacheWrite',
  h: 'cacheWriteHour',
  C: 'cachedAudio',
  q: 'searches',
}

/** Letters of pairs of rates, for input and output. */
const PAIRS: Readonly<Record<string, readonly [keyof TokenRates, keyof TokenRates]>> = {
  $: ['input', 'output'],
  a: ['audioInput', 'audioOutput'],
  i: ['imageInput', 'imageOutput'],
}

/**
 * Reads the facts of a model in the format of data files, words separated by spaces: `1050000/128000` is context window and
 * longest answer, `+tirs` the first letters of abilities, `$2/10` dollars per million tokens of input and output, `c` `w`
 * `h` `q` `C` the rates of cached input, cache writes, those for an hour, searches and cached audio, `a1/2` and `i1/2`
 * those of audio and images. `>272000` begins the rates of longer requests, `@flex` those of a tier; `@flex*0.5` is a
 * factor. `-` stands for what is not known. Returns undefined for a text of another form.
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
    } else if (sign in SINGLE) rates[SINGLE[sign]!] = Number(rest)
    else if (sign in PAIRS) addPair(rates, PAIRS[sign]!, rest)
    else {
      const [window, output] = word.split('/')
      if (window !== '-') facts.contextWindow = Number(window)
      if (output !== '-') facts.maxOutput = Number(output)
    }
  }
  if (price.input !== undefined) {
    const named = Object.keys(tiers).length > 0
    facts.price = { ...(price as ModelPrice), ...(named && { tiers }) }
  }
  return JSON.stringify(facts).includes('null') ? undefined : facts
}

function addPair(rates: Rates, [input, output]: readonly [keyof TokenRates, keyof TokenRates], text: string): void {
  const [first, second] = text.split('/')
  if (first !== '-') rates[input] = Number(first)
  if (second !== '-') rates[output] = Number(second)
}

const abilitiesOf = (letters: string): ModelAbility[] => ABILITIES.filter((each) => letters.includes(each.charAt(0)))
