import type { ConfigEntry, EmbedParams, ModelClient, Provider } from '@x/interfaces'
import { withAdapter, type AdapterCase } from './adapter-case.ts'
import { CANARY_KEY, type ProviderFailure } from './contract.ts'
import { bytesOf, type FakeResponse } from './fake-fetch.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { deepFreeze } from '../contracts/deep-freeze.ts'

/** Description of an adapter for `embeddingsContract`. */
interface EmbeddingsContract {
  readonly provider: Provider
  /** Config entry with the model and other settings; the suite adds key, base URL and `fetch`. */
  readonly config: ConfigEntry
  /** Recorded answers, at least one. */
  readonly recordings: readonly EmbeddingsRecording[]
  /** Key of the length of vectors in the body of a request; default: the provider has none, and `dimensions` is not tested. */
  readonly dimensionsKey?: string | undefined
  /** Failures of the provider, at least one of the statuses 401, 429 and 500. */
  readonly failures: readonly ProviderFailure[]
}

/** One recorded answer with vectors. */
interface EmbeddingsRecording {
  /** Name in the titles of the tests. */
  readonly name: string
  readonly texts: readonly string[]
  /** Body of the answer. */
  readonly body: string
  /** Vectors of the texts, in their order. */
  readonly vectors: readonly (readonly number[])[]
  /** Model that answered; default: that of the config. */
  readonly model?: string | undefined
  /** Tokens of the texts; null when the provider reports none. */
  readonly tokens: number | null
}

/** The part of a test that asks for vectors. */
interface EmbeddingsCase extends Pick<AdapterCase, 'requests'> {
  readonly embed: NonNullable<ModelClient['embed']>
  readonly params: EmbedParams
}

const OPEN_RESPONSES: readonly (readonly [string, FakeResponse])[] = [
  ['no response', { pieces: [], hang: true }],
  ['a body without an end', { headers: { 'content-type': 'application/json' }, pieces: [], open: true }],
]

/**
 * Checks, offline, that the `embed` of an adapter's clients keeps the promises that `@x/model` relies on: every text is sent
 * once and in its place, vectors and tokens are those of the answer, one call sends one request, failures have their kinds, a
 * call that is stopped stops its request, nothing of a request is changed, and no error shows the key.
 */
export function embeddingsContract(runner: ContractRunner, contract: EmbeddingsContract): void {
  runner.describe(`embeddings contract: ${contract.provider.apiTypes.join(', ')}`, () => {
    testReading(runner, contract)
    testFailures(runner, contract)
    for (const [what, response] of OPEN_RESPONSES) testStops(runner, contract, { what, response })
  })
}

/** Runs a test with the `embed` of a client whose provider responds like this. */
async function withEmbed(
  { provider, config, recordings }: EmbeddingsContract,
  respond: FakeResponse,
  use: (its: EmbeddingsCase) => Promise<void>,
  more: ConfigEntry = {},
): Promise<void> {
  const params = deepFreeze<EmbedParams>({
    ...(config.model !== undefined && { model: config.model }),
    input: [...recordings[0]!.texts],
  })
  await withAdapter(
    { provider, config },
    () => respond,
    async ({ client, requests }) => {
      await use({ embed: async (...call) => await client.embed!(...call), params, requests })
    },
    more,
  )
}

function testReading({ test, expect }: ContractRunner, contract: EmbeddingsContract): void {
  const { provider, config, recordings, dimensionsKey } = contract
  for (const recording of recordings) {
    const { name, texts, body, vectors, model = config.model, tokens } = recording
    test(`${name}: vectors, model and tokens are those of the answer, by one request with every text in its place`, async () => {
      await withEmbed(contract, jsonOf(body), async ({ embed, params, requests }) => {
        const { usage, ...answer } = await embed({ ...params, input: texts }, {})
        const read = { ...answer, tokens: usage?.prompt_tokens ?? null }
        expect(read).toEqual({ model, embeddings: vectors, tokens })
        expect(requests.length).toBe(1)
        expect(textsIn(JSON.parse(requests[0]!.body), new Set(texts))).toEqual(texts)
      })
    })
  }

  test('the limits of a request are whole numbers above 0', async () => {
    const { embedLimits = {} } = provider.createClient({ apiKey: CANARY_KEY, ...config })
    const limits = Object.values(embedLimits).filter((limit) => limit !== undefined)
    expect(limits.filter((limit) => !Number.isInteger(limit) || limit < 1)).toEqual([])
  })

  if (dimensionsKey === undefined) return
  test('`dimensions` are sent', async () => {
    await withEmbed(contract, jsonOf(recordings[0]!.body), async ({ embed, params, requests }) => {
      await embed({ ...params, dimensions: 256 }, {})
      expect(requests[0]!.body).toContain(`"${dimensionsKey}":256`)
    })
  })
}

function testFailures({ test, expect }: ContractRunner, contract: EmbeddingsContract): void {
  for (const { status, body, headers, kind, retryAfterMs } of contract.failures) {
    test(`status ${status} is ${kind}, after one request, and does not show the key: ${body.slice(0, 60)}`, async () => {
      const response = { ...jsonOf(body), status, headers: { 'content-type': 'application/json', ...headers } }
      await withEmbed(contract, response, async ({ embed, params, requests }) => {
        const reports: boolean[] = []
        const onSend = (hasLeft: boolean = true): boolean => reports.push(hasLeft) > 0
        const error = await failureOf(async () => await embed(params, { onSend }))
        expect(error).toMatchObject({ kind, status, ...(retryAfterMs !== undefined && { retryAfterMs }) })
        expect([requests.length, reports.at(-1)]).toEqual([1, true])
        expect(String((error as Error).stack) + JSON.stringify(error)).not.toContain(CANARY_KEY)
      })
    })
  }

  for (const body of ['', 'null', '"text"', '<html></html>', contract.recordings[0]!.body.slice(0, -9)]) {
    test(`the body ${JSON.stringify(body.slice(0, 20))} is a failure of the provider`, async () => {
      await withEmbed(contract, jsonOf(body), async ({ embed, params }) => {
        const error = await failureOf(async () => await embed(params, {}))
        expect(error).toMatchObject({ code: 'model-failed', kind: 'server' })
      })
    })
  }
}

function testStops(
  { test, expect }: ContractRunner,
  contract: EmbeddingsContract,
  { what, response }: { readonly what: string; readonly response: FakeResponse },
): void {
  test(`${what}: a caller who stops the call gets \`aborted\`, and the request is stopped`, async () => {
    await withEmbed(contract, response, async ({ embed, params, requests }) => {
      const stop = new AbortController()
      const running = failureOf(async () => await embed(params, { signal: stop.signal }))
      while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve))
      stop.abort()
      expect(await running).toMatchObject({ code: 'aborted' })
      expect(requests.map(({ stopped }) => stopped())).toEqual([true])
    })
  })

  test(`${what}: after its time the call fails with \`timeout\``, async () => {
    const ask = async ({ embed, params }: EmbeddingsCase): Promise<void> => {
      expect(await failureOf(async () => await embed(params, {}))).toMatchObject({ kind: 'timeout' })
    }
    await withEmbed(contract, response, ask, { timeout: 0.05 })
  })
}

const jsonOf = (body: string): FakeResponse => ({
  headers: { 'content-type': 'application/json' },
  pieces: bytesOf(body),
})

/** Returns the given texts of a body, in the order in which it has them. */
function textsIn(value: unknown, texts: ReadonlySet<string>): string[] {
  if (typeof value === 'string') return texts.has(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((item) => textsIn(item, texts))
}

async function failureOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error
  }
}
