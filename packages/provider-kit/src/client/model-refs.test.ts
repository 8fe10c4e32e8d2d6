import type { ConfigEntry, Provider } from '@x/interfaces'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { withModelRefs } from './model-refs.ts'

interface AcmeConfig extends ConfigEntry {
  depth?: number | undefined
}

const KEY = 'canary-key-of-2026'
const plain: Provider = {
  name: 'x-provider-acme',
  apiTypes: ['acme', 'acme-cloud'],
  module: { specifier: 'x-provider-acme', export: 'acme' },
  specVersion: 1,
  clientKeys: ['depth'],
  createClient: () => ({ name: 'client' }) as never,
}
const acme = withModelRefs<AcmeConfig>(plain, ({ apiKey, apiType }) =>
  apiKey ? [] : [apiType === 'acme-cloud' ? 'CLOUD_KEY' : 'ACME_KEY'],
)

test('a provider that names models is the provider as before', () => {
  expect(Object.fromEntries(Object.entries(acme))).toEqual(plain)
  expect(acme.name).toBe('x-provider-acme')
  expect(acme.createClient({})).toMatchObject({ name: 'client' })
})

test.each<[ReturnType<typeof acme>, object]>([
  [acme('m'), { model: 'm', apiType: 'acme', environment: ['ACME_KEY'] }],
  [acme('m', { depth: 2, temperature: 0 }), { model: 'm', apiType: 'acme', depth: 2, temperature: 0 }],
  [acme('m', { apiType: 'acme-cloud' }), { apiType: 'acme-cloud', environment: ['CLOUD_KEY'] }],
  [acme('m', { apiKey: KEY }), { apiKey: KEY, environment: [] }],
  [acme('m', { model: 'other', provider: 'other', environment: ['OTHER'] } as object), { model: 'm' }],
])('%j is a model as data', (ref, entry) => {
  expect(ref).toMatchObject(entry)
  expect(ref.provider).toBe(acme)
  expect(Object.isFrozen(ref)).toBe(true)
})

test('a model that is printed shows its provider and no key', () => {
  const ref = acme('m', { apiKey: KEY, extra_headers: { authorization: KEY }, fetch: globalThis.fetch })
  expect(JSON.parse(JSON.stringify({ ref }))).toEqual({
    ref: {
      provider: 'x-provider-acme',
      model: 'm',
      apiType: 'acme',
      apiKey: '[redacted]',
      extra_headers: { authorization: '[redacted]' },
      fetch: '[function fetch]',
      environment: [],
    },
  })
  expect(inspect({ ref }, { depth: 9, showHidden: true })).not.toContain(KEY)
})

test.each<[unknown[], string]>([
  [[], "the name is not a text; write `acme('model')`"],
  [[''], 'the name is not a text'],
  [[{ apiKey: KEY }], "the name is not a text; write `acme('model')`, or `acme('model', { apiKey, temperature: 0 })`"],
  [['m', 'fast'], 'its options are not an object'],
  [['m', null], 'its options are not an object'],
])('%j names no model', (args, text) => {
  const call = () => (acme as (...args: unknown[]) => unknown)(...args)
  expect(call).toThrow(expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }))
  expect(call).not.toThrow(KEY)
})
