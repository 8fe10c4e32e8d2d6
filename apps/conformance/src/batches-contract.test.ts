import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
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
