import * as model from '@x/model'
import { createRecordings, providerContract, type ProviderContract } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { adapters } from './adapters.ts'

const FAILURES: ProviderContract['failures'] = [
  { status: 401, body: '{"error":{"message":"no such key"}}', kind: 'auth' },
  { status: 403, body: '{"error":{"message":"not allowed"}}', kind: 'auth' },
  { status: 404, body: '{"error":{"message":"no such model"}}', kind: 'not-found' },
  { status: 429, body: '{}', headers: { 'retry-after-ms': '1' }, kind: 'rate-limit' },
]

/** Runs the tests of billing alone: the others run beside the sources of the adapters. */
const billingTest = (name: string, body: () => Promise<void>): void => {
  if (name.startsWith('billing')) test(name, body)
}

describe.each(adapters.map((adapter) => [adapter.name, adapter] as const))('%s', (_, { provider, format, entry }) => {
  providerContract(
    { describe, test: billingTest, expect },
    {
      provider,
      config: entry,
      globalFetch: Boolean(entry['sdk'] && entry['sdk'] !== 'fetch'),
      recordings: createRecordings(format),
      failures: FAILURES,
      unknownFrame: '',
      model,
    },
  )
})
