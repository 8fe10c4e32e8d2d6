import type { RateLimits } from '@x/interfaces'
import { isListOf, isNumber, isObject, refuseUnknownVersion } from './record-shape.ts'

/** Number of slots that a period is divided into; calls are counted by slot. */
const SLOTS_PER_PERIOD = 60
/**
 * Number of slots for which a slot counts: a whole period after its end, and one slot more, since a call may reach its
 * provider a little after it got its permit.
 */
const COUNTED_SLOTS = SLOTS_PER_PERIOD + 1
/** Burst without pacing: this many calls within this many slots pass whatever the share of a slot is. */
const UNPACED_BURST = { calls: 10, slots: 10 } as const
/** A slot may use this fraction (1/n) of a limit, so that calls spread over the period and no worker takes all of it. */
const PACING_DIVISOR = 50
/** Half-life of the calls that a worker was granted, in the order of turns. */
const SERVED_HALF_LIFE_MS = 1000
/** Time for which other workers leave room for a waiting worker that does not ask again. */
const WAITING_TTL_MS = 2000
/** Longest pause that a provider may impose on all workers. */
const MAX_PAUSE_MS = 60_000
/** Poll intervals of a worker that waits for the end of a call (`inFlight`) or for its turn. */
const POLL_INTERVALS_MS = { inFlight: 50, turn: 20 } as const
/** Shortest and longest poll interval. */
const POLL_BOUNDS_MS = [5, 1000] as const
/** A worker whose decayed number of granted calls falls below this is forgotten. */
const MIN_SERVED_CALLS = 0.1

/** A worker in the record of a limit. */
interface LimitedWorker {
  readonly id: string
  /** Calls under way; they count until the lease ends at `until`. */
  held: number
  until: number
  lease: number
  /** Waiting calls, for which others leave room until `asks`. */
  waiting: number
  asks: number
  /** Decayed number of granted calls, as of the time `at`. */
  served: number
  at: number
}

/** The state of the limits of one model and account: plain JSON. */
export interface LimitRecord {
  /** Milliseconds of the period. */
  readonly per: number
  /** Slots in order, each with its requests and tokens. */
  slots: [slot: number, requests: number, tokens: number][]
  workers: LimitedWorker[]
  /** Time before which nobody gets a permit. */
  paused: number
}

/** A correction of the counts of a permit. */
export interface LimitCorrection {
  readonly slot: number
  readonly requests: number
  readonly tokens: number
}

/** Report and request of a worker in one message. */
export interface LimitQuestion {
  readonly worker: string
  readonly limits: RateLimits
  /** Milliseconds after which the calls of a silent worker no longer count. */
  readonly lease: number
  /** Calls of the worker under way. */
  readonly held: number
  /** Tokens of each waiting call of the worker, in order. */
  readonly wants: readonly number[]
  readonly corrections: readonly LimitCorrection[]
  /** Pause that a provider has asked for, in milliseconds. */
  readonly pause: number
}

/** Number of granted calls, the slot in which they count, and the milliseconds until the next question. */
export interface LimitAnswer {
  readonly granted: number
  readonly slot: number
  readonly again: number
}

/** Counts of a record at a time. */
export interface LimitCounts {
  readonly requests: number
  readonly tokens: number
  readonly inFlight: number
  readonly waiting: number
}

/** Grants a worker the calls that fit, and leaves room for waiting workers that got fewer calls lately. */
export function decideLimit(
  value: unknown,
  now: number,
  question: LimitQuestion,
): { readonly value: LimitRecord; readonly answer: LimitAnswer } {
  const { worker, limits, lease, held, wants } = question
  const per = periodOf(limits)
  const slot = slotAt(now, per)
  const record = readRecord(value, now, per)
  for (const { slot: of, requests, tokens } of question.corrections) {
    const counted = record.slots.find(([number]) => number === of)
    if (!counted) continue
    counted[1] = Math.max(0, counted[1] + requests)
    counted[2] = Math.max(0, counted[2] + tokens)
  }
  if (question.pause > 0) {
    record.paused = Math.max(record.paused, now + Math.min(question.pause, MAX_PAUSE_MS))
  }
  const known = record.workers.find(({ id }) => id === worker)
  const me = known ?? { id: worker, held: 0, until: 0, lease, waiting: 0, asks: 0, served: 0, at: now }
  if (!known) record.workers.push(me)
  const before = { ...me }
  Object.assign(me, { held, served: servedAt(me, now), at: now })
  let granted = 0
  let why: Hindrance | undefined
  for (const tokens of wants) {
    why = hindrance(record, { limits, me, slot, tokens, now })
    if (why) break
    addToSlot(record, slot, tokens)
    me.held++
    me.served++
    granted++
  }
  const waiting = wants.length - granted
  Object.assign(me, { until: now + lease, lease, waiting, asks: waiting > 0 ? now + WAITING_TTL_MS : 0 })
  record.workers = record.workers.filter((each) => each.held > 0 || each.waiting > 0 || each.served > MIN_SERVED_CALLS)
  const again = why ? againAfter(record, { why, slot, now }) : POLL_BOUNDS_MS[1]
  const answer = { granted, slot, again }
  // A question that only polls leaves the record as it is, unless the worker must renew its lease or its claim to a turn.
  const looks = granted === 0 && question.corrections.length === 0 && question.pause === 0
  const seen =
    before.held === held &&
    before.waiting > 0 === waiting > 0 &&
    (waiting === 0 || before.asks - now > WAITING_TTL_MS / 2) &&
    (held === 0 || before.until - now > lease * (2 / 3))
  return looks && known && seen ? { value: value as LimitRecord, answer } : { value: record, answer }
}

/** Counts what a record has at a time. */
export function countLimit(value: unknown, now: number, limits: RateLimits): LimitCounts {
  const { slots, workers } = readRecord(value, now, periodOf(limits))
  return {
    requests: slots.reduce((sum, [, requests]) => sum + requests, 0),
    tokens: slots.reduce((sum, [, , tokens]) => sum + tokens, 0),
    inFlight: workers.reduce((sum, { held }) => sum + held, 0),
    waiting: workers.reduce((sum, { waiting }) => sum + waiting, 0),
  }
}

const periodOf = ({ per = 60 }: RateLimits): number => per * 1000

const slotAt = (time: number, per: number): number => Math.floor((time * SLOTS_PER_PERIOD) / per)

/** Reads a record as of now: drops what has expired, and moves times in the future (after a change of the clock) back. */
function readRecord(value: unknown, now: number, per: number): LimitRecord {
  refuseUnknownVersion(value, 'limits')
  const known = isRecord(value) ? value : undefined
  const current = slotAt(now, per)
  const record: LimitRecord = {
    per,
    slots: [],
    workers: [],
    paused: Math.min(known?.paused ?? 0, now + MAX_PAUSE_MS),
  }
  // Slots of another period length do not compare: their counts are dropped.
  for (const [slot, requests, tokens] of known?.per === per ? known.slots : []) {
    if (slot >= current - COUNTED_SLOTS) addToSlot(record, Math.min(slot, current), tokens, requests)
  }
  for (const worker of known?.workers ?? []) {
    const own = { ...worker, at: Math.min(worker.at, now) }
    own.until = Math.min(own.until, now + own.lease)
    own.asks = Math.min(own.asks, now + WAITING_TTL_MS)
    if (own.until <= now) own.held = 0
    if (own.asks <= now) own.waiting = 0
    if (own.held > 0 || own.waiting > 0 || servedAt(own, now) > MIN_SERVED_CALLS) record.workers.push(own)
  }
  return record
}

/** True for an intact record. A broken one is replaced by a new one, since no count in it lasts long. */
function isRecord(value: unknown): value is LimitRecord {
  if (!isObject(value)) return false
  const { slots, workers, paused } = value
  return isNumber(paused) && isListOf(slots, isSlot) && isListOf(workers, isWorker)
}

const isSlot = (value: unknown): boolean => Array.isArray(value) && value.length === 3 && value.every(isNumber)

function isWorker(value: unknown): boolean {
  if (!isObject(value)) return false
  const { id, held, until, lease, waiting, asks, served, at } = value
  return typeof id === 'string' && [held, until, lease, waiting, asks, served, at].every(isNumber)
}

const servedAt = ({ served, at }: LimitedWorker, now: number): number =>
  served * 0.5 ** ((now - at) / SERVED_HALF_LIFE_MS)

function addToSlot({ slots }: LimitRecord, slot: number, tokens: number, requests = 1): void {
  const last = slots.at(-1)
  if (last?.[0] !== slot) return void slots.push([slot, requests, tokens])
  last[1] += requests
  last[2] += tokens
}

/** The limit that holds a call back. */
type Hindrance = 'pause' | 'period' | 'pace' | 'inFlight' | 'turn'

/** A call that asks for a permit. */
interface Candidate {
  readonly limits: RateLimits
  readonly me: LimitedWorker
  readonly slot: number
  readonly tokens: number
  readonly now: number
}

function hindrance(record: LimitRecord, candidate: Candidate): Hindrance | undefined {
  const { limits, me, slot, now } = candidate
  if (record.paused > now) return 'pause'
  const { requests = Infinity, tokens = Infinity, inFlight = Infinity } = limits
  // A call above the whole limit goes alone.
  const size = Math.min(candidate.tokens, tokens)
  const fitting = (mostRequests: number, mostTokens: number, [, calls, used]: LimitRecord['slots'][number]): number =>
    Math.min(mostRequests - calls, size > 0 ? Math.floor((mostTokens - used) / size) : Infinity)
  const sums = record.slots.reduce<LimitRecord['slots'][number]>(
    ([, calls, used], [, more, moreTokens]) => [0, calls + more, used + moreTokens],
    [0, 0, 0],
  )
  const part = record.slots.find(([number]) => number === slot) ?? [slot, 0, 0]
  const lately = record.slots.reduce((sum, [of, calls]) => (of > slot - UNPACED_BURST.slots ? sum + calls : sum), 0)
  const rooms: readonly (readonly [Hindrance, number])[] = [
    ['period', fitting(requests, tokens, sums)],
    [
      'pace',
      Math.max(
        UNPACED_BURST.calls - lately,
        fitting(Math.ceil(requests / PACING_DIVISOR), tokens / PACING_DIVISOR, part),
      ),
    ],
    ['inFlight', inFlight - record.workers.reduce((sum, { held }) => sum + held, 0)],
  ]
  const full = rooms.find(([, room]) => room < 1)
  if (full) return full[0]
  const room = Math.min(...rooms.map(([, each]) => each))
  return room > reservedForOthers(record, me, now) ? undefined : 'turn'
}

/** Counts the calls to leave to others: the waiting calls of workers that got fewer calls lately, up to the difference. */
const reservedForOthers = ({ workers }: LimitRecord, me: LimitedWorker, now: number): number =>
  workers.reduce((sum, other) => {
    const lag = me.served - servedAt(other, now)
    return other === me || lag <= 0 ? sum : sum + Math.min(other.waiting, Math.ceil(lag))
  }, 0)

function againAfter(
  { slots, per, paused }: LimitRecord,
  { why, slot, now }: { readonly why: Hindrance; readonly slot: number; readonly now: number },
): number {
  const startOf = (number: number): number => (number * per) / SLOTS_PER_PERIOD
  const after = {
    pause: () => paused - now,
    period: () => startOf((slots[0]?.[0] ?? slot) + COUNTED_SLOTS + 1) - now,
    pace: () => startOf(slot + 1) - now,
    inFlight: () => POLL_INTERVALS_MS.inFlight,
    turn: () => POLL_INTERVALS_MS.turn,
  }[why]()
  return Math.min(Math.max(Math.ceil(after), POLL_BOUNDS_MS[0]), POLL_BOUNDS_MS[1])
}
