import type { ContractRunner } from '../contracts/contract-runner.ts'
import { CONTRACT_HOST, withAdapter, withFetch, withVariable } from './adapter-case.ts'
import { CANARY_KEY, type CompleteContract } from './contract.ts'
import { bytesOf, fakeFetch, type FakeResponse } from './fake-fetch.ts'
import type { WireMeaning } from './meaning.ts'

/** Tokens for which prices are stated. */
const PRICED_TOKENS = 1_000_000

/** Share by which two prices may differ: they are sums of fractions. */
const PRICE_TOLERANCE = 1e-9

/** Checks what the author states of the provider: its address, its headers, and facts about its model. */
export function factsContract(runner: ContractRunner, contract: CompleteContract): void {
  const { meaning } = contract
  if (!meaning) return
  const { test, expect } = runner
  const { headers, facts } = meaning
  if (headers) {
    test('a request has the headers that carry the key', async () => {
      await withAdapter(
        contract,
        () => goodResponse(contract),
        async ({ client, params, requests }) => {
          await client.create(params, {})
          expect(requests[0]!.headers).toMatchObject(headers(CANARY_KEY))
          expect(new URL(client.endpoint ?? 'none:').host).toBe(CONTRACT_HOST)
        },
      )
    })
  }
  checkDefaults(runner, contract, meaning)
  if (!facts) return
  test('provider and client tell the stated facts', async () => {
    const { config, provider } = contract
    expect(provider).toMatchObject(facts.provider ?? {})
    const { url } = provider.module ?? {}
    expect(url === undefined || URL.canParse(url)).toBe(true)
    await withAdapter(
      contract,
      () => goodResponse(contract),
      async ({ client }) => {
        expect(client.capabilities).toMatchObject(facts.capabilities)
        const { price } = facts
        if (!price) return
        for (const [prompt, completion, dollars] of [
          [PRICED_TOKENS, 0, price.input],
          [0, PRICED_TOKENS, price.output],
        ] as const) {
          const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
          const cost = client.cost({ id: '', model: config.model ?? '', created: 0, choices: [], usage })
          expect(Math.abs((cost ?? 0) - dollars) <= dollars * PRICE_TOLERANCE).toBe(true)
        }
      },
    )
  })
}

/** Returns a response with the first recorded answer. */
const goodResponse = ({ recordings }: CompleteContract): FakeResponse => ({
  headers: { 'content-type': 'application/json' },
  pieces: bytesOf(recordings[0]!.whole),
})

/** Checks the address and the key of a config without both. */
function checkDefaults({ test, expect }: ContractRunner, contract: CompleteContract, meaning: WireMeaning): void {
  const { provider, config, globalFetch = false } = contract
  const { url, environmentKey } = meaning
  if (url === undefined && environmentKey === undefined) return
  test('a config without address and key uses those of the provider', async () => {
    const { fetch, requests } = fakeFetch(() => goodResponse(contract))
    const { apiKey: _, baseUrl: __, ...rest } = config
    const key = environmentKey === undefined ? { apiKey: CANARY_KEY } : {}
    let endpoint: string | undefined
    await withVariable(environmentKey, CANARY_KEY, async () => {
      await withFetch(globalFetch, fetch, async () => {
        const client = provider.createClient({ maxRetries: 0, ...rest, ...key, ...(!globalFetch && { fetch }) })
        ;({ endpoint } = client)
        await client.create({ model: config.model ?? '', messages: [{ role: 'user', content: 'Hi' }] }, {})
      })
    })
    if (url !== undefined) {
      expect(requests[0]!.url).toBe(url)
      expect(new URL(endpoint ?? 'none:').host).toBe(new URL(url).host)
    }
    expect(JSON.stringify(requests[0])).toContain(CANARY_KEY)
  })
}
