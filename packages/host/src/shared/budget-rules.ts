import type { BudgetCall, Spending } from '@x/interfaces'
import { findWorker, readBudget, type BudgetRecord, type BudgetWorker, type RecordRules } from './budget-record.ts'
import { addUnits, DIMENSIONS, eachUnit, noUnits, unitsOf, type Units } from './budget-units.ts'

/** Output tokens that an answer is taken to have when nothing of its model is known. */
const USUAL_ANSWER = 1024
/** Calls of a model in flight at most before its first answer, of all workers. */
const MOST_UNKNOWN = 4
/** Output tokens from which the price of one is computed. */
const MANY = 1e6

/** The rules of a budget. */
export interface BudgetRules extends RecordRules {
  /** Limits in whole units; `Infinity` where there is none. */
  readonly limit: Units
  readonly perCall: Partial<Spending> | undefined
  /** Least output tokens of a call whose limit a strict budget lowers. */
  readonly minTokens: number
}

/** A reservation that is asked for. */
export interface BudgetAsk {
  readonly estimate: Spending
  readonly call: BudgetCall | undefined
  readonly waits: boolean
}

/** A reservation that is made. */
export interface Admission {
  readonly amounts: Units
  /** Most output tokens that there is room for, when the request has to set that limit. */
  readonly maxTokens: number | undefined
  /** The model of the call, where it has not answered yet. */
  readonly unknown: string | undefined
}

/** A reservation that is refused. */
export interface Refusal {
  /** Whether calls in flight may still make room. */
  readonly later: boolean
  readonly amounts: Units
  /** The model of which so many calls are in flight that the first answer has to come before the next. */
  readonly unknownModel?: string | undefined
}

/** What a worker tells and asks at once. It tells sums and no changes, so that one that is told twice counts once. */
export interface BudgetQuestion extends Pick<BudgetWorker, 'open' | 'count' | 'unknown' | 'spent'> {
  readonly worker: string
  /** Milliseconds without a sign of life after which its share is given back. */
  readonly lease: number
  readonly rules: BudgetRules
  /** What the store is known to have counted of `spent`. */
  readonly counted: Units
  /** Output tokens of answers that came. */
  readonly lengths: readonly (readonly [model: string, tokens: number])[]
  readonly asks: readonly BudgetAsk[]
}

/** What a worker hears. */
export interface BudgetAnswer {
  readonly verdicts: readonly (Admission | Refusal)[]
  readonly sums: BudgetSums
}

/** The sums of a budget. */
export interface BudgetSums {
  readonly used: Units
  readonly open: Units
  /** When the present period began; null without periods. */
  readonly start: number | null
}

/** Counts what a worker tells, and decides what it gets. */
export function decideBudget(
  value: unknown,
  now: number,
  question: BudgetQuestion,
): { readonly value: BudgetRecord; readonly answer: BudgetAnswer } {
  const { worker, lease, rules, spent, counted, open, count, unknown, lengths } = question
  const record = readBudget(value, now, rules)
  const before = (value as BudgetRecord | undefined)?.workers.find(({ id }) => id === worker)
  const known = findWorker(record, worker, rules.strict)
  const me = known ?? { id: worker, until: 0, lease, open: noUnits(), count: 0, unknown: [], spent: counted }
  if (!known) record.workers.push(me)
  addUnits(
    record.used,
    eachUnit(spent, me.spent, (more, less) => Math.max(0, more - less)),
  )
  Object.assign(me, { open: { ...open }, count, unknown, spent: { ...spent }, until: now + lease, lease })
  for (const [model, tokens] of lengths) noteLength(record, model, tokens)
  const verdicts = question.asks.map((ask) => decide(record, me, rules, ask))
  const answer = { verdicts, sums: sumsOf(record) }
  const isSame =
    before !== undefined &&
    !before.lost &&
    lengths.length === 0 &&
    verdicts.every((verdict) => 'later' in verdict) &&
    (value as BudgetRecord).workers.length === record.workers.length &&
    (value as BudgetRecord).start === record.start &&
    sameUnits(before.open, open) &&
    sameUnits(before.spent, spent) &&
    before.count === count &&
    (count === 0 || before.until - now > lease * (2 / 3))
  return { value: isSame ? (value as BudgetRecord) : record, answer }
}

/** Returns the sums of a record. */
export const sumsOf = (record: BudgetRecord): BudgetSums => ({
  used: record.used,
  open: openOf(record),
  start: record.start,
})

const sameUnits = (a: Units, b: Units): boolean => DIMENSIONS.every((key) => a[key] === b[key])

function noteLength(record: BudgetRecord, model: string, tokens: number): void {
  const known = lengthOf(record, model)
  if (known !== undefined && known >= tokens) return
  record.lengths = [...record.lengths.filter(([name]) => name !== model), [model, tokens]]
}

const lengthOf = ({ lengths }: BudgetRecord, model: string): number | undefined =>
  lengths.find(([name]) => name === model)?.[1]

function openOf({ workers }: BudgetRecord): Units {
  const sum = noUnits()
  for (const { open, lost } of workers) if (!lost) addUnits(sum, open)
  return sum
}

/** Decides on one reservation, and adds it to what the worker has set aside. */
function decide(record: BudgetRecord, me: BudgetWorker, rules: BudgetRules, ask: BudgetAsk): Admission | Refusal {
  const room = new Room(record, rules.limit)
  // Only tokens and money need to be known; a call is a call.
  const limitsSize = Number.isFinite(rules.limit.cost) || Number.isFinite(rules.limit.tokens)
  const verdict =
    ask.call && rules.strict && limitsSize ? admitStrictly(room, rules, ask, ask.call) : admit(room, rules, ask)
  if ('later' in verdict) return verdict
  addUnits(me.open, verdict.amounts)
  me.count++
  if (verdict.unknown !== undefined) me.unknown = addCall(me.unknown, verdict.unknown)
  return verdict
}

/** Adds a call to the numbers of calls by model. */
export const addCall = (calls: BudgetWorker['unknown'], model: string, sign: 1 | -1 = 1): BudgetWorker['unknown'] => {
  const known = calls.find(([name]) => name === model)?.[1] ?? 0
  const others = calls.filter(([name]) => name !== model)
  return known + sign > 0 ? [...others, [model, known + sign]] : others
}

/** What a budget has room for. */
class Room {
  readonly record: BudgetRecord
  readonly #limit: Units
  readonly #open: Units
  /** Whether calls are in flight. */
  readonly isShared: boolean

  constructor(record: BudgetRecord, limit: Units) {
    this.record = record
    this.#limit = limit
    this.#open = openOf(record)
    this.isShared = record.workers.some(({ count, lost }) => count > 0 && !lost)
  }

  get left(): Units {
    return eachUnit(eachUnit(this.#limit, this.record.used, minus), this.#open, minus)
  }

  fits(amounts: Units): boolean {
    const { left } = this
    return DIMENSIONS.every((key) => amounts[key] <= left[key])
  }

  /** Whether a call would fit if nothing else were in flight; one whose size is not known, if anything is left. */
  couldFit(amounts: Units, unknown: boolean): boolean {
    const { used } = this.record
    return DIMENSIONS.every((key) =>
      unknown && key !== 'calls' ? used[key] < this.#limit[key] : used[key] + amounts[key] <= this.#limit[key],
    )
  }

  /** Makes a reservation; what has no limit and no size is not set aside. */
  hold(amounts: Units, more: Partial<Admission> = {}): Admission {
    const finite = eachUnit(amounts, amounts, (amount) => (Number.isFinite(amount) ? amount : 0))
    return { amounts: finite, maxTokens: undefined, unknown: undefined, ...more }
  }

  unknownCalls(model: string): number {
    return this.record.workers.reduce(
      (sum, { unknown, lost }) => sum + (lost ? 0 : (unknown.find(([name]) => name === model)?.[1] ?? 0)),
      0,
    )
  }
}

const minus = (a: number, b: number): number => a - b

/** Admits a call with an estimate of what it uses. */
function admit(room: Room, { limit, perCall }: BudgetRules, { call, estimate }: BudgetAsk): Admission | Refusal {
  const isEstimated = (key: 'cost' | 'tokens'): boolean => Number.isFinite(limit[key]) && perCall?.[key] === undefined
  const byLength = call && call.maxTokens === undefined && (isEstimated('cost') || isEstimated('tokens'))
  const longest = byLength ? lengthOf(room.record, call.model) : undefined
  const unknown = byLength === true && longest === undefined
  const output = call?.maxTokens ?? (byLength ? Math.min(longest ?? USUAL_ANSWER, call.maxOutput ?? Infinity) : 0)
  const amounts = unitsOf({ ...(call?.estimate(output) ?? estimate), ...perCall })
  const model = unknown ? call.model : undefined
  if (model !== undefined && room.unknownCalls(model) >= MOST_UNKNOWN) {
    return { later: true, amounts, unknownModel: model }
  }
  if (room.fits(amounts)) return room.hold(amounts, { unknown: model })
  if (room.isShared) return { later: room.couldFit(amounts, unknown), amounts }
  // The first call of a model may be smaller than it is taken to be: it gets what is left.
  if (unknown && room.couldFit(amounts, true)) {
    const { left } = room
    const least = (key: 'cost' | 'tokens'): number => Math.min(amounts[key], left[key])
    return room.hold({ cost: least('cost'), tokens: least('tokens'), calls: amounts.calls }, { unknown: model })
  }
  return { later: false, amounts }
}

/** Admits a call with the most it can use, or with what is left when the request can be limited to that. */
function admitStrictly(
  room: Room,
  { minTokens }: BudgetRules,
  { waits }: BudgetAsk,
  call: BudgetCall,
): Admission | Refusal {
  const most = call.maxTokens ?? call.maxOutput
  const sizeOf = (outputTokens: number): Units => unitsOf(call.estimate(outputTokens, true))
  const whole = most === undefined ? undefined : sizeOf(most)
  if (whole && room.fits(whole)) return room.hold(whole)
  const leastOutput = Math.min(minTokens, most ?? Infinity)
  const least = sizeOf(leastOutput)
  if (waits && room.isShared) return { later: room.couldFit(least, false), amounts: whole ?? least }
  let output = Math.min(outputLeft(room, sizeOf), most ?? Infinity)
  // Parts of units are rounded up.
  while (output >= leastOutput && !room.fits(sizeOf(output))) output--
  if (output < leastOutput) return { later: false, amounts: least }
  return room.hold(sizeOf(output), { maxTokens: output })
}

/** Output tokens that there is room for. */
function outputLeft({ left }: Room, sizeOf: (outputTokens: number) => Units): number {
  const none = sizeOf(0)
  const some = sizeOf(MANY)
  const room = (['cost', 'tokens'] as const).map((key) => {
    const perToken = (some[key] - none[key]) / MANY
    return perToken > 0 ? (left[key] - none[key]) / perToken : Infinity
  })
  return Math.floor(Math.min(...room))
}
