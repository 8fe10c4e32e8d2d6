import type { ConfigEntry } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import type { AnthropicConfig } from './index.ts'

const entry = {
  apiType: 'anthropic',
  model: 'claude-opus-5',
  promptCache: '1h',
  betas: ['files-api'],
  modelFamily: { thinking: 'budget', maxTokens: 64_000 },
  max_tokens: 1000,
  thinking: { type: 'adaptive' },
  providerOptions: { anthropic: { betas: 'a', container: 'c', top_k: 4 }, google: { labels: {} } },
} satisfies AnthropicConfig
expectTypeOf(entry).toExtend<ConfigEntry>()

// @ts-expect-error An option of the provider has a type.
export const wrongOption = { promptCache: '2h' } satisfies AnthropicConfig
// @ts-expect-error Nested options have types, too.
export const wrongFamily = { modelFamily: { thinking: 'level' } } satisfies AnthropicConfig
// @ts-expect-error Parameters for this provider alone have types.
export const wrongOwn = { providerOptions: { anthropic: { thinking: 'adaptive' } } } satisfies AnthropicConfig
// @ts-expect-error A shared request parameter has a type.
export const wrongParameter = { max_tokens: '1000' } satisfies AnthropicConfig
