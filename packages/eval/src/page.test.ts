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
  const tasks = [{ id: '1', input: '1', expected: '1' }]
  const report = await evaluate({ tasks, contestants: [{ name: 'a', answer: () => '1' }] })
  const page = renderEvalPage({ ...report, spent: { tokens: 0, calls: 2, ...spent } })
  expect(page).toContain(` 2 calls · ${text} · `)
})

it('writes kappa as a number, and shares as percent', async () => {
  const labelled = [true, false].map((label) => ({ input: 'q', answer: String(label), label }))
  const report = await evaluate({
    tasks: [{ id: '1', input: '1' }],
    contestants: [{ name: 'a', answer: () => 'true' }],
    scorer: Object.assign(({ text }: { readonly text: string }) => text === 'true', { labelled }),
  })
  const page = renderEvalPage(report)
  expect(page).toContain('agreement with people</td><td class="n">100.0 % ')
  expect(page).toContain(`Cohen's kappa</td><td class="n">1.00 <small>[`)
})
