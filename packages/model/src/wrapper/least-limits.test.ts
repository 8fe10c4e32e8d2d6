import type { ModelClient, Provider } from '@x/interfaces'
import { expect, test } from 'vitest'
import { fakeProvider } from '../fakes/provider.fake.ts'
import { llmConfig } from './llm-config.ts'

/** A provider whose models have these limits by name. */
function limited(apiType: string, facts: Pick<ModelClient, 'limitsOf' | 'capabilities'>): Provider {
  const { provider } = fakeProvider(['x'], { apiType })
  return { ...provider, createClient: (config) => ({ ...provider.createClient(config), ...facts }) }
}

const byName = limited('named', {
  limitsOf: (model) =>
    model === 'large' ? { contextWindow: 1_000_000, maxOutput: 32_000 } : { contextWindow: 128_000, maxOutput: 64_000 },
})
const byAbility = limited('able', { capabilities: { contextWindow: 8192 } })
const unknown = limited('unknown', {})

const limitsFor = (configList: object[], request?: { model?: string }) =>
  llmConfig({ providers: [byName, byAbility, unknown], configList: configList as never })
    .createModel()
    .limitsOf(request)

const LARGE = { apiType: 'named', model: 'large' }
const SMALL = { apiType: 'named', model: 'small' }

test('a model has a context window and a maximum output', () => {
  expect(limitsFor([LARGE])).toEqual({ contextWindow: 1_000_000, maxOutput: 32_000 })
})

test('the smallest limits of several configs apply', () => {
  expect(limitsFor([LARGE, SMALL])).toEqual({ contextWindow: 128_000, maxOutput: 32_000 })
})

test('a config whose limits are unknown does not count', () => {
  expect(limitsFor([{ apiType: 'unknown', model: 'm' }, LARGE])).toEqual({
    contextWindow: 1_000_000,
    maxOutput: 32_000,
  })
  expect(limitsFor([{ apiType: 'unknown', model: 'm' }])).toEqual({})
})

test('a client without `limitsOf` has the limits of its capabilities', () => {
  expect(limitsFor([{ apiType: 'able', model: 'm' }])).toEqual({ contextWindow: 8192 })
})

test('the request names the model of a config that names none', () => {
  const open = { apiType: 'named', baseUrl: 'http://localhost:1' }
  expect(limitsFor([open], { model: 'large' })).toEqual({ contextWindow: 1_000_000, maxOutput: 32_000 })
  expect(limitsFor([LARGE], { model: 'small' })).toEqual({ contextWindow: 1_000_000, maxOutput: 32_000 })
})

test('`modelNames` lists the models in order, without configs that name none', () => {
  const configList = [LARGE, { apiType: 'named', baseUrl: 'http://localhost:1' }, SMALL] as never
  const model = llmConfig({ providers: [byName], configList }).createModel()
  expect(model.modelNames).toEqual(['large', 'small'])
})
