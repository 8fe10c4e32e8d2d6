import type { Spending } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import {
  decideBudget,
  limitUnits,
  noUnits,
  type BudgetRules,
  type BudgetUpdate,
  type ReservationRequest,
} from './budget-rules.ts'

const DAY_MS = 86_400_000
const rulesOf = (limit: Partial<Spending>, more: Partial<BudgetRules> = {}): BudgetRules => ({
  ...{
    name: 'the budget `team`',
    per: undefined,
    perCall: undefined,
    strict: false,
    minTokens: 1024,
    limit: limitUnits(limit),
  },
  ...more,
})
const update = (rules: BudgetRules, more: Partial<BudgetUpdate> = {}): BudgetUpdate => ({
  ...{ worker: 'a', lease: 30_000, rules, counted: noUnits(), open: noUnits(), count: 0, unknown: [] },
  ...{ spent: noUnits(), lengths: [], requests: [], ...more },
})
const request = (tokens: number): ReservationRequest => ({
  estimate: { cost: 0, tokens, calls: 1 },
  call: undefined,
  waits: false,
  behind: false,
})
const units = (tokens: number, calls = 1) => ({ cost: 0, tokens, calls })

describe('the period of a budget', () => {
  it('starts each day by the clock of the store, with the calls in flight', () => {
    const rules = rulesOf({ tokens: 100 }, { per: 'day' })
    const late = 5 * DAY_MS - 1000
    const first = decideBudget(undefined, late, update(rules, { requests: [request(60), request(30)] }))
    const settled = update(rules, { open: units(30), count: 1, spent: units(60) })
    const before = decideBudget(first.value, late + 500, { ...settled, requests: [request(20)] })
    expect(before.answer.verdicts).toMatchObject([{ later: true }])
    const after = decideBudget(before.value, late + 2000, { ...settled, requests: [request(80)] })
    expect(after.answer).toMatchObject({
      verdicts: [{ later: true }],
      sums: { used: { tokens: 0 }, start: 5 * DAY_MS },
    })
    expect(
      decideBudget(after.value, late + 2001, { ...settled, requests: [request(70)] }).answer.verdicts,
    ).toMatchObject([{ amounts: { tokens: 70 } }])
  })

  it.each([
    ['a day', 5 * DAY_MS + 1000, 5 * DAY_MS - 1000],
    ['a week', 15 * DAY_MS, 8 * DAY_MS],
  ])('forgets nothing when the clock is set back over %s', (_, now, back) => {
    const rules = rulesOf({ tokens: 100 }, { per: 'day' })
    const used = decideBudget(undefined, now, update(rules, { spent: units(90) }))
    const other = update(rules, { worker: 'b', requests: [request(20)] })
    expect(decideBudget(used.value, back, other).answer.verdicts).toMatchObject([{ later: false }])
    const next = Math.max(now, back) + DAY_MS
    expect(decideBudget(used.value, next, other).answer.verdicts).toMatchObject([{ amounts: { tokens: 20 } }])
  })

  it('is a calendar month in UTC, or a number of seconds', () => {
    const month = rulesOf({ tokens: 100 }, { per: 'month' })
    const at = (text: string): number => Date.parse(text)
    const used = decideBudget(undefined, at('2026-12-31T23:59:59Z'), update(month, { spent: units(90) }))
    expect(used.answer.sums.start).toBe(at('2026-12-01T00:00:00Z'))
    const next = decideBudget(used.value, at('2027-01-01T00:00:00Z'), update(month, { spent: units(90) }))
    expect(next.answer.sums).toMatchObject({ used: { tokens: 0 }, start: at('2027-01-01T00:00:00Z') })
    const short = decideBudget(undefined, 12_345, update(rulesOf({ tokens: 1 }, { per: 10 })))
    expect(short.answer.sums.start).toBe(10_000)
  })
})

it('a worker that comes back in a later period frees nothing there', () => {
  const rules = rulesOf({ tokens: 100 }, { per: 'day' })
  const start = 5 * DAY_MS - 100_000
  const held = decideBudget(undefined, start, update(rules, { requests: [request(60)] }))
  const lost = decideBudget(held.value, start + 60_000, update(rules, { worker: 'b' }))
  expect(lost.answer.sums).toMatchObject({ used: { tokens: 60 }, open: { tokens: 0 } })
  const back = decideBudget(lost.value, 5 * DAY_MS + 1000, update(rules, { spent: units(45) }))
  expect(back.answer.sums.used.tokens).toBe(45)
})

describe('the update of a worker', () => {
  it('counts once however often it arrives', () => {
    const rules = rulesOf({ tokens: 100 })
    const report = update(rules, { spent: units(40), open: units(10), count: 1 })
    let value: unknown
    for (let n = 0; n < 3; n++) value = decideBudget(value, 1000 + n, report).value
    expect(decideBudget(value, 2000, report).answer.sums).toMatchObject({ used: { tokens: 40 }, open: { tokens: 10 } })
  })

  it('changes nothing when nothing is new', () => {
    const rules = rulesOf({ tokens: 100 })
    const report = update(rules, { spent: units(40), open: units(10), count: 1 })
    const first = decideBudget(undefined, 1000, report)
    expect(decideBudget(first.value, 1500, { ...report, requests: [request(80)] }).value).toBe(first.value)
  })

  it.each([null, 1, 'text', [], { used: 1 }])('is refused when the store holds %j', (value) => {
    expect(() => decideBudget(value, 1000, update(rulesOf({ calls: 1 })))).toThrow('not one of a budget')
  })
})
