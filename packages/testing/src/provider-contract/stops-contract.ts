import { withAdapter, type AdapterCase } from './adapter-case.ts'
import { collectStream } from './collect-stream.ts'
import type { CompleteContract } from './contract.ts'
import type { FakeResponse } from './fake-fetch.ts'
import { typeOf } from './stream-text.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** Checks that an aborted call, or a call that times out, ends and stops its request. */
export function stopsContract({ test, expect }: ContractRunner, contract: CompleteContract): void {
  const [{ stream }] = contract.recordings as [CompleteContract['recordings'][number]]
  const HANGING_RESPONSES: readonly (readonly [string, FakeResponse])[] = [
    ['no response', { pieces: [], hang: true }],
    ['a body without an end', { headers: { 'content-type': typeOf(stream) }, pieces: [], open: true }],
  ]

  for (const [what, response] of HANGING_RESPONSES) {
    for (const streamed of [false, true]) {
      const how = streamed ? 'streamed' : 'complete'
      const run = async ({ client, params }: AdapterCase, signal?: AbortSignal): Promise<unknown> =>
        streamed
          ? (await collectStream(client, params, signal)).error
          : await failure(async () => await client.create(params, { signal }))

      test(`${what} (${how}): a caller who stops the call gets \`aborted\`, and the request is stopped`, async () => {
        const controller = new AbortController()
        await withAdapter(
          contract,
          () => response,
          async (adapter) => {
            const running = run(adapter, controller.signal)
            await awaitRequest(adapter)
            controller.abort()
            expect(await running).toMatchObject({ code: 'aborted' })
            expect(adapter.requests.filter(({ stopped }) => !stopped())).toEqual([])
          },
        )
      })

      test(`${what} (${how}): after its time the call fails with \`timeout\`, and the request is stopped`, async () => {
        await withAdapter(
          contract,
          () => response,
          async (adapter) => {
            expect(await run(adapter)).toMatchObject({ kind: 'timeout' })
            expect(adapter.requests.filter(({ stopped }) => !stopped())).toEqual([])
          },
          { timeout: 0.2 },
        )
      })
    }
  }
}

/** Resolves when the request was sent. */
async function awaitRequest({ requests }: AdapterCase): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS && requests.length === 0; turn++) {
    await new Promise((resolve) => setTimeout(resolve))
  }
}

/** Number of turns of the event loop within which an adapter must send. */
const MAX_TURNS = 10_000

async function failure(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  return undefined
}
