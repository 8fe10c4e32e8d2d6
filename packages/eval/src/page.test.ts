import { expect, it } from 'vitest'
import { evaluate, renderEvalPage } from './index.ts'

it.each([
  [{ cost: 0 }, '$0'],
  [{ cost: 0.5 }, '$0.5000'],
  [{ cost: 0.002 }, '$0.002'],
  [{ cost: 1e-9 }, 'below $0.000001'],
  [{ cost: 0, unpriced: 2 }, 'price unknown'],
  [{ cost: 1e-9, unpriced: 2 }, 'price unknown'],
  [{ cost: 0.5, unpriced: 2 }, 'at least $0.5000'],
])('writes of %j what x log writes, %j', async (spent, text) => {
  const report = await evaluate({ tasks: [{ id: '1', input: '1' }], contestants: [{ name: 'a', answer: () => '1' }] })
  const page = renderEvalPage({ ...report, spent: { tokens: 0, calls: 2, ...spent } })
  expect(page).toContain(` 2 calls · ${text} · `)
})
