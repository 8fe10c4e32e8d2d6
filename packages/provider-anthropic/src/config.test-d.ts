import type { ConfigEntry, ModelRef, Provider } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import { anthropic, type AnthropicConfig } from './index.ts'

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

expectTypeOf(anthropic('claude-haiku-4-5')).toEqualTypeOf<ModelRef>()
expectTypeOf(anthropic).toExtend<Provider>()
export const ref: ModelRef = anthropic('claude-haiku-4-5', {
  promptCache: '1h',
  apiKey: 'k',
  temperature: 0,
  budget: undefined,
})
// @ts-expect-error An option that is misspelt is refused where the model is named.
export const misspelt = anthropic('claude-haiku-4-5', { temprature: 0 })
// @ts-expect-error The name is no option.
export const named = anthropic('claude-haiku-4-5', { model: 'other' })
// @ts-expect-error An option of the provider has a type here, too.
export const wrongRef = anthropic('claude-haiku-4-5', { promptCache: 'long' })
// @ts-expect-error A model has a name.
export const nameless = anthropic({ apiKey: 'k' })
