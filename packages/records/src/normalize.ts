/** A span of time, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Hours by which a date may be off the clock: it may be written in the time of any zone, and begins at midnight. */
const MAX_OFF_MS = 26 * HOUR_MS
/** Differences of time zones are multiples of it. */
const ZONE_STEP_MS = 15 * MINUTE_MS
/** Times of day that people write are mostly multiples of it. */
const ROUND_MS = 5 * MINUTE_MS
/** Time between a run and a time that still counts as one of it, such as when something expires. */
const MAX_DISTANCE_MS = 366 * DAY_MS
/** Time by which a program may be faster in its replay than it was before the first event of its record. */
const START_SLACK_MS = MINUTE_MS

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)'
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?:[ \\u202f]?[AP]M)?'
const ZONE = ' ?(?:Z|UTC|GMT)?(?: ?[+-]\\d{2}:?\\d{2})?(?: \\([A-Za-z ]{1,40}\\))?'
/** The beginning and the end of a word; what stands beside `_` is a word of its own, as in `order_…`. */
const [BEGIN, END] = ['(?<![0-9a-z])', '(?![0-9a-z])']
const BEHIND_DATE = `(?:(?:T|,? (?:at )?)${CLOCK}(?:${ZONE})?)?`

/**
 * Identifiers that programs make at random (UUIDs, with or without hyphens, and ULIDs), and times as people and programs
 * write them: dates with or without a clock, clocks with seconds, seconds and milliseconds since 1970.
 */
const TOKENS = new RegExp(
  [
    `(?<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|${BEGIN}(?:[0-9a-f]{32}|0[0-9a-hjkmnp-tv-z]{25})${END})`,
    `(?<ymd>${BEGIN}\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}${BEHIND_DATE})`,
    `(?<compact>${BEGIN}\\d{8}T\\d{6}Z?)`,
    `(?<named>${BEGIN}(?:${MONTH} \\d{1,2},? \\d{4}|\\d{1,2} ${MONTH},? \\d{4})${BEHIND_DATE})`,
    `(?<dmy>${BEGIN}\\d{1,2}[-/.]\\d{1,2}[-/.](?:\\d{4}|\\d{2}(?!\\d))${BEHIND_DATE})`,
    `(?<clock>${BEGIN}\\d{1,2}:\\d{2}:\\d{2}(?:[ \\u202f]?[AP]M${END})?)`,
    `(?<ms>${BEGIN}\\d{13}${END})`,
    `(?<s>${BEGIN}\\d{10}(?:\\.\\d{1,6})?${END})`,
  ].join('|'),
  'giu',
)

/** The name of a day before a date: that of another date is another. */
const WEEKDAY = /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? $/u

/** A time as a text has it. */
interface WrittenTime {
  /** Milliseconds since 1970, read as UTC where the text names no zone: in each way in which the text can be read. */
  readonly at: readonly number[]
  readonly unit: 'day' | 'clock' | 'time'
  /** True if the text names its zone. */
  readonly isZoned: boolean
}

/** A text in parts: what stands between the tokens, and the tokens: identifiers as texts, times as they are read. */
interface TextParts {
  readonly between: readonly string[]
  readonly tokens: readonly (string | WrittenTime)[]
  readonly written: readonly string[]
  /** The name of the day before each token; empty for none. */
  readonly weekdays: readonly string[]
}

function partsOf(text: string): TextParts {
  const between: string[] = []
  const tokens: (string | WrittenTime)[] = []
  const written: string[] = []
  const weekdays: string[] = []
  let end = 0
  for (const match of text.matchAll(TOKENS)) {
    const token = match.groups!['id'] ?? timeIn(match)
    if (token === null) continue
    const before = text.slice(end, match.index)
    const weekday = (typeof token === 'string' ? null : WEEKDAY.exec(before)?.[0]) ?? ''
    between.push(before.slice(0, before.length - weekday.length))
    weekdays.push(weekday)
    tokens.push(token)
    written.push(match[0])
    end = match.index + match[0].length
  }
  between.push(text.slice(end))
  return { between, tokens, written, weekdays }
}

/** Reads a time; null for digits that are none, such as a month of 13. */
function timeIn({ 0: text, groups }: RegExpExecArray): WrittenTime | null {
  const { ms, s, clock } = groups!
  if (ms !== undefined) return { at: [Number(ms)], unit: 'time', isZoned: true }
  if (s !== undefined) return { at: [Number(s) * 1000], unit: 'time', isZoned: true }
  const ofDay = clockIn(text)
  if (clock !== undefined) return ofDay === null ? null : { at: [ofDay], unit: 'clock', isZoned: false }
  const zone = /(?:Z|UTC|GMT)? ?([+-]\d{2}):?(\d{2})?(?: \(|$)|(?:Z|UTC|GMT)(?: \(|$)/iu.exec(
    ofDay === null ? '' : text,
  )
  const hours = Number(zone?.[1] ?? 0)
  const off = hours * HOUR_MS + Math.sign(hours || 1) * Number(zone?.[2] ?? 0) * MINUTE_MS
  const at = daysIn(text, groups!).map((day) => day + (ofDay ?? 0) - off)
  if (at.every(Number.isNaN)) return null
  return { at, unit: ofDay === null ? 'day' : 'time', isZoned: zone !== null }
}

/** Returns the days that the date of a text may mean; NaN for one that is none, so that each form has its index. */
function daysIn(text: string, { ymd, compact, named }: Readonly<Record<string, string>>): readonly number[] {
  const numbers = text.match(/\d+/gu)!.map(Number)
  const [one, two, last] = numbers as [number, number, number]
  const three = ymd === undefined && last < 100 ? 2000 + last : last
  if (ymd !== undefined) return days([[one, two, three]])
  if (compact !== undefined) {
    const [, year, month, day] = /(\d{4})(\d{2})(\d{2})/u.exec(text)!
    return days([[Number(year), Number(month), Number(day)]])
  }
  if (named === undefined)
    return days([
      [three, one, two],
      [three, two, one],
    ])
  const month = MONTHS.indexOf(/[a-z]{3}/iu.exec(text)![0].toLowerCase()) + 1
  return days([[two, month, one]])
}

const days = (dates: readonly (readonly [year: number, month: number, day: number])[]): readonly number[] =>
  dates.map(([year, month, day]) =>
    month >= 1 && month <= 12 && day >= 1 && day <= 31 ? Date.UTC(year, month - 1, day) : NaN,
  )

/** Returns the time of day in a text, in milliseconds; null for none. */
function clockIn(text: string): number | null {
  const found =
    /(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[ \u202f]?([AP])M)?/iu.exec(text) ??
    /T(\d{2})(\d{2})(\d{2})/u.exec(text)
  if (!found) return null
  const [, hour, minute, second = 0, fraction = '0', half] = found
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  if (hours > 24 || Number(minute) > 59 || Number(second) > 60) return null
  return (
    hours * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * 1000 + Math.floor(Number(`0.${fraction}`) * 1000)
  )
}

/**
 * Compares texts of two runs of a program. Random identifiers are equal if each one of the first run always has the same
 * counterpart in the second one; times are equal if each stands as far from the beginning of its own run, and at most a year.
 * Everything else has to be the same.
 */
export class RunTexts {
  readonly #recorded: TimeSpan
  readonly #now: () => TimeSpan
  readonly #counterparts = new Map<string, string>()
  readonly #originals = new Map<string, string>()
  readonly #constants: ReadonlyMap<string, string>
  /** True once an identifier was found that the program does not make at random. */
  hasFoundConstant = false

  /**
   * Takes the time of the recorded run, that of the run now so far, and the counterparts of an earlier run of the program of
   * now: an identifier that the program has again is not one of chance.
   */
  constructor(recorded: TimeSpan, now: () => TimeSpan, constants: ReadonlyMap<string, string> = new Map()) {
    this.#recorded = recorded
    this.#now = now
    this.#constants = constants
  }

  /** The identifiers of the recorded run that have other counterparts now. */
  get counterparts(): ReadonlyMap<string, string> {
    return this.#counterparts
  }

  /** True if two texts are the same but for identifiers and times. */
  areSame(recorded: string, now: string): boolean {
    if (recorded === now) return true
    const [one, other] = [partsOf(recorded), partsOf(now)]
    if (one.tokens.length === 0 || one.tokens.length !== other.tokens.length) return false
    if (!one.between.every((text, index) => text === other.between[index])) return false
    return one.tokens.every((token, index) => {
      const counterpart = other.tokens[index]!
      const [day, otherDay] = [one.weekdays[index]!, other.weekdays[index]!]
      if (one.written[index] === other.written[index]) return day === otherDay
      if ((day === '') !== (otherDay === '')) return false
      if (typeof token === 'string' || typeof counterpart === 'string') {
        return typeof token === 'string' && typeof counterpart === 'string' && this.#areCounterparts(token, counterpart)
      }
      return this.#areTimes(token, counterpart)
    })
  }

  /** True if two numbers are times of their runs, in seconds or milliseconds since 1970. */
  areTimes(recorded: number, now: number): boolean {
    const [one, other] = [recorded, now].map(timeOfNumber)
    return one !== null && other !== null && this.#areTimes(one!, other!)
  }

  #areTimes(one: WrittenTime, other: WrittenTime): boolean {
    if (one.unit !== other.unit || one.isZoned !== other.isZoned) return false
    return one.at.some((at, index) => other.at[index] !== undefined && this.#isAsFar(at, other.at[index], one))
  }

  /** True if two times stand as far from the beginnings of their runs, as precisely as they are written. */
  #isAsFar(recorded: number, other: number, { unit, isZoned }: WrittenTime): boolean {
    const now = this.#now()
    if (unit === 'day') return isNear(recorded, this.#recorded) && isNear(other, now)
    if (unit === 'time' && !(isOf(this.#recorded, recorded) && isOf(now, other))) return false
    const slack = START_SLACK_MS + lengthOf(this.#recorded) + lengthOf(now)
    const isRounded = unit === 'time' && isNear(recorded, this.#recorded) && isNear(other, now)
    const grain = isRounded ? grainOf(recorded, other) : 0
    const off = other - now.from - (recorded - this.#recorded.from)
    if (isZoned) return Math.abs(off) <= slack + grain
    if ((unit === 'clock' ? distanceTo(off, DAY_MS) : Math.abs(off)) <= slack + grain) return true
    // In another zone a time of the run is seldom a round one: people write those, such as when a shop closes.
    if (recorded % ROUND_MS === 0 && other % ROUND_MS === 0) return false
    const isOneZone = unit === 'clock' || Math.abs(off) <= MAX_OFF_MS + slack
    return isOneZone && distanceTo(off, ZONE_STEP_MS) <= slack + grain
  }

  #areCounterparts(token: string, counterpart: string): boolean {
    const [known, original] = [this.#counterparts.get(token), this.#originals.get(counterpart)]
    if (known !== undefined || original !== undefined) return known === counterpart && original === token
    if (this.#constants.get(token) === counterpart) {
      this.hasFoundConstant = true
      return false
    }
    this.#counterparts.set(token, counterpart)
    this.#originals.set(counterpart, token)
    return true
  }
}

/** Finds where two texts differ: behind identifiers and times, which may be others, unless nothing else differs. */
export function placesOfDifference(one: string, other: string): readonly [number, number] {
  const [parts, others] = [partsOf(one), partsOf(other)]
  let [at, there] = [0, 0]
  for (const [index, text] of parts.between.entries()) {
    const next = others.between[index] ?? ''
    const shared = sharedLength(text, next)
    if (shared < Math.max(text.length, next.length)) return [at + shared, there + shared]
    at += shared + lengthOfToken(parts, index)
    there += shared + lengthOfToken(others, index)
  }
  const shared = sharedLength(one, other)
  return [shared, shared]
}

const lengthOfToken = ({ weekdays, written }: TextParts, index: number): number =>
  (weekdays[index]?.length ?? 0) + (written[index]?.length ?? 0)

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

const timeOfNumber = (value: number): WrittenTime | null => {
  if (value >= 1e12 && value < 1e13) return { at: [value], unit: 'time', isZoned: true }
  return value >= 1e9 && value < 1e10 ? { at: [value * 1000], unit: 'time', isZoned: true } : null
}

const lengthOf = ({ from, to }: TimeSpan): number => Math.max(0, to - from)

const isNear = (time: number, { from, to }: TimeSpan): boolean => time >= from - MAX_OFF_MS && time <= to + MAX_OFF_MS

/** True if a time can be one of a run, or stand in a relation to it. */
const isOf = ({ from, to }: TimeSpan, time: number): boolean =>
  time >= from - MAX_DISTANCE_MS && time <= to + MAX_DISTANCE_MS

/** The unit to which both times are rounded. */
const grainOf = (one: number, other: number): number =>
  [DAY_MS, HOUR_MS, MINUTE_MS, 1000].find((unit) => one % unit === 0 && other % unit === 0) ?? 0

/** Distance of a number to the nearest multiple of another one. */
function distanceTo(value: number, step: number): number {
  const rest = Math.abs(value) % step
  return Math.min(rest, step - rest)
}
