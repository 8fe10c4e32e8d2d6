import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LedgerRow, LedgerRows } from './ledger-rows.ts'
import { Ledger } from './ledger.ts'

const rows = fc.array(
  fc.record({
    configId: fc.nat(3),
    usage: fc.record({
      model: fc.constantFrom('a', 'b', '__proto__'),
      promptTokens: fc.nat(100),
      completionTokens: fc.nat(100),
      totalTokens: fc.nat(200),
      cost: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    }),
    cached: fc.boolean(),
    tags: fc.constant([]),
    agent: fc.constant(null),
    at: fc.nat(),
  }),
) as fc.Arbitrary<LedgerRow[]>

test('both summaries are folds of the rows', () => {
  fc.assert(
    fc.property(rows, (all) => {
      const ledger = new Ledger()
      for (const row of all) ledger.add(row)
      for (const [summary, counted] of [
        [ledger.total, all],
        [ledger.actual, all.filter(({ cached }) => !cached)],
      ] as const) {
        if (counted.length === 0) {
          expect(summary).toBeNull()
          continue
        }
        const sum = (pick: (row: LedgerRow) => number): number => counted.reduce((at, row) => at + pick(row), 0)
        expect(summary!.totalCost).toBeCloseTo(
          sum(({ usage }) => usage.cost ?? 0),
          9,
        )
        const models = Object.values(summary!.models)
        expect(models.reduce((at, each) => at + each.totalTokens, 0)).toBe(sum(({ usage }) => usage.totalTokens))
        expect(summary!.unpriced ?? []).toEqual([
          ...new Set(counted.filter(({ usage }) => usage.cost === null).map(({ usage }) => usage.model)),
        ])
      }
    }),
  )
})

test('rows are given as they were added, whatever their order and their counts', () => {
  const edges = [18, 22].flatMap((bits) => [2 ** bits - 1, 2 ** bits])
  const tokens = fc.oneof(fc.nat(9), fc.constantFrom(...edges, 2 ** 40, -1, 0.5))
  const counts = { cachedTokens: fc.nat(9), reasoningTokens: fc.nat(9) }
  const row = fc.record({
    configId: fc.nat(1),
    usage: fc
      .tuple(
        fc.record({ model: fc.constantFrom('a', 'b'), promptTokens: tokens, completionTokens: tokens }),
        fc.record(counts, { requiredKeys: [] }),
        fc.option(fc.nat(9)),
      )
      .map(([usage, more, cost]) => ({ ...usage, totalTokens: 3, ...more, cost })),
    cached: fc.boolean(),
    tags: fc.constantFrom(['x'], []),
    agent: fc.constantFrom(null, 'someone'),
    at: fc.nat(),
  })
  fc.assert(
    fc.property(fc.array(row), (all) => {
      const kept = new LedgerRows()
      for (const each of all) {
        kept.addRow(each)
        if (kept.rowCount > 14) kept.keepLastRows(7)
      }
      expect(kept.lastRows(7)).toEqual(all.slice(-7))
    }),
  )
})

test('a ledger keeps rows of more labels than a head can hold', () => {
  const ledger = new Ledger()
  const usage = { model: 'm', promptTokens: 3, completionTokens: 4, totalTokens: 7, cost: null }
  const row = (at: number): LedgerRow => ({ configId: 0, usage, cached: false, tags: [], agent: `agent ${at}`, at })
  const all = Array.from({ length: 2 ** 13 + 3 }, (_, at) => row(at))
  for (const each of all) ledger.add(each)
  expect(ledger.rows).toEqual(all)
})

test('a ledger that has the labels of many agents adds none for their next rows', () => {
  const kept = new LedgerRows()
  const usage = { model: 'm', promptTokens: 3, completionTokens: 4, totalTokens: 7, cost: null }
  const tags: string[] = []
  // Whatever becomes part of a label is read once more than what is only compared.
  const readsOf = (agent: number): number => {
    let reads = 0
    const row = { configId: 0, usage, cached: false, tags, at: 0, agent: null }
    kept.addRow(Object.defineProperty(row, 'agent', { get: () => (reads++, `agent ${agent}`) }))
    return reads
  }
  const added = Array.from({ length: 40 }, (_, agent) => readsOf(agent))
  const again = Array.from({ length: 80 }, (_, index) => readsOf(index % 40))
  expect(Math.max(...again)).toBe(Math.min(...added) - 1)
})

test('old rows go, their sums stay; a summary is a snapshot', () => {
  const ledger = new Ledger()
  const usage = { model: 'm', promptTokens: 1, completionTokens: 1, totalTokens: 2, cost: 1 }
  for (let at = 0; at < 20_007; at++) ledger.add({ configId: 0, usage, cached: false, tags: [], agent: null, at })
  expect(ledger.rows.map(({ at }) => at)).toEqual(Array.from({ length: 10_000 }, (_, index) => 10_007 + index))
  const before = ledger.total!
  expect(before.totalCost).toBe(20_007)
  before.models['m']!.cost = 99
  expect(ledger.total!.models['m']!.cost).toBe(20_007)
})

test('restoring the sums of one ledger in another gives the sums of both', () => {
  fc.assert(
    fc.property(rows, rows, (before, after) => {
      const [saved, resumed, whole] = [new Ledger(), new Ledger(), new Ledger()]
      for (const row of before) saved.add(row)
      for (const row of after) resumed.add(row)
      for (const row of [...after, ...before]) whole.add(row)
      resumed.restore(saved.actual, saved.total)
      for (const pick of ['actual', 'total'] as const) {
        const [sum, wanted] = [resumed[pick], whole[pick]]
        expect(Object.keys(sum?.models ?? {})).toEqual(Object.keys(wanted?.models ?? {}))
        expect(sum?.totalCost ?? 0).toBeCloseTo(wanted?.totalCost ?? 0, 9)
        expect(new Set(sum?.unpriced)).toEqual(new Set(wanted?.unpriced))
        for (const [model, usage] of Object.entries(wanted?.models ?? {})) {
          expect(sum!.models[model]).toEqual({ ...usage, cost: expect.closeTo(usage.cost, 9) as unknown })
        }
      }
      expect(resumed.rows).toHaveLength(after.length)
    }),
  )
})

test('a saved summary that is damaged makes no sum of NaN', () => {
  const ledger = new Ledger()
  const damaged = { totalCost: Number.NaN, models: { m: { cost: '1', promptTokens: 3 } } } as never
  ledger.restore(damaged, damaged)
  expect(ledger.total).toEqual({
    totalCost: 0,
    models: { m: { cost: 0, promptTokens: 3, completionTokens: 0, totalTokens: 0 } },
  })
})
