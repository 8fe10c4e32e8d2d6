import type { StepRow } from '../src/protocol.ts'
import { colourOf } from './colours.ts'
import { durationText } from './format.ts'

/** A step as a bar of the timeline. */
export interface Bar {
  readonly row: StepRow
  readonly lane: number
  /** Bars of a lane that overlap stand below each other. */
  readonly level: number
  readonly begin: number
  readonly end: number
  readonly colour: number | null
}

/** A lane of the timeline. */
export interface Lane {
  readonly name: string
  readonly agent: string | null
  /** Levels that its bars take. */
  readonly depth: number
}

/** Where everything stands, in time. */
export interface Layout {
  readonly begin: number
  readonly end: number
  readonly lanes: readonly Lane[]
  readonly bars: readonly Bar[]
  /** Tokens that were used by then, and the dollars that were paid for them. */
  readonly curves: readonly Curve[]
}

/** A sum that grows with the time. */
export interface Curve {
  readonly name: 'tokens' | 'cost'
  readonly points: readonly { readonly time: number; readonly sum: number }[]
  readonly total: number
}

/** Levels of a lane; further bars share the last one. */
const MAX_LEVELS = 8
const CHATS = 'chats'

/** Puts the steps of a run into lanes: chats first, then the agents in the order in which they act. */
export function layoutOf(rows: readonly StepRow[], agents: readonly string[]): Layout {
  const timed = rows.filter(({ kind }) => kind !== 'note')
  if (timed.length === 0) return { begin: 0, end: 1, lanes: [], bars: [], curves: [] }
  let [begin, latest] = [Infinity, -Infinity]
  for (const { time, ms } of timed) {
    begin = Math.min(begin, time)
    latest = Math.max(latest, time + (ms ?? 0))
  }
  const end = Math.max(latest, begin + 1)
  const names = [CHATS, ...agents, 'other']
  const levels = names.map((): number[] => [])
  const bars: Bar[] = []
  for (const row of isLeaf(timed).toSorted((one, other) => one.time - other.time)) {
    const lane = row.kind === 'chat' ? 0 : row.agent === null ? names.length - 1 : agents.indexOf(row.agent) + 1
    const until = row.ms === null ? end : row.time + row.ms
    const free = levels[lane]!
    const found = free.findIndex((taken) => taken <= row.time)
    const level = found === -1 ? Math.min(free.length, MAX_LEVELS - 1) : found
    free[level] = until
    bars.push({ row, lane, level, begin: row.time, end: until, colour: colourOf(agents, row.agent) })
  }
  const used = names.flatMap((name, index) => (levels[index]!.length > 0 ? [index] : []))
  const place = new Map(used.map((index, at) => [index, at]))
  return {
    ...{ begin, end },
    lanes: used.map((index) => ({
      name: names[index]!,
      agent: index === 0 || index === names.length - 1 ? null : names[index]!,
      depth: levels[index]!.length,
    })),
    bars: bars.map((bar) => ({ ...bar, lane: place.get(bar.lane)! })),
    curves: curvesOf(timed),
  }
}

/** Leaves out steps that only hold others of the same agent, which would cover them. */
function isLeaf(rows: readonly StepRow[]): readonly StepRow[] {
  return rows.filter(
    ({ kind, depth, agent }, index) =>
      kind === 'chat' ||
      kind === 'tool' ||
      !((rows[index + 1]?.depth ?? 0) > depth && rows[index + 1]!.agent === agent),
  )
}

/** Returns the curves of what was spent; one that stays at nothing is left out. */
function curvesOf(rows: readonly StepRow[]): readonly Curve[] {
  const spent = rows
    .filter(({ tokens, kind }) => tokens && kind !== 'modelAttempt')
    .map(({ time, ms, cost, tokens }) => ({
      ...{ time: time + (ms ?? 0), cost: cost ?? 0 },
      tokens: tokens![0] + tokens![1],
    }))
    .toSorted((one, other) => one.time - other.time)
  return (['tokens', 'cost'] as const).flatMap((name) => {
    let total = 0
    const points = spent.map((each) => ({ time: each.time, sum: (total += each[name]) }))
    return total > 0 ? [{ name, points, total }] : []
  })
}

/** Turns times into places of the plot. */
export interface TimeScale {
  readonly x: (time: number) => number
  readonly ticks: readonly { readonly x: number; readonly text: string }[]
  readonly pauses: readonly { readonly from: number; readonly to: number; readonly text: string }[]
  readonly isShortened: boolean
}

/** Part of the active time above which a pause is drawn shorter, and the part that it then takes. */
const LONG_PAUSE = 0.25
const SHORT_PAUSE = 0.05

/** Makes the scale of a plot; `zoom` has the part in view, from 0 to 1. A time in which nothing happens takes little room. */
export function timeScale({ begin, end, bars }: Layout, width: number, zoom: readonly [number, number]): TimeScale {
  const pauses = pausesIn(bars, begin, end)
  const active = end - begin - pauses.reduce((sum, pause) => sum + (pause.to - pause.from), 0)
  const shown = pauses.filter(({ from, to }) => to - from > active * LONG_PAUSE)
  const room = Math.max(active * SHORT_PAUSE, 1)
  const points: { time: number; at: number }[] = [{ time: begin, at: 0 }]
  let at = 0
  let last = begin
  for (const { from, to } of shown) {
    at += from - last
    points.push({ time: from, at })
    at += room
    points.push({ time: to, at })
    last = to
  }
  const whole = at + (end - last)
  points.push({ time: end, at: whole })
  const [low, high] = zoom
  const scaled = (place: number): number => ((place / whole - low) / (high - low)) * width
  const x = (time: number): number => {
    let index = 1
    if (points.length > 2) while (index < points.length - 1 && time > points[index]!.time) index++
    const [one, other] = [points[index - 1]!, points[index]!]
    const part = other.time === one.time ? 0 : (time - one.time) / (other.time - one.time)
    return scaled(one.at + part * (other.at - one.at))
  }
  return {
    x,
    ticks: ticksOf(begin, end, { x, width, part: high - low, isEven: shown.length === 0 }),
    pauses: shown.map(({ from, to }) => ({ from: x(from), to: x(to), text: durationText(to - from) })),
    isShortened: shown.length > 0,
  }
}

/** Finds the times in which nothing but waiting for a person happens. */
function pausesIn(bars: readonly Bar[], begin: number, end: number): { readonly from: number; readonly to: number }[] {
  const active = bars.filter(({ row }) => row.kind !== 'chat' && row.kind !== 'humanInput')
  const pauses: { from: number; to: number }[] = []
  let until = begin
  for (const bar of active) {
    if (bar.begin > until) pauses.push({ from: until, to: bar.begin })
    until = Math.max(until, bar.end)
  }
  if (end > until) pauses.push({ from: until, to: end })
  return pauses
}

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000, 3_600_000,
]

function ticksOf(
  begin: number,
  end: number,
  {
    x,
    width,
    part,
    isEven,
  }: { readonly x: (time: number) => number; readonly width: number; readonly part: number; readonly isEven: boolean },
): TimeScale['ticks'] {
  const wanted = ((end - begin) * part * 90) / width
  const step = STEPS_MS.find((each) => each >= wanted) ?? Math.max(wanted, 3_600_000)
  const ticks: { x: number; text: string }[] = []
  let last = -Infinity
  for (let time = 0; time <= end - begin && ticks.length < 500; time += step) {
    const place = x(begin + time)
    if (!isEven && place - last < 70) continue
    last = place
    ticks.push({ x: place, text: time === 0 ? '0' : durationText(time) })
  }
  return ticks
}
