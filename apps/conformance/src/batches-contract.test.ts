import type { ClientBatches, Provider } from '@x/interfaces'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import type { ContractRunner } from '@x/testing'
import { batchesContract } from '@x/testing/provider-contract'
import { startBatchServer } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'

const runner = { describe, expect, test }

batchesContract(runner, {
  provider: anthropic,
  config: { apiType: 'anthropic', model: 'claude-haiku-4-5' },
  start: (options) => startBatchServer({ vendor: 'anthropic', ...options }),
})

batchesContract(runner, {
  provider: google,
  config: { apiType: 'google', model: 'gemini-2.5-flash' },
  start: (options) => startBatchServer({ vendor: 'google', ...options }),
})

for (const api of ['chat', 'responses']) {
  describe(api, () => {
    batchesContract(runner, {
      provider: openai,
      config: { apiType: 'openai', model: 'gpt-5-mini', api },
      start: (options) => startBatchServer({ vendor: 'openai', ...options }),
    })
  })
}

test('a client that keeps the results of one batch for another is found out', async () => {
  const provider: Provider = {
    apiTypes: openai.apiTypes,
    specVersion: openai.specVersion,
    createClient(config) {
      const client = openai.createClient(config)
      const batches = client.batches!
      let kept: ReturnType<ClientBatches['results']> | undefined
      const results: ClientBatches['results'] = async (...given) => await (kept ??= batches.results(...given))
      return new Proxy(client, {
        get: (target, key): unknown => {
          if (key === 'batches') return new Proxy(batches, { get: (each, name) => read(each, name, { results }) })
          return read(target, key)
        },
      })
    },
  }
  const failed: string[] = []
  const tests: (() => Promise<void>)[] = []
  const collecting: ContractRunner = {
    describe: (_, body) => body(),
    test: (name, body) => void tests.push(async () => await body().catch(() => void failed.push(name))),
    expect,
  }
  batchesContract(collecting, {
    ...{ provider, config: { apiType: 'openai', model: 'gpt-5-mini' } },
    start: (options) => startBatchServer({ vendor: 'openai', ...options }),
  })
  for (const run of tests) await run()
  expect(failed).toEqual(['two batches at once are found by their keys, and each has its own answers'])
})

/** Reads a member of an object, which may be replaced; methods keep their object. */
function read(target: object, key: string | symbol, replaced: object = {}): unknown {
  const value: unknown = Reflect.get(replaced, key) ?? Reflect.get(target, key)
  return typeof value === 'function' ? (value.bind(target) as unknown) : value
}
