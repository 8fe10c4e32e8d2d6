import type { TokenRates } from '../../packages/interfaces/src/usage.ts'
import type { ModelFacts } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import type { ModelPrice, TierRates } from '../../packages/provider-kit/src/catalogue/model-facts.ts'

type Rates = Partial<TokenRates>

/** Writes the facts of a model in the form that `parseFacts` reads. */
export function writeFacts({ contextWindow, maxOutput, abilities = [], price, source }: ModelFacts): string {
  const limits = contextWindow || maxOutput ? [`${contextWindow ?? '-'}/${maxOutput ?? '-'}`] : []
  const letters = abilities.map((each) => each.charAt(0)).join('')
  return [
    ...limits,
    ...(letters ? [`+${letters}`] : []),
    ...(price ? [...wordsOf(price), ...(source === undefined ? [] : [String(source)])] : []),
  ].join(' ')
}

function wordsOf({ tiers = {}, ...usual }: ModelPrice): string[] {
  const tierWords = Object.entries(tiers)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([tier, rates]) => (typeof rates === 'number' ? [`@${tier}*${rates}`] : [`@${tier}`, ...scope(rates)]))
  return [...scope(usual), ...tierWords]
}

/** Writes rates, and the rates of long requests that differ. */
function scope({ long, ...usual }: TierRates): string[] {
  if (!long) return rateWords(usual)
  const { above, ...rates } = long
  const differing = Object.entries(rates).filter(([key, value]) => (usual as Record<string, unknown>)[key] !== value)
  const words = rateWords(Object.fromEntries(differing))
  return [...rateWords(usual), ...(words.length > 0 ? [`>${above}`, ...words] : [])]
}

function rateWords(rates: Rates): string[] {
  return [
    ...pair('$', rates.input, rates.output),
    ...single('c', rates.cached),
    ...single('w', rates.cacheWrite),
    ...single('h', rates.cacheWriteHour),
    ...pair('a', rates.audioInput, rates.audioOutput),
    ...single('C', rates.cachedAudio),
    ...pair('i', rates.imageInput, rates.imageOutput),
    ...single('q', rates.searches),
  ]
}

const single = (letter: string, rate: number | undefined): string[] => (rate === undefined ? [] : [letter + rate])

const pair = (letter: string, first: number | undefined, second: number | undefined): string[] =>
  first === undefined && second === undefined ? [] : [`${letter}${first ?? '-'}/${second ?? '-'}`]
