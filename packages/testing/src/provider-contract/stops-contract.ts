import { asking, type Asked } from './asked.ts'
import { collected } from './collected.ts'
import type { ProviderContract } from './contract.ts'
import type { FakeResponse } from './fake-fetch.ts'
import { typeOf } from './stream-text.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** Checks that an aborted call, or a call that times out, ends and stops its request. */
export function stopsContract({ test, expect }: ContractRunner, contract: ProviderContract): void {
  const [{ stream }] = contract.recordings as [ProviderContract['recordings'][number]]
  const HANGING_RESPONSES: readonly (readonly [string, FakeResponse])[] = [
    ['no response', { pieces: [], hang: true }],
    ['a body without an end', { headers: { 'content-type': typeOf(stream) }, pieces: [], open: true }],
  ]

  for (const [what, response] of HANGING_RESPONSES) {
    for (const streamed of [false, true]) {
      const how = streamed ? 'streamed' : 'complete'
      const run = async ({ client, params }: Asked, signal?: AbortSignal): Promise<unknown> =>
        streamed
          ? (await collected(client, params, signal)).error
          : await failure(async () => await client.create(params, { last: false, signal }))

      test(`${what} (${how}): a caller who stops the call gets \`aborted\`, and the request is stopped`, async () => {
        const controller = new AbortController()
        await asking(
          contract,
          () => response,
          async (asked) => {
            const running = run(asked, controller.signal)
            await sent(asked)
            controller.abort()
            expect(await running).toMatchObject({ code: 'aborted' })
            expect(asked.requests.filter(({ stopped }) => !stopped())).toEqual([])
          },
        )
      })

      test(`${what} (${how}): after its time the call fails with \`timeout\`, and the request is stopped`, async () => {
        await asking(
          contract,
          () => response,
          async (asked) => {
            expect(await run(asked)).toMatchObject({ kind: 'timeout' })
            expect(asked.requests.filter(({ stopped }) => !stopped())).toEqual([])
          },
          { timeout: 0.2 },
        )
      })
    }
  }
}

/** Resolves when the request was sent. */
async function sent({ requests }: Asked): Promise<void> {
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
