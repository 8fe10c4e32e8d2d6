import { asking, streamed } from './asked.ts'
import { collected, folded, saidBy } from './collected.ts'
import { bytesOf } from './fake-fetch.ts'
import { CANARY_KEY, type ProviderContract, type ProviderFailure } from './contract.ts'
import { framesOf } from './stream-text.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** Checks failures: each has the right kind and contains no secret. */
export function failuresContract({ test, expect }: ContractRunner, contract: ProviderContract): void {
  for (const failure of contract.failures) {
    const { status, kind, retryAfterMs } = failure
    test(`status ${status} (${kind}) is told by its kind, complete and streamed`, async () => {
      for (const error of await failed(contract, failure)) {
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
      for (const error of await failed(contract, { status: 502, body, kind: 'server' })) {
        expect(error).toMatchObject({ kind: 'server', status: 502 })
      }
    })
  }

  test('a body that is no JSON is a failure of the server', async () => {
    const respond = (): { pieces: Uint8Array[]; headers: Record<string, string> } => ({
      pieces: bytesOf('<html>'),
      headers: { 'content-type': 'application/json' },
    })
    const error = await asking(
      contract,
      respond,
      async ({ client, params }) => await rejection(client.create(params, { last: false })),
    )
    expect((error as { kind?: string }).kind).toBe('server')
  })

  test('a key is in no error, whatever the provider says', async () => {
    for (const status of [400, 401, 429, 500]) {
      const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${CANARY_KEY}`, type: 'x' } })
      for (const error of await failed(contract, { status, body, kind: 'server' })) {
        for (const text of texts(error)) expect(text).not.toContain(CANARY_KEY)
      }
    }
  })

  const { errorFrame } = contract
  if (!errorFrame) return
  for (const recording of contract.recordings) {
    test(`${recording.name}: an error frame is a failure wherever it comes`, async () => {
      const frames = framesOf(recording.stream)
      for (let at = 0; at < frames.length; at++) {
        const { answer, error, events } = await streamed(contract, frames.toSpliced(at, 0, errorFrame.text).join(''))
        if (answer === undefined) expect((error as { kind?: string }).kind).toBe(errorFrame.kind)
        // Behind the last word there is nothing left to fail.
        else expect(folded(events)).toEqual([saidBy(recording)])
        if (at === 0) expect(answer).toBe(undefined)
      }
    })
  }
}

async function failed(contract: ProviderContract, { status, body, headers }: ProviderFailure): Promise<unknown[]> {
  const respond = (): { status: number; headers: Record<string, string>; pieces: Uint8Array[] } => ({
    status,
    headers: {
      'content-type': body.startsWith('{') || body.startsWith('[') ? 'application/json' : 'text/html',
      ...headers,
    },
    pieces: bytesOf(body),
  })
  return await asking(contract, respond, async ({ client, params }) => [
    await rejection(client.create(params, { last: false })),
    (await collected(client, params)).error,
  ])
}

async function rejection(running: unknown): Promise<unknown> {
  try {
    await running
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
