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

it('writes differences in points, without a sign where they round to nothing, and links to what opens an answer', async () => {
  const page = renderEvalPage(
    await evaluate({
      tasks: Array.from({ length: 6 }, (_, n) => ({ id: String(n), input: String(n % 2), expected: '0' })),
      contestants: [
        { name: 'none', answer: () => '2' },
        { name: 'half', answer: ({ input }) => input },
        { name: 'all', answer: () => '0' },
      ],
    }),
  )
  expect(page).toContain('<td class="n">-50.0 <small>[-81.2, 0.0]</small></td>')
  expect(page).toContain('<td class="n">-100.0 <small>[-100.0, -44.8]</small></td>')
  expect(page).toMatch(/href="#answer-3"[^]*<\/summary><p id="answer-3">/u)
})
