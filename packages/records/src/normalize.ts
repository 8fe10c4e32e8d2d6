/** A span of time, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** Hours by which a text may be off the clock: it may be written in the time of any zone, or of a day alone. */
const MAX_OFF_MS = 26 * 3_600_000

/** Identifiers that programs make at random. */
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** Times as `toISOString`, `toString`, `toUTCString` and `toLocaleString` write them, and milliseconds since 1970. */
const TIMES: readonly string[] = [
  '\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?: ?(?:Z|[+-]\\d{2}:?\\d{2}))?)?',
  '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:[A-Z][a-z]{2} \\d{2}|\\d{2} [A-Z][a-z]{2}) \\d{4}(?: \\d{2}:\\d{2}:\\d{2})?(?: GMT(?:[+-]\\d{4})?)?(?: \\([A-Za-z ]{1,40}\\))?',
  '\\d{1,2}\\/\\d{1,2}\\/\\d{4}(?:, \\d{1,2}:\\d{2}(?::\\d{2})?(?: [AP]M)?)?',
  '\\b\\d{13}\\b',
]
const TOKENS = new RegExp(`(${UUID})|(${TIMES.join('|')})`, 'giu')

/** A text in parts: what stands between the tokens, and the tokens. */
interface TextParts {
  readonly between: readonly string[]
  readonly ids: readonly (string | undefined)[]
  readonly tokens: readonly string[]
}

function partsOf(text: string): TextParts {
  const between: string[] = []
  const ids: (string | undefined)[] = []
  const tokens: string[] = []
  let end = 0
  for (const match of text.matchAll(TOKENS)) {
    between.push(text.slice(end, match.index))
    ids.push(match[1])
    tokens.push(match[0])
    end = match.index + match[0].length
  }
  between.push(text.slice(end))
  return { between, ids, tokens }
}

/**
 * Compares texts of two runs of a program. Random identifiers are equal if each one of the first run always has the same
 * counterpart in the second one; times are equal if each is of its own run. Everything else has to be the same.
 */
export class RunTexts {
  readonly #recorded: TimeSpan
  readonly #now: () => TimeSpan
  readonly #counterparts = new Map<string, string>()
  readonly #originals = new Map<string, string>()

  /** Takes the time of the recorded run, and that of the run now so far. */
  constructor(recorded: TimeSpan, now: () => TimeSpan) {
    this.#recorded = recorded
    this.#now = now
  }

  /** True if two texts are the same but for identifiers and times. */
  areSame(recorded: string, now: string): boolean {
    if (recorded === now) return true
    const [one, other] = [partsOf(recorded), partsOf(now)]
    if (one.tokens.length === 0 || one.tokens.length !== other.tokens.length) return false
    if (!one.between.every((text, index) => text === other.between[index])) return false
    return one.tokens.every((token, index) => this.#isCounterpart(one, other, index, token))
  }

  /** True if two numbers are times of their runs. */
  areTimes(recorded: number, now: number): boolean {
    return isWithin(recorded, this.#recorded) && isWithin(now, this.#now())
  }

  #isCounterpart(one: TextParts, other: TextParts, index: number, token: string): boolean {
    const counterpart = other.tokens[index]!
    if (token === counterpart) return true
    if (one.ids[index] === undefined || other.ids[index] === undefined) {
      return one.ids[index] === other.ids[index] && this.areTimes(timeOf(token), timeOf(counterpart))
    }
    const [known, original] = [this.#counterparts.get(token), this.#originals.get(counterpart)]
    if (known !== undefined || original !== undefined) return known === counterpart && original === token
    this.#counterparts.set(token, counterpart)
    this.#originals.set(counterpart, token)
    return true
  }
}

const timeOf = (token: string): number => (/^\d{13}$/u.test(token) ? Number(token) : Date.parse(token))

const isWithin = (time: number, { from, to }: TimeSpan): boolean => time >= from - MAX_OFF_MS && time <= to + MAX_OFF_MS
