import type { ConfigEntry } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import type { GoogleConfig } from './index.ts'

const entry = {
  apiType: 'google',
  model: 'gemini-3-pro-preview',
  sdk: 'fetch',
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  modelFamily: { thinking: 'level', levels: ['low', 'high'] },
  reasoning_effort: 'low',
  providerOptions: { google: { labels: { a: 'b' }, seed: 1 } },
} satisfies GoogleConfig
expectTypeOf(entry).toExtend<ConfigEntry>()

// @ts-expect-error An option of the provider has a type.
export const wrongOption = { sdk: 'vertex' } satisfies GoogleConfig
// @ts-expect-error Nested options have types, too.
export const wrongFamily = { modelFamily: { thinking: 'adaptive' } } satisfies GoogleConfig
// @ts-expect-error Parameters for this provider alone have types.
export const wrongOwn = { providerOptions: { google: { cached_content: 1 } } } satisfies GoogleConfig
// @ts-expect-error A shared request parameter has a type.
export const wrongParameter = { stop: [1] } satisfies GoogleConfig
