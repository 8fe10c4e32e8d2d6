import type { BudgetCall, Spending } from '@x/interfaces'
import { XError } from '../x-error.ts'
import { isListOf, isNumber, isObject, refuseUnknownVersion } from './record-shape.ts'

/** Estimated length of an answer, in output tokens, of a model that has not answered yet. */
const DEFAULT_ANSWER_TOKENS = 1024
/** Most calls in flight of a model before its first answer, of all workers. */
const MAX_CALLS_BEFORE_FIRST_ANSWER = 4
/** Number of output tokens whose estimate gives the price of one token. */
const PRICE_SAMPLE_TOKENS = 1e6
/** Time for which a worker whose lease has expired may come back. */
const LOST_WORKER_TTL_MS = 86_400_000
/** Money is kept as whole billionths of a US dollar, so that sums are exact. */
const UNITS_PER_DOLLAR = 1e9
/** Floating-point error that a product in units may have. */
const ROUNDING_TOLERANCE_UNITS = 1e-3

/** The dimensions that a budget limits. */
export const BUDGET_DIMENSIONS = ['cost', 'tokens', 'calls'] as const

/** Amounts in whole units: billionths of a US dollar, tokens, calls. */
export type Units = Spending

/** Amounts as a user gives them, in US dollars, tokens and calls. */
export type GivenAmounts = { readonly [K in keyof Spending]?: number | undefined }

/** Returns amounts of zero. */
export const noUnits = (): Units => ({ cost: 0, tokens: 0, calls: 0 })

/** Converts the spending of a call to units; parts of units are rounded up. */
export const unitsOf = ({ cost, tokens, calls }: Spending): Units => ({
  cost: Math.max(0, Math.ceil(cost * UNITS_PER_DOLLAR - ROUNDING_TOLERANCE_UNITS)),
  tokens: Math.ceil(tokens),
  calls: Math.ceil(calls),
})

/** Converts a limit to units; parts of units are rounded down. A dimension without a limit is `Infinity`. */
export const limitUnits = ({ cost = Infinity, tokens = Infinity, calls = Infinity }: GivenAmounts): Units => ({
  cost: Math.floor(cost * UNITS_PER_DOLLAR + ROUNDING_TOLERANCE_UNITS),
  tokens,
  calls,
})

/** Converts units to US dollars, tokens and calls. */
export const spendingOf = ({ cost, tokens, calls }: Units): Spending => ({
  cost: cost / UNITS_PER_DOLLAR,
  tokens,
  calls,
})

/** Adds units to a sum in place, or subtracts them. */
export function addUnits(sum: Units, { cost, tokens, calls }: Units, sign: 1 | -1 = 1): void {
  sum.cost += sign * cost
  sum.tokens += sign * tokens
  sum.calls += sign * calls
}

/** Applies a function to each dimension of two amounts. */
export const eachUnit = (a: Units, b: Units, compute: (a: number, b: number) => number): Units => ({
  cost: compute(a.cost, b.cost),
  tokens: compute(a.tokens, b.tokens),
  calls: compute(a.calls, b.calls),
})

/** The rules of a budget. */
export interface BudgetRules {
  /** The budget in errors, such as "the budget `team`". */
  readonly name: string
  /** Limits in whole units; `Infinity`: no limit. */
  readonly limit: Units
  /** Fixed amounts to reserve for every call; undefined: estimates. */
  readonly perCall: Partial<Spending> | undefined
  /** True to reserve the most that a call can use instead of an estimate. */
  readonly strict: boolean
  /** Least limit of output tokens that a strict budget sets for a call. */
  readonly minTokens: number
  /** Period after which the budget starts again: calendar units in UTC, or a number of seconds counted from 1970. */
  readonly per: 'hour' | 'day' | 'month' | number | undefined
}

/** The reservations that a worker holds: their sum and number, and the calls in flight of each model that has not answered yet. */
export interface HeldReservations {
  open: Units
  count: number
  unknown: readonly (readonly [model: string, calls: number])[]
}

/** A worker in the record of a budget. */
export interface BudgetWorker extends HeldReservations {
  readonly id: string
  /** Time at which the lease of its reservations ends, in milliseconds since 1970, and duration of the lease in milliseconds. */
  until: number
  lease: number
  /** The part of its spending since it started that has been counted. */
  spent: Units
  /** The period in which its lease expired; absent while it is alive. */
  lost?: { readonly start: number | null } | undefined
}

/** The state of a budget: plain JSON, amounts in whole units. */
export interface BudgetRecord {
  /** Start of the present period; null without periods. */
  start: number | null
  /** The spending of the present period. */
  used: Units
  workers: BudgetWorker[]
  /** The longest answer of each model, in output tokens. */
  lengths: (readonly [model: string, tokens: number])[]
}

/** A request for a reservation. */
export interface ReservationRequest {
  readonly estimate: Spending
  readonly call: BudgetCall | undefined
  /** True if the call can wait for room. */
  readonly waits: boolean
  /** True if other calls wait already: they come first. */
  readonly behind: boolean
}

/** The decision to make a reservation. */
export interface Admission {
  readonly amounts: Units
  /** Most output tokens that there is room for; the request has to set this limit. */
  readonly maxTokens?: number | undefined
  /** The model of the call, if the model has not answered yet. */
  readonly unknownModel?: string | undefined
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
export interface BudgetUpdate extends Readonly<HeldReservations> {
  readonly worker: string
  /** Milliseconds without a sign of life after which its reservations count as spent. */
  readonly lease: number
  readonly rules: BudgetRules
  /** The spending of the worker since it started. */
  readonly spent: Units
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
  const known = findWorker(record, worker)
  const me = known ?? { id: worker, until: 0, lease, open: noUnits(), count: 0, unknown: [], spent: counted }
  if (!known) record.workers.push(me)
  addUnits(
    record.used,
    eachUnit(spent, me.spent, (reported, before) => Math.max(0, reported - before)),
  )
  Object.assign(me, { open: { ...open }, count, unknown, spent: { ...spent }, until: now + lease, lease })
  for (const [model, tokens] of lengths) noteLength(record, model, tokens)
  const verdicts = update.requests.map((request) => decideRequest(record, me, rules, request))
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
export function sumsOf({ used, workers, start }: BudgetRecord): BudgetSums {
  const open = noUnits()
  for (const each of workers) if (!each.lost) addUnits(open, each.open)
  return { used, open, start }
}

const sameUnits = (a: Units, b: Units): boolean => BUDGET_DIMENSIONS.every((key) => a[key] === b[key])

/** Keeps the length of an answer if it is the longest of its model. */
export function noteLength(record: BudgetRecord, model: string, tokens: number): void {
  const known = lengthOf(record, model)
  if (known !== undefined && known >= tokens) return
  record.lengths = [...record.lengths.filter(([name]) => name !== model), [model, tokens]]
}

const lengthOf = ({ lengths }: BudgetRecord, model: string): number | undefined =>
  lengths.find(([name]) => name === model)?.[1]

/** Decides on one request, and adds the reservation to those of the worker, which is one of the record's. */
export function decideRequest(
  record: BudgetRecord,
  me: HeldReservations,
  rules: BudgetRules,
  request: ReservationRequest,
): Admission | Refusal {
  const room = new Headroom(record, rules.limit)
  const verdict =
    request.call && isSizedStrictly(rules)
      ? admitStrictly(room, rules, request, request.call)
      : admit(room, rules, request)
  if (!('later' in verdict)) hold(me, verdict)
  return verdict
}

/** Adds a reservation to those of a worker. */
export function hold(me: HeldReservations, { amounts, unknownModel }: Admission): void {
  addUnits(me.open, amounts)
  me.count++
  if (unknownModel !== undefined) me.unknown = withCall(me.unknown, unknownModel, 1)
}

/** Subtracts a reservation that has ended from those of a worker. */
export function drop(me: HeldReservations, { amounts, unknownModel }: Admission): void {
  addUnits(me.open, amounts, -1)
  me.count--
  if (unknownModel !== undefined) me.unknown = withCall(me.unknown, unknownModel, -1)
}

/** Adds a call to the numbers of calls by model, or subtracts one. */
function withCall(calls: HeldReservations['unknown'], model: string, sign: 1 | -1): HeldReservations['unknown'] {
  const known = calls.find(([name]) => name === model)?.[1] ?? 0
  const others = calls.filter(([name]) => name !== model)
  return known + sign > 0 ? [...others, [model, known + sign]] : others
}

/** True if calls reserve the most that they can use. Their size matters only for limits of tokens and money. */
const isSizedStrictly = ({ strict, limit }: BudgetRules): boolean =>
  strict && (limit.cost < Infinity || limit.tokens < Infinity)

/** True if the estimate of a call depends on the lengths of earlier answers of its model, which its own answer adds to. */
export function isEstimatedByLength(rules: BudgetRules, { maxTokens }: BudgetCall): boolean {
  const { limit, perCall } = rules
  if (maxTokens !== undefined || isSizedStrictly(rules)) return false
  return (
    (limit.cost < Infinity && perCall?.cost === undefined) || (limit.tokens < Infinity && perCall?.tokens === undefined)
  )
}

/** Estimates the amounts of a call by the longest answer of its model; undefined before the first answer. */
export function estimateByLength({ perCall }: BudgetRules, call: BudgetCall, longest: number | undefined): Units {
  const estimate = call.estimate(Math.min(longest ?? DEFAULT_ANSWER_TOKENS, call.maxOutput ?? Infinity))
  return unitsOf(perCall ? { ...estimate, ...perCall } : estimate)
}

/** The rest of a budget. */
class Headroom {
  readonly record: BudgetRecord
  readonly #limit: Units
  /** Amounts that are neither spent nor reserved. */
  readonly left: Units
  /** True if calls are in flight. */
  readonly isShared: boolean

  constructor(record: BudgetRecord, limit: Units) {
    const { used, workers } = record
    this.record = record
    this.#limit = limit
    this.left = { cost: limit.cost - used.cost, tokens: limit.tokens - used.tokens, calls: limit.calls - used.calls }
    let isShared = false
    for (const { open, count, lost } of workers) {
      if (lost) continue
      addUnits(this.left, open, -1)
      if (count > 0) isShared = true
    }
    this.isShared = isShared
  }

  fits({ cost, tokens, calls }: Units): boolean {
    const { left } = this
    return cost <= left.cost && tokens <= left.tokens && calls <= left.calls
  }

  /** True if a call would fit with no other call in flight. A call of unknown size fits if anything is left. */
  couldFit(amounts: Units, isUnknown: boolean): boolean {
    const { used } = this.record
    return BUDGET_DIMENSIONS.every((key) =>
      isUnknown && key !== 'calls' ? used[key] < this.#limit[key] : used[key] + amounts[key] <= this.#limit[key],
    )
  }

  /** Counts the calls in flight of a model that has not answered yet. */
  unknownCalls(model: string): number {
    return this.record.workers.reduce(
      (sum, { unknown, lost }) => sum + (lost ? 0 : (unknown.find(([name]) => name === model)?.[1] ?? 0)),
      0,
    )
  }
}

/** Admits some amounts; an infinite one, which has no limit, is not reserved. */
function admission({ cost, tokens, calls }: Units, maxTokens?: number, unknownModel?: string): Admission {
  const amounts = { cost: cost === Infinity ? 0 : cost, tokens: tokens === Infinity ? 0 : tokens, calls }
  return { amounts, maxTokens, unknownModel }
}

/** Admits a call if its estimate fits. */
function admit(room: Headroom, rules: BudgetRules, request: ReservationRequest): Admission | Refusal {
  const { call, estimate, behind } = request
  // What was paid before counts even where nothing is left.
  if (BUDGET_DIMENSIONS.every((key) => estimate[key] === 0)) return admission(noUnits())
  const { perCall } = rules
  const model = call && isEstimatedByLength(rules, call) ? call.model : undefined
  const longest = model === undefined ? undefined : lengthOf(room.record, model)
  const unknownModel = longest === undefined ? model : undefined
  // A call of a size that nothing limits is reserved as its caller estimates it.
  const isBounded = call?.maxTokens !== undefined && model === undefined
  const given = isBounded ? call.estimate(call.maxTokens) : estimate
  const amounts =
    model === undefined ? unitsOf(perCall ? { ...given, ...perCall } : given) : estimateByLength(rules, call!, longest)
  if (unknownModel !== undefined && room.unknownCalls(unknownModel) >= MAX_CALLS_BEFORE_FIRST_ANSWER) {
    return { later: true, amounts, unknownModel }
  }
  if (room.fits(amounts)) return behind ? { later: true, amounts } : admission(amounts, undefined, unknownModel)
  const isUnknown = unknownModel !== undefined
  if (room.isShared) return { later: room.couldFit(amounts, isUnknown), amounts }
  // The first call of a model may be smaller than its estimate, so it gets what is left.
  if (isUnknown && room.couldFit(amounts, true)) {
    const { left } = room
    const least = (key: 'cost' | 'tokens'): number => Math.min(amounts[key], left[key])
    return admission({ cost: least('cost'), tokens: least('tokens'), calls: amounts.calls }, undefined, unknownModel)
  }
  return { later: false, amounts }
}

/** Admits a call if the most that it can use fits, or else with a limit of output tokens that fits. */
function admitStrictly(
  room: Headroom,
  { minTokens }: BudgetRules,
  { waits, behind }: ReservationRequest,
  call: BudgetCall,
): Admission | Refusal {
  const most = call.maxTokens ?? call.maxOutput
  const sizeOf = (outputTokens: number): Units => unitsOf(call.estimate(outputTokens, true))
  const whole = most === undefined ? undefined : sizeOf(most)
  if (whole && !behind && room.fits(whole)) return admission(whole, call.maxTokens)
  const leastOutput = Math.min(minTokens, most ?? Infinity)
  const least = sizeOf(leastOutput)
  if (waits && room.isShared) return { later: room.couldFit(least, false), amounts: whole ?? least }
  if (!room.fits(least)) return { later: false, amounts: least }
  const left = Math.min(outputLeft(room, sizeOf), most ?? Infinity)
  // Output that costs nothing needs no limit.
  if (left === Infinity) return admission(least)
  const output = mostThatFits(leastOutput, left, (tokens) => room.fits(sizeOf(tokens)))
  return admission(sizeOf(output), output)
}

/** Returns the most tokens up to a number that fit; the least ones do. Amounts are rounded up, so the number may be too large. */
function mostThatFits(least: number, most: number, fits: (tokens: number) => boolean): number {
  if (most <= least) return least
  if (fits(most)) return most
  let [known, over] = [least, Math.min(most, Number.MAX_SAFE_INTEGER)]
  while (over - known > 1) {
    const middle = Math.floor((known + over) / 2)
    if (fits(middle)) known = middle
    else over = middle
  }
  return known
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

/**
 * Reads a record as of now: a new period starts with no spending, and the reservations of workers whose lease has expired
 * count as spent, since the outcome of their requests is unknown.
 */
export function readBudget(
  value: unknown,
  now: number,
  { name, per }: Pick<BudgetRules, 'name' | 'per'>,
): BudgetRecord {
  refuseUnknownVersion(value, name)
  if (value !== undefined && !isRecord(value)) {
    throw new XError(
      'invalid-state',
      `the record of ${name} in the store is not one of a budget: delete the record, or give another name`,
    )
  }
  const start = per === undefined ? null : startOf(value?.start ?? null, now, per)
  const isSamePeriod = value !== undefined && (start === null || value.start === null || start <= value.start)
  const record: BudgetRecord = {
    start,
    used: isSamePeriod ? { ...value.used } : noUnits(),
    workers: [],
    lengths: [...(value?.lengths ?? [])],
  }
  for (const worker of value?.workers ?? []) {
    // A clock that was set back does not extend a lease.
    const until = Math.min(worker.until, now + worker.lease)
    const own: BudgetWorker = { ...worker, until, open: { ...worker.open }, spent: { ...worker.spent } }
    if (until > now) record.workers.push(own)
    else if (own.count > 0) {
      const lost = markLost(record, own)
      if (until > now - LOST_WORKER_TTL_MS) record.workers.push(lost)
    }
  }
  return record
}

/** Marks a worker as lost. Its entry keeps its reservations, in case that it comes back. */
function markLost(record: BudgetRecord, worker: BudgetWorker): BudgetWorker {
  if (worker.lost) return worker
  addUnits(record.used, worker.open)
  return { ...worker, lost: { start: record.start } }
}

/** Finds the entry of a worker. A lost worker is alive again, and the spending that was counted for its loss is subtracted. */
function findWorker(record: BudgetRecord, id: string): BudgetWorker | undefined {
  const worker = record.workers.find((each) => each.id === id)
  if (!worker?.lost) return worker
  if (worker.lost.start === record.start) addUnits(record.used, worker.open, -1)
  worker.lost = undefined
  return worker
}

/** Returns the start of the present period. A clock that was set back starts no earlier period, which would forget spending. */
function startOf(known: number | null, now: number, per: NonNullable<BudgetRules['per']>): number {
  const { start, end } = periodAt(now, per)
  const isAhead = known !== null && known > start && known <= end
  return isAhead ? known : start
}

const PERIOD_SECONDS = { hour: 3600, day: 86_400 } as const

/** Returns the start and the end of the period that contains a time, in milliseconds since 1970. */
export function periodAt(
  time: number,
  per: NonNullable<BudgetRules['per']>,
): { readonly start: number; readonly end: number } {
  if (per === 'month') {
    const date = new Date(time)
    const monthAt = (offset: number): number => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1)
    return { start: monthAt(0), end: monthAt(1) }
  }
  const lengthMs = (typeof per === 'number' ? per : PERIOD_SECONDS[per]) * 1000
  const start = Math.floor(time / lengthMs) * lengthMs
  return { start, end: start + lengthMs }
}

/** True if all fields of a value are those of a budget; a sum that is not a number would admit every call. */
function isRecord(value: unknown): value is BudgetRecord {
  if (!isObject(value)) return false
  const { start, used, workers, lengths } = value
  const isStart = start === null || isNumber(start)
  return isStart && isUnits(used) && isListOf(workers, isWorker) && isListOf(lengths, isNumberByModel)
}

function isWorker(value: unknown): boolean {
  if (!isObject(value)) return false
  const { id, until, lease, open, count, unknown, spent, lost } = value
  const isLost = lost === undefined || (isObject(lost) && (lost['start'] === null || isNumber(lost['start'])))
  const isAlive = typeof id === 'string' && [until, lease, count].every(isNumber) && isLost
  return isAlive && isUnits(open) && isUnits(spent) && isListOf(unknown, isNumberByModel)
}

/** True for amounts. Null stands for numbers that JSON cannot write, such as the `Infinity` of an unknown price. */
const isUnits = (value: unknown): boolean =>
  isObject(value) && BUDGET_DIMENSIONS.every((each) => value[each] === null || isNumber(value[each]))

const isNumberByModel = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && isNumber(value[1])
