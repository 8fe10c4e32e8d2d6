import type { ConfigEntry, ModelLimits } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'
import { tokenHeadroom } from './token-headroom.ts'

const headroom = (limits: ModelLimits, config: ConfigEntry = {}, total?: number): number | undefined => {
  const llmConfig = functionModel(() => 'x', { config })
  const model = Object.assign(llmConfig.createModel(), { limitsOf: () => limits })
  return tokenHeadroom({ model, llmConfig }, { total })
}

it.each([
  ['unknown without a window or a limit', undefined, headroom({})],
  ['a count without a window', 5000, headroom({}, {}, 5000)],
  ['unknown for a share without a window', undefined, headroom({}, {}, 0.5)],
  ['the window less the longest answer', 272_000, headroom({ contextWindow: 400_000, maxOutput: 128_000 })],
  ['the window less a quarter', 3072, headroom({ contextWindow: 4096 })],
  ['at most half of the window for an answer', 2048, headroom({ contextWindow: 4096, maxOutput: 4096 })],
  ['the window less `max_tokens`', 7192, headroom({ contextWindow: 8192, maxOutput: 4096 }, { max_tokens: 1000 })],
  [
    'the largest `max_tokens` of the configs',
    6192,
    headroom({ contextWindow: 8192 }, { configList: [{ max_tokens: 2000 }], max_completion_tokens: 500 }),
  ],
  ['a share of the window', 1536, headroom({ contextWindow: 4096 }, {}, 0.5)],
  ['a count within the window', 1000, headroom({ contextWindow: 4096 }, {}, 1000)],
  ['the window where the count is larger', 3072, headroom({ contextWindow: 4096 }, {}, 100_000)],
])('%s', (_, expected, actual) => {
  expect(actual).toBe(expected)
})
