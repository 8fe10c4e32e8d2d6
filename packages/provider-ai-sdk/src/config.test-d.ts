import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'
import { createCohere } from '@ai-sdk/cohere'
import type { ConfigEntry, ModelRef, Provider } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import { aiSdk, type AiSdkConfig } from './index.ts'

expectTypeOf<LanguageModelV3>().toExtend<NonNullable<AiSdkConfig['languageModel']>>()
expectTypeOf<LanguageModelV4>().toExtend<NonNullable<AiSdkConfig['languageModel']>>()
expectTypeOf<AiSdkConfig>().toExtend<ConfigEntry>()
expectTypeOf(aiSdk).toExtend<Provider>()

const cohere = createCohere({ apiKey: 'k' })
export const ref: ModelRef = aiSdk(cohere('command-a-03-2025'), { temperature: 0, price: { input: 1, output: 2 } })
// @ts-expect-error The name alone is no model.
export const named = aiSdk('command-a-03-2025')
// @ts-expect-error An option that is misspelt is refused.
export const misspelt = aiSdk(cohere('command-a-03-2025'), { temprature: 0 })
// @ts-expect-error The model is given once.
export const twice = aiSdk(cohere('command-a-03-2025'), { languageModel: cohere('command-r') })
