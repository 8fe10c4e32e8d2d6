import { XError } from '@x/kernel'
import type { BudgetPeriod } from '../host-options.ts'
import { addUnits, BUDGET_DIMENSIONS, noUnits, type Units } from './budget-units.ts'

/** A worker in the record of a budget. */
export interface BudgetWorker {
  readonly id: string
  /** Time at which the lease of its reservations ends, in milliseconds since 1970, and duration of the lease in milliseconds. */
  until: number
  lease: number
  /** The sum of its reservations, and their number. */
  open: Units
  count: number
  /** The number of calls in flight of each model that has not answered yet. */
  unknown: readonly (readonly [model: string, calls: number])[]
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

/** Rules by which the record of a budget is read. */
export interface RecordRules {
  /** Name of the budget in errors. */
  readonly name: string
  readonly per: BudgetPeriod | undefined
  /** True if the reservations of a worker that died count as spent. */
  readonly strict: boolean
}

/** Time for which a worker whose lease has expired may come back. */
const LOST_WORKER_TTL_MS = 86_400_000

/**
 * Reads a record as of now: a new period starts with no spending, and the reservations of workers whose lease has expired are
 * released. The spending of their calls is unknown, so a strict budget counts their reservations as spent.
 */
export function readBudget(value: unknown, now: number, { name, per, strict }: RecordRules): BudgetRecord {
  if (value !== undefined && !isRecord(value)) {
    throw new XError(
      'invalid-state',
      `the record of the budget \`${name}\` in the store is not one of a budget: delete the record, or give another name`,
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
      const lost = markLost(record, own, strict)
      if (until > now - LOST_WORKER_TTL_MS) record.workers.push(lost)
    }
  }
  return record
}

/** Marks a worker as lost. Its entry keeps its reservations, in case that it comes back. */
function markLost(record: BudgetRecord, worker: BudgetWorker, strict: boolean): BudgetWorker {
  if (worker.lost) return worker
  if (strict) addUnits(record.used, worker.open)
  return { ...worker, lost: { start: record.start } }
}

/** Finds the entry of a worker. A lost worker is alive again, and the spending that was counted for its loss is subtracted. */
export function findWorker(record: BudgetRecord, id: string, strict: boolean): BudgetWorker | undefined {
  const worker = record.workers.find((each) => each.id === id)
  if (!worker?.lost) return worker
  if (strict && worker.lost.start === record.start) addUnits(record.used, worker.open, -1)
  worker.lost = undefined
  return worker
}

/** Returns the start of the present period. A clock that was set back starts no earlier period, which would forget spending. */
function startOf(known: number | null, now: number, per: BudgetPeriod): number {
  const { start, end } = periodAt(now, per)
  const isAhead = known !== null && known > start && known <= end
  return isAhead ? known : start
}

/** A period with its start and end, in milliseconds since 1970. */
interface PeriodBounds {
  readonly start: number
  readonly end: number
}

const PERIOD_SECONDS = { hour: 3600, day: 86_400 } as const

/** Returns the period that contains a time. */
export function periodAt(time: number, per: BudgetPeriod): PeriodBounds {
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

const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isNumber = (value: unknown): value is number => typeof value === 'number'
