import { withAdapter, CONTRACT_HOST } from './adapter-case.ts'
import { collectStream } from './collect-stream.ts'
import { CANARY_KEY, type CompleteContract } from './contract.ts'
import { bytesOf, type FakeRequest, type FakeResponse } from './fake-fetch.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** Checks that the key and further headers reach the provider, and no other host. */
export function keysContract({ test, expect }: ContractRunner, contract: CompleteContract): void {
  const [{ whole, stream }] = contract.recordings as [CompleteContract['recordings'][number]]
  const good = (text: string): FakeResponse => ({ pieces: bytesOf(text) })
  const head = ({ url, headers }: FakeRequest): string => JSON.stringify({ url, headers })

  test('the key is sent, complete and streamed', async () => {
    await withAdapter(
      contract,
      (index) => good(index === 0 ? whole : stream),
      async ({ client, params, requests }) => {
        await client.create(params, {})
        await collectStream(client, params)
        expect(requests.map((request) => head(request).includes(CANARY_KEY))).toEqual([true, true])
      },
    )
  })

  test('a key that a function gives is sent', async () => {
    const key = 'sk-canary-of-a-function'
    await withAdapter(
      contract,
      () => good(whole),
      async ({ client, params, requests }) => {
        await client.create(params, {})
        expect(head(requests[0]!)).toContain(key)
      },
      { apiKey: async () => key },
    )
  })

  test('`defaultHeaders` are sent', async () => {
    await withAdapter(
      contract,
      () => good(whole),
      async ({ client, params, requests }) => {
        await client.create(params, {})
        expect(requests[0]!.headers['x-canary']).toBe('canary of a header')
      },
      { defaultHeaders: { 'X-Canary': 'canary of a header' } },
    )
  })

  for (const status of [301, 302, 307, 308]) {
    test(`a redirect (${status}) to another host is not followed: the key would go along`, async () => {
      const elsewhere = { status, headers: { location: 'http://elsewhere.invalid/' }, pieces: [] }
      await withAdapter(
        contract,
        (index) => (index === 0 ? elsewhere : good(whole)),
        async ({ client, params, requests }) => {
          const { error } = await collectStream(client, params)
          expect(requests.map(({ url }) => new URL(url).host)).toEqual([CONTRACT_HOST])
          expect(error).toMatchObject({ code: 'model-failed' })
        },
      )
    })
  }
}
