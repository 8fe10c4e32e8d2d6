import type { ConfigEntry, ModelLimits } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'
import { roomFor } from './room.ts'

const room = (limits: ModelLimits, config: ConfigEntry = {}, total?: number): number | undefined => {
  const llmConfig = functionModel(() => 'x', { config })
  const model = Object.assign(llmConfig.createModel(), { limitsOf: () => limits })
  return roomFor({ model, llmConfig }, { total })
}

it.each([
  ['nothing known', undefined, room({})],
  ['a count where no window is known', 5000, room({}, {}, 5000)],
  ['a share where no window is known', undefined, room({}, {}, 0.5)],
  ['the window less the longest answer', 272_000, room({ contextWindow: 400_000, maxOutput: 128_000 })],
  ['the window less a quarter', 3072, room({ contextWindow: 4096 })],
  ['at most half of the window for an answer', 2048, room({ contextWindow: 4096, maxOutput: 4096 })],
  ['the window less `max_tokens`', 7192, room({ contextWindow: 8192, maxOutput: 4096 }, { max_tokens: 1000 })],
  [
    'the largest `max_tokens` of the configs',
    6192,
    room({ contextWindow: 8192 }, { configList: [{ max_tokens: 2000 }], max_completion_tokens: 500 }),
  ],
  ['a share of it', 1536, room({ contextWindow: 4096 }, {}, 0.5)],
  ['a count within it', 1000, room({ contextWindow: 4096 }, {}, 1000)],
  ['a count beyond it', 3072, room({ contextWindow: 4096 }, {}, 100_000)],
])('%s', (_, expected, given) => {
  expect(given).toBe(expected)
})
