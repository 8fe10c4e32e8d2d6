import type { BudgetCall, Spending } from '@x/interfaces'
import { findWorker, readBudget, type BudgetRecord, type BudgetWorker, type RecordRules } from './budget-record.ts'
import { addUnits, BUDGET_DIMENSIONS, eachUnit, noUnits, unitsOf, type Units } from './budget-units.ts'

/** Estimated length of an answer, in output tokens, of a model that has not answered yet. */
const DEFAULT_ANSWER_TOKENS = 1024
/** Most calls in flight of a model before its first answer, of all workers. */
const MAX_CALLS_BEFORE_FIRST_ANSWER = 4
/** Number of output tokens whose estimate gives the price of one token. */
const PRICE_SAMPLE_TOKENS = 1e6

/** The rules of a budget. */
export interface BudgetRules extends RecordRules {
  /** Limits in whole units; `Infinity`: no limit. */
  readonly limit: Units
  readonly perCall: Partial<Spending> | undefined
  /** Least limit of output tokens that a strict budget sets for a call. */
  readonly minTokens: number
}

/** A request for a reservation. */
export interface ReservationRequest {
  readonly estimate: Spending
  readonly call: BudgetCall | undefined
  readonly waits: boolean
}

/** The decision to make a reservation. */
export interface Admission {
  readonly amounts: Units
  /** Most output tokens that there is room for; the request has to set this limit. */
  readonly maxTokens: number | undefined
  /** The model of the call, if the model has not answered yet. */
  readonly unknownModel: string | undefined
}

/** The decision to refuse a reservation. */
export interface Refusal {
  /** True if calls in flight may still make room. */
  readonly later: boolean
  readonly amounts: Units
  /** The model that has to answer a call in flight before the next call is admitted. */
  readonly unknownModel?: string | undefined
}

/** The totals of a worker, and its requests. Because it reports totals and not changes, an update that arrives twice counts once. */
export interface BudgetUpdate extends Pick<BudgetWorker, 'open' | 'count' | 'unknown' | 'spent'> {
  readonly worker: string
  /** Milliseconds without a sign of life after which its reservations are released. */
  readonly lease: number
  readonly rules: BudgetRules
  /** The part of `spent` that the store has counted, as far as the worker knows. */
  readonly counted: Units
  /** Lengths of new answers, in output tokens. */
  readonly lengths: readonly (readonly [model: string, tokens: number])[]
  readonly requests: readonly ReservationRequest[]
}

/** The answer to an update of a worker. */
export interface BudgetAnswer {
  readonly verdicts: readonly (Admission | Refusal)[]
  readonly sums: BudgetSums
}

/** The sums of a budget. */
export interface BudgetSums {
  readonly used: Units
  readonly open: Units
  /** Start of the present period; null without periods. */
  readonly start: number | null
}

/** Counts the totals of a worker, and decides on its requests. */
export function decideBudget(
  value: unknown,
  now: number,
  update: BudgetUpdate,
): { readonly value: BudgetRecord; readonly answer: BudgetAnswer } {
  const { worker, lease, rules, spent, counted, open, count, unknown, lengths } = update
  const record = readBudget(value, now, rules)
  const before = (value as BudgetRecord | undefined)?.workers.find(({ id }) => id === worker)
  const known = findWorker(record, worker, rules.strict)
  const me = known ?? { id: worker, until: 0, lease, open: noUnits(), count: 0, unknown: [], spent: counted }
  if (!known) record.workers.push(me)
  addUnits(
    record.used,
    eachUnit(spent, me.spent, (reported, before) => Math.max(0, reported - before)),
  )
  Object.assign(me, { open: { ...open }, count, unknown, spent: { ...spent }, until: now + lease, lease })
  for (const [model, tokens] of lengths) noteLength(record, model, tokens)
  const verdicts = update.requests.map((request) => decide(record, me, rules, request))
  const answer = { verdicts, sums: sumsOf(record) }
  const isUnchanged =
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
  return { value: isUnchanged ? (value as BudgetRecord) : record, answer }
}

/** Returns the sums of a record. */
export const sumsOf = (record: BudgetRecord): BudgetSums => ({
  used: record.used,
  open: openOf(record),
  start: record.start,
})

const sameUnits = (a: Units, b: Units): boolean => BUDGET_DIMENSIONS.every((key) => a[key] === b[key])

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

/** Decides on one request, and adds the reservation to those of the worker. */
function decide(
  record: BudgetRecord,
  me: BudgetWorker,
  rules: BudgetRules,
  request: ReservationRequest,
): Admission | Refusal {
  const room = new Headroom(record, rules.limit)
  // The size of a call matters only for limits of tokens and money.
  const limitsSize = Number.isFinite(rules.limit.cost) || Number.isFinite(rules.limit.tokens)
  const verdict =
    request.call && rules.strict && limitsSize
      ? admitStrictly(room, rules, request, request.call)
      : admit(room, rules, request)
  if ('later' in verdict) return verdict
  addUnits(me.open, verdict.amounts)
  me.count++
  if (verdict.unknownModel !== undefined) me.unknown = addCall(me.unknown, verdict.unknownModel)
  return verdict
}

/** Adds a call to the numbers of calls by model, or subtracts one. */
export const addCall = (calls: BudgetWorker['unknown'], model: string, sign: 1 | -1 = 1): BudgetWorker['unknown'] => {
  const known = calls.find(([name]) => name === model)?.[1] ?? 0
  const others = calls.filter(([name]) => name !== model)
  return known + sign > 0 ? [...others, [model, known + sign]] : others
}

/** The rest of a budget. */
class Headroom {
  readonly record: BudgetRecord
  readonly #limit: Units
  readonly #open: Units
  /** True if calls are in flight. */
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
    return BUDGET_DIMENSIONS.every((key) => amounts[key] <= left[key])
  }

  /** True if a call would fit with no other call in flight. A call of unknown size fits if anything is left. */
  couldFit(amounts: Units, isUnknown: boolean): boolean {
    const { used } = this.record
    return BUDGET_DIMENSIONS.every((key) =>
      isUnknown && key !== 'calls' ? used[key] < this.#limit[key] : used[key] + amounts[key] <= this.#limit[key],
    )
  }

  /** Makes a reservation; an infinite amount, which has no limit, is not reserved. */
  reserve(amounts: Units, more: Partial<Admission> = {}): Admission {
    const finite = eachUnit(amounts, amounts, (amount) => (Number.isFinite(amount) ? amount : 0))
    return { amounts: finite, maxTokens: undefined, unknownModel: undefined, ...more }
  }

  /** Counts the calls in flight of a model that has not answered yet. */
  unknownCalls(model: string): number {
    return this.record.workers.reduce(
      (sum, { unknown, lost }) => sum + (lost ? 0 : (unknown.find(([name]) => name === model)?.[1] ?? 0)),
      0,
    )
  }
}

const minus = (a: number, b: number): number => a - b

/** Admits a call if its estimate fits. */
function admit(
  room: Headroom,
  { limit, perCall }: BudgetRules,
  { call, estimate }: ReservationRequest,
): Admission | Refusal {
  const isEstimated = (key: 'cost' | 'tokens'): boolean => Number.isFinite(limit[key]) && perCall?.[key] === undefined
  const dependsOnLength = call && call.maxTokens === undefined && (isEstimated('cost') || isEstimated('tokens'))
  const longest = dependsOnLength ? lengthOf(room.record, call.model) : undefined
  const isUnknown = dependsOnLength === true && longest === undefined
  const output =
    call?.maxTokens ?? (dependsOnLength ? Math.min(longest ?? DEFAULT_ANSWER_TOKENS, call.maxOutput ?? Infinity) : 0)
  const amounts = unitsOf({ ...(call?.estimate(output) ?? estimate), ...perCall })
  const unknownModel = isUnknown ? call.model : undefined
  if (unknownModel !== undefined && room.unknownCalls(unknownModel) >= MAX_CALLS_BEFORE_FIRST_ANSWER) {
    return { later: true, amounts, unknownModel }
  }
  if (room.fits(amounts)) return room.reserve(amounts, { unknownModel })
  if (room.isShared) return { later: room.couldFit(amounts, isUnknown), amounts }
  // The first call of a model may be smaller than its estimate, so it gets what is left.
  if (isUnknown && room.couldFit(amounts, true)) {
    const { left } = room
    const least = (key: 'cost' | 'tokens'): number => Math.min(amounts[key], left[key])
    return room.reserve({ cost: least('cost'), tokens: least('tokens'), calls: amounts.calls }, { unknownModel })
  }
  return { later: false, amounts }
}

/** Admits a call if the most that it can use fits, or else with a limit of output tokens that fits. */
function admitStrictly(
  room: Headroom,
  { minTokens }: BudgetRules,
  { waits }: ReservationRequest,
  call: BudgetCall,
): Admission | Refusal {
  const most = call.maxTokens ?? call.maxOutput
  const sizeOf = (outputTokens: number): Units => unitsOf(call.estimate(outputTokens, true))
  const whole = most === undefined ? undefined : sizeOf(most)
  if (whole && room.fits(whole)) return room.reserve(whole)
  const leastOutput = Math.min(minTokens, most ?? Infinity)
  const least = sizeOf(leastOutput)
  if (waits && room.isShared) return { later: room.couldFit(least, false), amounts: whole ?? least }
  let output = Math.min(outputLeft(room, sizeOf), most ?? Infinity)
  // Amounts are rounded up, so the computed limit may be slightly too large.
  while (output >= leastOutput && !room.fits(sizeOf(output))) output--
  if (output < leastOutput) return { later: false, amounts: least }
  return room.reserve(sizeOf(output), { maxTokens: output })
}

/** Returns the number of output tokens that there is room for. */
function outputLeft({ left }: Headroom, sizeOf: (outputTokens: number) => Units): number {
  const none = sizeOf(0)
  const some = sizeOf(PRICE_SAMPLE_TOKENS)
  const room = (['cost', 'tokens'] as const).map((key) => {
    const perToken = (some[key] - none[key]) / PRICE_SAMPLE_TOKENS
    return perToken > 0 ? (left[key] - none[key]) / perToken : Infinity
  })
  return Math.floor(Math.min(...room))
}
