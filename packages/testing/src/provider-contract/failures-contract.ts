import { httpDateIn, requestStream, withAdapter } from './adapter-case.ts'
import { collectStream, foldContent, recordedContent } from './collect-stream.ts'
import { bytesOf } from './fake-fetch.ts'
import { CANARY_KEY, type CompleteContract, type ProviderFailure } from './contract.ts'
import { framesOf } from './stream-text.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** Milliseconds until a provider takes requests again. */
const RETRY_DELAY_MS = 20_000

/** Checks that each failure has the right kind and contains no secret. */
export function failuresContract(runner: ContractRunner, contract: CompleteContract): void {
  const { test, expect } = runner
  for (const failure of contract.failures) {
    const { status, kind, retryAfterMs } = failure
    test(`status ${status} (${kind}) is told by its kind, complete and streamed`, async () => {
      for (const error of await requestFailures(contract, failure)) {
        expect(error).toMatchObject({ kind, status })
        if (retryAfterMs !== undefined) expect(error).toMatchObject({ retryAfterMs })
      }
    })
  }

  for (const [name, body] of [
    ['an empty body', ''],
    ['a page of HTML', '<html><body><h1>502 Bad Gateway</h1></body></html>'],
    ['a body of another shape', '{"detail":"gone"}'],
  ] as const) {
    test(`a refusal with ${name} keeps its status`, async () => {
      for (const error of await requestFailures(contract, { status: 502, body, kind: 'server' })) {
        expect(error).toMatchObject({ kind: 'server', status: 502 })
      }
    })
  }

  test('a moment to wait for is told as milliseconds', async () => {
    const date = httpDateIn(RETRY_DELAY_MS)
    const failure = { status: 429, body: '{}', headers: { 'retry-after': date }, kind: 'rate-limit' } as const
    for (const error of await requestFailures(contract, failure)) {
      const { retryAfterMs = -1 } = error as { retryAfterMs?: number }
      // A moment in a header has seconds.
      expect(retryAfterMs > RETRY_DELAY_MS / 2 && retryAfterMs <= RETRY_DELAY_MS).toBe(true)
    }
  })

  test('a body that is no JSON is a failure of the server', async () => {
    const respond = (): { pieces: Uint8Array[]; headers: Record<string, string> } => ({
      pieces: bytesOf('<html>'),
      headers: { 'content-type': 'application/json' },
    })
    const error = await withAdapter(
      contract,
      respond,
      async ({ client, params }) => await errorOf(client.create(params, {})),
    )
    expect((error as { kind?: string }).kind).toBe('server')
  })

  test('a key is in no error, whatever the provider says', async () => {
    for (const status of [400, 401, 429, 500]) {
      const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${CANARY_KEY}`, type: 'x' } })
      for (const error of await requestFailures(contract, { status, body, kind: 'server' })) {
        for (const text of texts(error)) expect(text).not.toContain(CANARY_KEY)
      }
    }
  })

  checkErrorFrames(runner, contract)
}

/** Checks that an error frame makes a stream fail at any position. */
function checkErrorFrames({ test, expect }: ContractRunner, contract: CompleteContract): void {
  const { errorFrame } = contract
  if (!errorFrame) return
  for (const recording of contract.recordings) {
    test(`${recording.name}: an error frame is a failure wherever it comes`, async () => {
      const frames = framesOf(recording)
      for (let at = 0; at < frames.length; at++) {
        // Nothing follows: an adapter that passes it over would otherwise end well.
        const text = [...frames.slice(0, at), errorFrame.text].join('')
        const { answer, error, events } = await requestStream(contract, text)
        if (answer === undefined) expect((error as { kind?: string }).kind).toBe(errorFrame.kind)
        // After its last word, an answer may be complete.
        else expect(foldContent(events)).toEqual([recordedContent(recording)])
        if (at === 0) expect(answer).toBe(undefined)
      }
    })
  }
}

/** Sends a complete and a streamed request to this failure; returns both errors. */
async function requestFailures(
  contract: CompleteContract,
  { status, body, headers }: ProviderFailure,
): Promise<unknown[]> {
  const respond = (): { status: number; headers: Record<string, string>; pieces: Uint8Array[] } => ({
    status,
    headers: {
      'content-type': body.startsWith('{') || body.startsWith('[') ? 'application/json' : 'text/html',
      ...headers,
    },
    pieces: bytesOf(body),
  })
  return await withAdapter(contract, respond, async ({ client, params }) => [
    await errorOf(client.create(params, {})),
    (await collectStream(client, params)).error,
  ])
}

async function errorOf(call: unknown): Promise<unknown> {
  try {
    await call
  } catch (error) {
    return error
  }
  return undefined
}

/** Collects the texts of an error, its causes and hidden fields. */
function texts(error: unknown, depth: number = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 6) return []
  return Object.getOwnPropertyNames(error).flatMap((name) => {
    const value: unknown = Reflect.get(error, name)
    return typeof value === 'string' ? [value] : texts(value, depth + 1)
  })
}
