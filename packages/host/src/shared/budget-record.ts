import { XError } from '@x/kernel'
import { periodAt, type BudgetPeriod } from './budget-period.ts'
import { addUnits, DIMENSIONS, noUnits, type Units } from './budget-units.ts'

/** A worker as the record of a budget has it. */
export interface BudgetWorker {
  readonly id: string
  /** Until when its share is set aside, in milliseconds since 1970, and for how long it was prolonged. */
  until: number
  lease: number
  /** The sum of its reservations, and how many they are. */
  open: Units
  count: number
  /** How many of them are calls of a model that has not answered yet. */
  unknown: readonly (readonly [model: string, calls: number])[]
  /** What it has used since it began, as far as that is counted. */
  spent: Units
  /** The period in which it was taken for dead; absent while it is not. */
  lost?: { readonly start: number | null } | undefined
}

/** The state of a budget: plain JSON, amounts in whole units. */
export interface BudgetRecord {
  /** When the present period began; null without periods. */
  start: number | null
  /** What calls of the present period have used. */
  used: Units
  workers: BudgetWorker[]
  /** The most output tokens of an answer of each model. */
  lengths: (readonly [model: string, tokens: number])[]
}

/** How the record of a budget is read. */
export interface RecordRules {
  /** Names it in errors. */
  readonly name: string
  readonly per: BudgetPeriod | undefined
  /** Whether what a worker had set aside when it died counts as used. */
  readonly strict: boolean
}

/** Milliseconds for which a worker that was taken for dead may come back. */
const REMEMBERED = 86_400_000

/**
 * Reads a record as it stands now: a period that is over has used nothing, and the shares of workers without a sign of life
 * are given back. Since nobody can know what their calls have used, a strict budget counts these as used.
 */
export function readBudget(value: unknown, now: number, { name, per, strict }: RecordRules): BudgetRecord {
  if (value !== undefined && !isRecord(value)) {
    throw new XError(
      'invalid-state',
      `the record of the budget \`${name}\` in the store is not one of a budget: delete it, or give another name`,
    )
  }
  const start = per === undefined ? null : startOf(value?.start ?? null, now, per)
  const isSame = value !== undefined && (start === null || value.start === null || start <= value.start)
  const record: BudgetRecord = {
    start,
    used: isSame ? { ...value.used } : noUnits(),
    workers: [],
    lengths: [...(value?.lengths ?? [])],
  }
  for (const worker of value?.workers ?? []) {
    // A clock that was set back prolongs nothing.
    const until = Math.min(worker.until, now + worker.lease)
    const own: BudgetWorker = { ...worker, until, open: { ...worker.open }, spent: { ...worker.spent } }
    if (until > now) record.workers.push(own)
    else if (own.count > 0) {
      const lost = lose(record, own, strict)
      if (until > now - REMEMBERED) record.workers.push(lost)
    }
  }
  return record
}

/** Takes a worker for dead: its share is kept in its entry, in case that it comes back. */
function lose(record: BudgetRecord, worker: BudgetWorker, strict: boolean): BudgetWorker {
  if (worker.lost) return worker
  if (strict) addUnits(record.used, worker.open)
  return { ...worker, lost: { start: record.start } }
}

/** Finds the entry of a worker. One that was taken for dead is there again: what was counted for that is not any more. */
export function findWorker(record: BudgetRecord, id: string, strict: boolean): BudgetWorker | undefined {
  const worker = record.workers.find((each) => each.id === id)
  if (!worker?.lost) return worker
  if (strict && worker.lost.start === record.start) addUnits(record.used, worker.open, -1)
  worker.lost = undefined
  return worker
}

/** The start of the present period. A clock that was set back begins no earlier period, which would forget what was used. */
function startOf(known: number | null, now: number, per: BudgetPeriod): number {
  const { start, end } = periodAt(now, per)
  const isAhead = known !== null && known > start && known <= end
  return isAhead ? known : start
}

/** Whether a value is the state of a budget, in all its parts: a sum with something else in it would admit every call. */
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

/** Whether a value is amounts. Null stands for what JSON has no number for, such as a price that is not known. */
const isUnits = (value: unknown): boolean =>
  isObject(value) && DIMENSIONS.every((each) => value[each] === null || isNumber(value[each]))

const isNumberByModel = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && isNumber(value[1])

const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isNumber = (value: unknown): value is number => typeof value === 'number'
