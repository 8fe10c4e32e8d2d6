import type { ConfigEntry, ModelAnswer, ModelClient, ModelParams } from '@x/interfaces'
import { deepFreeze } from '../contracts/deep-freeze.ts'
import { collectStream, type CollectedStream } from './collect-stream.ts'
import { bytesOf, fakeFetch, type FakeFetch, type FakeResponse } from './fake-fetch.ts'
import { CANARY_KEY, type CompleteContract } from './contract.ts'
import { typeOf } from './stream-text.ts'

/** An adapter's client and the `fetch` under it. */
export interface AdapterCase extends Pick<FakeFetch, 'requests' | 'cancelled'> {
  readonly client: ModelClient
  readonly params: ModelParams
}

/** Host of the requests. */
export const CONTRACT_HOST = 'contract.invalid'

/** Runs a test with the adapter's client on a `fetch` with these responses, and with further keys of its config. */
export async function withAdapter<T>(
  {
    provider,
    config,
    globalFetch = false,
    params,
  }: Pick<CompleteContract, 'provider' | 'config' | 'globalFetch' | 'params'>,
  respond: (index: number) => FakeResponse,
  test: (adapter: AdapterCase) => Promise<T>,
  more: ConfigEntry = {},
): Promise<T> {
  const { fetch, requests, cancelled } = fakeFetch(respond)
  const client = provider.createClient({
    apiKey: CANARY_KEY,
    baseUrl: `http://${CONTRACT_HOST}`,
    maxRetries: 0,
    ...config,
    ...more,
    ...(!globalFetch && { fetch }),
  })
  const frozen = deepFreeze<ModelParams>({
    ...(config.model !== undefined && { model: config.model }),
    ...params,
    messages: [...(params?.messages ?? [{ role: 'user', content: 'What is the weather?' }])],
  })
  return await withFetch(globalFetch, fetch, async () => await test({ client, params: frozen, requests, cancelled }))
}

/** Runs a test with a `fetch` in place of the platform's, for an adapter whose SDK accepts none (`isGlobal`). */
export async function withFetch<T>(isGlobal: boolean, fetch: FakeFetch['fetch'], test: () => Promise<T>): Promise<T> {
  const before = globalThis.fetch
  if (isGlobal) globalThis.fetch = fetch
  try {
    return await test()
  } finally {
    globalThis.fetch = before
  }
}

/** Asks for a stream; its bytes are cut at these offsets. */
export async function requestStream(
  contract: CompleteContract,
  text: string,
  cuts: readonly number[] = [],
): Promise<CollectedStream & { readonly cancelled: number }> {
  const respond = (): FakeResponse => ({
    headers: { 'content-type': typeOf(text || contract.recordings[0]!.stream) },
    pieces: bytesOf(text, cuts),
  })
  return await withAdapter(contract, respond, async ({ client, params, cancelled }) => {
    const result = await collectStream(client, params)
    return { ...result, cancelled: cancelled() }
  })
}

/** Asks for a complete answer. */
export async function requestAnswer(contract: CompleteContract, body: string): Promise<ModelAnswer> {
  const respond = (): FakeResponse => ({ headers: { 'content-type': 'application/json' }, pieces: bytesOf(body) })
  return await withAdapter(contract, respond, async ({ client, params }) => await client.create(params, {}))
}

/** Runs a test with a variable of the environment; without a name, as the environment is. */
export async function withVariable(name: string | undefined, value: string, test: () => Promise<void>): Promise<void> {
  if (name === undefined) return await test()
  const before = process.env[name]
  process.env[name] = value
  try {
    await test()
  } finally {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  }
}

/** Returns the moment after some milliseconds as headers have it. */
export const httpDateIn = (ms: number): string => new Date(Date.now() + ms).toUTCString()
