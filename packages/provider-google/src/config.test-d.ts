import type { ConfigEntry, ModelRef, Provider } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import { google, type GoogleConfig } from './index.ts'

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

expectTypeOf(google('gemini-2.5-flash')).toEqualTypeOf<ModelRef>()
expectTypeOf(google).toExtend<Provider>()
export const ref: ModelRef = google('gemini-2.5-flash', {
  sdk: 'genai',
  apiKey: 'k',
  temperature: 0,
  budget: undefined,
})
// @ts-expect-error An option that is misspelt is refused where the model is named.
export const misspelt = google('gemini-2.5-flash', { temprature: 0 })
// @ts-expect-error The name is no option.
export const named = google('gemini-2.5-flash', { model: 'other' })
// @ts-expect-error An option of the provider has a type here, too.
export const wrongRef = google('gemini-2.5-flash', { sdk: 'rest' })
// @ts-expect-error A model has a name.
export const nameless = google({ apiKey: 'k' })
