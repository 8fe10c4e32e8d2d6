import type { LlmConfig, ModelClient, Provider } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import { scriptedClient } from './scripted-client.ts'
import { functionModel, scriptedModel, type FunctionModel, type ScriptedModel } from './scripted-model.ts'
import { scriptedProvider } from './scripted-provider.ts'

expectTypeOf(scriptedModel(['a'])).toExtend<LlmConfig>()
expectTypeOf(scriptedModel(['a']).with({ tools: [] })).toEqualTypeOf<ScriptedModel>()
expectTypeOf(functionModel(() => 'a').where({})).toEqualTypeOf<FunctionModel>()
expectTypeOf(scriptedClient(['a'])).toExtend<ModelClient>()
expectTypeOf(scriptedProvider({ m: ['a'] })).toExtend<Provider>()
functionModel(async ({ messages }) => ({ content: String(messages.length), usage: [1, 2], cost: null }))
scriptedModel([{ stream: [Promise.resolve(), { type: 'textDelta', index: 0, text: 'a' }], error: 'timeout' }])

// @ts-expect-error a kind of failure that there is not
scriptedModel([{ error: 'tiredness' }])
// @ts-expect-error a delay needs the reply that it delays
scriptedModel([{ delay: Promise.resolve() }])
// @ts-expect-error a function model has no script to complete
functionModel(() => 'a').assertComplete()
