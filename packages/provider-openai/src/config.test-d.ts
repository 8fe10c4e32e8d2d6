import type { ConfigEntry, ModelRef, Provider } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import { openai, type OpenAIConfig } from './index.ts'

const entry = {
  model: 'qwen3',
  baseUrl: 'http://localhost:11434/v1',
  reasoningModel: true,
  endpointProfile: { extends: 'mistral', messageNames: 'all' },
  temperature: 0,
  tool_choice: { type: 'function', function: { name: 'f' } },
  repetition_penalty: 1.1,
  providerOptions: { openai: { prompt_cache_key: 'k' }, mistral: { safe_prompt: true } },
} satisfies OpenAIConfig
expectTypeOf(entry).toExtend<ConfigEntry>()
expectTypeOf<OpenAIConfig['reasoningModel']>().toEqualTypeOf<boolean | undefined>()

// @ts-expect-error An option of the provider has a type.
export const wrongOption = { reasoningModel: 'yes' } satisfies OpenAIConfig
// @ts-expect-error A shared request parameter has a type.
export const wrongParameter = { temperature: 'hot' } satisfies OpenAIConfig
// @ts-expect-error Parameters for this provider alone have types.
export const wrongOwn = { providerOptions: { openai: { prompt_cache_key: 1 } } } satisfies OpenAIConfig
// @ts-expect-error Another provider's entries are not this provider's.
export const wrongProvider = { apiType: 'google' } satisfies OpenAIConfig
// @ts-expect-error The table has no such endpoint.
export const wrongEndpoint = { endpointProfile: 'mistal' } satisfies OpenAIConfig
// @ts-expect-error A rule has a type.
export const wrongRule = { endpointProfile: { callIdLength: 8 } } satisfies OpenAIConfig

expectTypeOf(openai('gpt-5-mini')).toEqualTypeOf<ModelRef>()
expectTypeOf(openai).toExtend<Provider>()
export const ref: ModelRef = openai('gpt-5-mini', {
  reasoningModel: true,
  apiKey: 'k',
  temperature: 0,
  budget: undefined,
})
// @ts-expect-error An option that is misspelt is refused where the model is named.
export const misspelt = openai('gpt-5-mini', { temprature: 0 })
// @ts-expect-error The name is no option.
export const named = openai('gpt-5-mini', { model: 'other' })
// @ts-expect-error An option of the provider has a type here, too.
export const wrongRef = openai('gpt-5-mini', { reasoningModel: 'yes' })
// @ts-expect-error A model has a name.
export const nameless = openai({ apiKey: 'k' })
