import type { ClientBatches, ConfigEntry, ModelAnswer, ModelClient, ModelParams, Provider } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { deepFreeze } from '../contracts/deep-freeze.ts'
import type { BatchOutcome, BatchServer, BatchServerOptions } from '../wire/batch-server.ts'
import { CANARY_KEY } from './contract.ts'

/** Description of an adapter for `batchesContract`. */
interface BatchesContract {
  readonly provider: Provider
  /** Config entry with the model and other settings; the suite adds key and base URL. */
  readonly config: ConfigEntry
  /** Starts a server with the batches of the provider, such as `startBatchServer` of `@x/testing/wire`. */
  readonly start: (options: Omit<BatchServerOptions, 'vendor' | 'createdAt'>) => Promise<ServedBatches>
}

/** The parts of a server that the suite uses. */
type ServedBatches = Pick<BatchServer, 'url' | 'batches' | 'requests' | 'close'>

/** The parts of a test. */
interface BatchesCase {
  readonly client: ModelClient
  readonly batches: ClientBatches
  readonly server: ServedBatches
  readonly requests: readonly ModelParams[]
}

const KEY = 'k3f9a1c7e5b2d'
const OTHER_KEY = 'k7d2b5e1c9a3f'
const QUESTIONS = ['Lima?', 'Quito?', 'Cusco?', 'Potosi?', 'Arica?'] as const
/** Questions after which a batch of the suite has ended. */
const POLL_COUNT = 2
/** Number of the request that has no answer. */
const FAILED_INDEX = 3

/** Ends of a request that are no answer, with the kind of error that stands for each. */
const FAILURES: readonly (readonly [BatchOutcome, string])[] = [
  [{ status: 400 }, 'invalid-request'],
  [{ status: 429 }, 'rate-limit'],
  [{ status: 500 }, 'server'],
  ['expired', 'timeout'],
  ['missing', 'server'],
]

/**
 * Checks, offline, that the `batches` of an adapter's clients keep the promises that `@x/model` relies on: every
 * request is handed in once and has its own result in its place, whatever the order of the provider; one without a
 * result has an error of its kind; a batch whose identifier was lost is found by its key; a cancelled batch ends; no
 * error shows the API key.
 */
export function batchesContract(runner: ContractRunner, contract: BatchesContract): void {
  runner.describe(`batches contract: ${contract.provider.apiTypes.join(', ')}`, () => {
    testResults(runner, contract)
    testTwo(runner, contract)
    testFinding(runner, contract)
    testFailures(runner, contract)
  })
}

/** Runs a test with a client whose provider has the batches of a server. */
async function withBatches(
  { provider, config, start }: BatchesContract,
  use: (its: BatchesCase) => Promise<void>,
  options: Parameters<BatchesContract['start']>[0] = {},
): Promise<void> {
  const server = await start({ outcomeOf: (_, index) => ({ text: `answer ${index}` }), polls: POLL_COUNT, ...options })
  try {
    const client = provider.createClient({ apiKey: CANARY_KEY, baseUrl: server.url, maxRetries: 0, ...config })
    const { batches } = client
    if (!batches) throw new TypeError('`batchesContract` is for a provider whose clients have `batches`')
    const requests = QUESTIONS.map((content) =>
      deepFreeze<ModelParams>({
        ...(config.model !== undefined && { model: config.model }),
        messages: [{ role: 'user', content }],
      }),
    )
    await use({ client, batches, server, requests })
  } finally {
    await server.close()
  }
}

function testResults({ test, expect }: ContractRunner, contract: BatchesContract): void {
  test('a batch has at least one request, and costs no more than its requests by themselves', async () => {
    await withBatches(contract, async ({ batches: { maxRequests, priceFactor } }) => {
      expect([Number.isInteger(maxRequests) && maxRequests > 0, priceFactor > 0 && priceFactor <= 1]).toEqual([
        true,
        true,
      ])
    })
  })

  test('each request is handed in once and has its own answer in its place, after the provider says that all are there', async () => {
    await withBatches(contract, async ({ client, batches, server, requests }) => {
      const id = await batches.submit(requests, KEY, {})
      expect(await pollsOf(batches, id)).toBe(POLL_COUNT + 1)
      const answers = await batches.results({ id, key: KEY, requests }, {})
      expect(answers.map((answer) => textOf(client, answer))).toEqual(QUESTIONS.map((_, index) => `answer ${index}`))
      expect(server.batches.map((batch) => batch.requests.map(questionIn))).toEqual([[...QUESTIONS]])
    })
  })

  for (const [outcome, kind] of FAILURES) {
    test(`a request that ends with ${JSON.stringify(outcome)} has an error of the kind ${kind}, and the others their answers`, async () => {
      const outcomeOf = (_: unknown, index: number): BatchOutcome =>
        index === FAILED_INDEX ? outcome : { text: `answer ${index}` }
      const check = async ({ client, batches, requests }: BatchesCase): Promise<void> => {
        const id = await batches.submit(requests, KEY, {})
        await pollsOf(batches, id)
        const results = await batches.results({ id, key: KEY, requests }, {})
        expect(results.map((result, index) => (index === FAILED_INDEX ? null : textOf(client, result)))).toEqual(
          QUESTIONS.map((__, index) => (index === FAILED_INDEX ? null : `answer ${index}`)),
        )
        expect(results[FAILED_INDEX]).toMatchObject({ kind })
      }
      await withBatches(contract, check, { outcomeOf })
    })
  }

  test('the requests of a batch that is cancelled before its end have errors of the kind aborted', async () => {
    await withBatches(contract, async ({ batches, server, requests }) => {
      const id = await batches.submit(requests, KEY, {})
      await batches.cancel(id, {})
      expect(server.batches.map(({ isCancelled }) => isCancelled)).toEqual([true])
      await pollsOf(batches, id)
      const results = await batches.results({ id, key: KEY, requests }, {})
      expect(results.map((result) => (result as { readonly kind?: unknown }).kind)).toEqual(
        QUESTIONS.map(() => 'aborted'),
      )
    })
  })
}

function testTwo({ test, expect }: ContractRunner, contract: BatchesContract): void {
  test('two batches at once are found by their keys, and each has its own answers', async () => {
    const outcomeOf = (body: object): BatchOutcome => ({ text: `answer to ${questionIn(body)}` })
    const check = async ({ client, batches, requests }: BatchesCase): Promise<void> => {
      const all = [
        { key: KEY, requests },
        { key: OTHER_KEY, requests: requests.toReversed().slice(1) },
      ]
      const ids: string[] = []
      for (const each of all) ids.push(await batches.submit(each.requests, each.key, {}))
      for (const id of ids) await pollsOf(batches, id)
      expect([await foundBy(batches, KEY), await foundBy(batches, OTHER_KEY)]).toEqual(ids)
      for (const [index, batch] of all.entries()) {
        const answers = await batches.results({ id: ids[index]!, ...batch }, {})
        const asked = batch.requests.map((request) => `answer to ${questionIn(request)}`)
        expect(answers.map((answer) => textOf(client, answer))).toEqual(asked)
      }
    }
    await withBatches(contract, check, { outcomeOf })
  })
}

function testFinding({ test, expect }: ContractRunner, contract: BatchesContract): void {
  test('a batch whose identifier was lost is found by its key, at the latest when it has ended, and no other is', async () => {
    let isLost = true
    // The last request of handing in makes the batch; those before it, such as an upload, are answered.
    const fault = ({ method, path }: { readonly method: string; readonly path: string }): 'lost' | undefined =>
      isLost && method === 'POST' && !path.endsWith('/files') ? 'lost' : undefined
    const check = async ({ client, batches, server, requests }: BatchesCase): Promise<void> => {
      expect(await failureOf(batches.submit(requests, KEY, {}))).toMatchObject({ code: 'model-failed' })
      isLost = false
      expect(server.batches.length).toBe(1)
      const id = await foundBy(batches, KEY)
      expect(await foundBy(batches, 'another')).toBe(null)
      await pollsOf(batches, id!)
      const results = await batches.results({ id: id!, key: KEY, requests }, {})
      expect(results.map((result) => textOf(client, result))).toEqual(QUESTIONS.map((_, index) => `answer ${index}`))
    }
    await withBatches(contract, check, { fault })
  })

  test('there is no batch of a key before one is handed in', async () => {
    await withBatches(contract, async ({ batches }) => expect(await batches.find(KEY, {})).toBe(null))
  })
}

function testFailures({ test, expect }: ContractRunner, contract: BatchesContract): void {
  for (const [status, kind] of [
    [401, 'auth'],
    [429, 'rate-limit'],
    [500, 'server'],
  ] as const) {
    test(`status ${status} is ${kind} wherever it comes, and does not show the key`, async () => {
      let isFailing = true
      const check = async ({ batches, requests }: BatchesCase): Promise<void> => {
        const failures = [await failureOf(batches.submit(requests, KEY, {}))]
        isFailing = false
        const id = await batches.submit(requests, KEY, {})
        await pollsOf(batches, id)
        isFailing = true
        const batch = { id, key: KEY, requests }
        failures.push(
          ...(await Promise.all(
            [batches.find(KEY, {}), batches.hasEnded(id, {}), batches.results(batch, {}), batches.cancel(id, {})].map(
              failureOf,
            ),
          )),
        )
        expect(failures.map((error) => (error as { readonly kind?: unknown } | undefined)?.kind)).toEqual(
          failures.map(() => kind),
        )
        for (const error of failures)
          expect(String((error as Error).stack) + JSON.stringify(error)).not.toContain(CANARY_KEY)
      }
      await withBatches(contract, check, { fault: () => (isFailing ? status : undefined) })
    })
  }

  test('a caller who has stopped gets `aborted`, and nothing is handed in', async () => {
    await withBatches(contract, async ({ batches, server, requests }) => {
      const error = await failureOf(batches.submit(requests, KEY, { signal: AbortSignal.abort() }))
      expect(error).toMatchObject({ code: 'aborted' })
      expect(server.batches).toEqual([])
    })
  })
}

/** Most questions that the suite asks about one batch. */
const MAX_POLL_COUNT = 10

/** Asks until a batch has ended; returns the number of questions. */
async function pollsOf(batches: ClientBatches, id: string): Promise<number> {
  for (let polls = 1; polls <= MAX_POLL_COUNT; polls++) if (await batches.hasEnded(id, {})) return polls
  throw new Error(`the batch has not ended after ${MAX_POLL_COUNT} questions`)
}

/** Looks for the batch of a key until it can be told. */
async function foundBy(batches: ClientBatches, key: string): Promise<string | null> {
  for (let polls = 1; polls <= MAX_POLL_COUNT; polls++) {
    const found = await batches.find(key, {})
    if (found !== undefined) return found
  }
  throw new Error(`it cannot be told after ${MAX_POLL_COUNT} questions whether there is a batch of the key`)
}

/** Returns the text of an answer; of an error, its message. */
const textOf = (client: ModelClient, result: ModelAnswer | Error): unknown =>
  result instanceof Error ? result.message : client.messageRetrieval(result)[0]

/** Returns the question that stands in the body of a request. */
const questionIn = (body: object): string | undefined => {
  const text = JSON.stringify(body)
  return QUESTIONS.find((question) => text.includes(question))
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
    return undefined
  } catch (error) {
    return error
  }
}
