import { inspect } from 'node:util'
import type { ModelCallOptions, ModelErrorKind } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { collectStream } from '../provider-contract/collect-stream.ts'
import type { ContractRunner } from './contract-runner.ts'
import { CLIENT_KEY, type ContractAnswer, type ModelClientContract, type WithClient } from './client-contract.ts'

const LONG_ANSWER: ContractAnswer = { text: 'An answer of a good many words, so that there is a middle in it.' }

/** Checks the failures of a client, and that calls can be aborted. */
export function checkClientFailures(
  runner: ContractRunner,
  withClient: WithClient,
  { failures = [], hangs = true, cuts = true }: ModelClientContract,
): void {
  const { test, expect } = runner
  for (const kind of failures) checkFailure(runner, withClient, kind)

  test('the client shows no key', async () => {
    await withClient([{ answer: LONG_ANSWER }], async ({ client, params }) => {
      const answer = await client.create(params, {})
      expect(inspected(client)).not.toContain(CLIENT_KEY)
      expect(JSON.stringify(client) ?? '').not.toContain(CLIENT_KEY)
      expect(JSON.stringify(answer)).not.toContain(CLIENT_KEY)
    })
  })

  checkAborts(runner, withClient, hangs)

  test('a consumer may stop early, and the client goes on', async () => {
    await withClient([{ answer: LONG_ANSWER }, { answer: LONG_ANSWER }], async ({ client, params }) => {
      if (!client.stream) return
      const events = client.stream(params, {})
      expect((await events.next()).done).toBe(false)
      await events.return(undefined as never)
      expect((await events.next()).done).toBe(true)
      const { answer } = await collectStream(client, params)
      expect(answer?.choices[0]?.message.content).toBe(LONG_ANSWER.text)
    })
  })

  if (cuts) {
    test('a stream that ends in its middle is no answer', async () => {
      await withClient([{ cut: LONG_ANSWER }], async ({ client, params }) => {
        if (!client.stream) return
        const { answer, error } = await collectStream(client, params)
        expect(answer).toBe(undefined)
        expect(error).toMatchObject({ code: 'model-failed', kind: 'truncated' })
      })
    })
  }
}

/** Checks that a failure is reported by its kind, without the key. */
function checkFailure({ test, expect }: ContractRunner, withClient: WithClient, kind: ModelErrorKind): void {
  test(`a failure of kind ${kind} is told by its kind, complete and streamed, without the key`, async () => {
    await withClient([{ failure: kind }, { failure: kind }], async ({ client, params }) => {
      const errors = [await failureOf(async () => await client.create(params, {}))]
      if (client.stream) errors.push((await collectStream(client, params)).error)
      for (const error of errors) {
        expect(isXError(error, codeOf(kind))).toBe(true)
        expect(error).toMatchObject({ kind })
        expect((error as Error).message).not.toBe('')
        expect(inspected(error)).not.toContain(CLIENT_KEY)
      }
    })
  })
}

/** Checks that a call can be aborted before and while it runs. */
function checkAborts({ test, expect }: ContractRunner, withClient: WithClient, hangs: boolean): void {
  test('a call that was stopped before it began fails with `aborted`', async () => {
    await withClient([{ answer: LONG_ANSWER }, { answer: LONG_ANSWER }], async ({ client, params }) => {
      const signal = AbortSignal.abort()
      const errors = [await failureOf(async () => await client.create(params, { signal }))]
      if (client.stream) errors.push((await collectStream(client, params, signal)).error)
      for (const error of errors) expect(isXError(error, 'aborted')).toBe(true)
    })
  })

  if (hangs) {
    test('a call that is stopped while it waits fails with `aborted`', async () => {
      await withClient([{ hang: true }, { hang: true }], async ({ client, params }) => {
        const stopped = async (run: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> => {
          const controller = new AbortController()
          const running = run(controller.signal)
          setImmediate(() => controller.abort())
          return await running
        }
        const errors = [await stopped((signal) => failureOf(async () => await client.create(params, { signal })))]
        if (client.stream)
          errors.push(await stopped(async (signal) => (await collectStream(client, params, signal)).error))
        for (const error of errors) expect(isXError(error, 'aborted')).toBe(true)
      })
    })

    test('a call that is not answered within its `timeout` fails with `timeout`', async () => {
      await withClient([{ hang: true }, { hang: true }], async ({ client, params }) => {
        // The signal ends the call of a client that does not look at the time.
        const late = (): ModelCallOptions => ({ timeout: 0.02, signal: AbortSignal.timeout(MAX_LATE_MS) })
        const errors = [await failureOf(async () => await client.create(params, late()))]
        if (client.stream) errors.push(await failureOf(async () => await client.stream!(params, late()).next()))
        for (const error of errors) expect(isXError(error, 'timeout')).toBe(true)
      })
    })
  }
}

/** Time in which a call with a short timeout has to end. */
const MAX_LATE_MS = 500

const codeOf = (kind: ModelErrorKind): 'aborted' | 'content-filter' | 'model-failed' | 'timeout' =>
  kind === 'timeout' || kind === 'content-filter' || kind === 'aborted' ? kind : 'model-failed'

async function failureOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  return undefined
}

/** Prints a value with its causes and hidden fields. */
const inspected = (value: unknown): string => inspect(value, { depth: 8, showHidden: true, maxStringLength: null })
