import { eventOutside } from '@x/kernel/run'
import { afterEach, expect, it, vi } from 'vitest'
import { consoleIo } from './console-io.ts'

afterEach(() => void vi.restoreAllMocks())

it('removes control characters from the names of models', async () => {
  const lines: unknown[] = []
  for (const method of ['log', 'warn'] as const) {
    vi.spyOn(console, method).mockImplementation((...all: unknown[]) => void lines.push(...all))
  }
  const io = consoleIo()
  const evil = 'm\u001B[2J\u202E\u{E0041}'
  const usage = { model: evil, cost: 0, promptTokens: 1, completionTokens: 1, totalTokens: 2 }
  const summary = { totalCost: 0, models: { [evil]: usage }, unpriced: [evil] }
  const summaries = { mode: 'both', actualUsageSummary: summary, totalUsageSummary: summary } as const
  await io.send(eventOutside({ type: 'warning', agent: null, topic: 'price', text: `no price for ${evil}` }, 0))
  await io.send(eventOutside({ type: 'usageSummary', agent: null, ...summaries }, 0))
  expect(lines).toHaveLength(3)
  expect(lines.join('')).not.toMatch(/(?!\n)[\p{Cc}\p{Default_Ignorable_Code_Point}]/u)
  expect(lines[0]).toBe('[price] no price for m\uFFFD[2J\uFFFD\uFFFD')
})

it('says where a price is unknown', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const tokens = { promptTokens: 1, completionTokens: 1, totalTokens: 2 }
  const models = { a: { cost: 0, ...tokens }, b: { cost: 0.5, ...tokens } }
  const summaries = { actualUsageSummary: null, totalUsageSummary: { totalCost: 0.5, models, unpriced: ['a'] } }
  await consoleIo().send(eventOutside({ type: 'usageSummary', agent: null, mode: 'total', ...summaries }, 0))
  expect(log.mock.calls).toEqual([
    [
      'Usage with cached answers: at least $0.500000\n  a: price unknown, 1 + 1 = 2 tokens\n  b: $0.500000, 1 + 1 = 2 tokens',
    ],
  ])
})
