import type { ModelCallOptions } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { modelFailure } from '../failure/model-failure.ts'
import { isRecord } from '../json/wire-values.ts'
import { answerInBackground } from './background.ts'
import type { BackgroundDialect } from './dialect.ts'

const dialect: BackgroundDialect = {
  takes: () => true,
  pending(body) {
    const { id, status } = isRecord(body) ? body : {}
    if (status === 'paused') return { id: String(id), unknown: status }
    return status === 'queued' ? { id: String(id) } : undefined
  },
  path: (id) => `/responses/${id}`,
}
const PENDING = { id: 'a', status: 'queued' }
const DONE = { id: 'a', status: 'completed' }

/** Asks for an answer whose questions are answered one after the other, by texts or errors. */
async function ask(
  answers: readonly (string | Error)[],
  options: ModelCallOptions = {},
  waits: number[] = [],
): Promise<unknown> {
  const left = [...answers]
  let isSubmitted = false
  let now = 0
  const body = await answerInBackground(
    dialect,
    {
      async submit() {
        if (isSubmitted) throw new Error('it was asked for twice')
        isSubmitted = true
        return PENDING
      },
      askWith: () => async () => {
        const answer = left.shift()
        if (typeof answer === 'string') return answer
        throw answer
      },
      clock: {
        async sleep(ms) {
          waits.push(ms)
          now += ms
        },
        random: () => 0,
      },
      now: () => now,
    },
    options,
  )
  return { body, isSubmitted }
}

describe('an answer in the background', () => {
  it('is asked for again where a gateway answers in place of its provider', async () => {
    const pages = ['<html>no</html>', '', '[]', '"a"', '{}', '{"error":{"message":"no upstream"}}']
    expect(await ask([...pages, JSON.stringify(DONE)])).toEqual({ body: DONE, isSubmitted: true })
  })

  it('that another process has begun outlasts a failure of the first question', async () => {
    const busy = modelFailure('overloaded', 'busy', { status: 503 })
    const background = { known: 'a', keep: () => {} }
    const answers = [busy, JSON.stringify(PENDING), busy, JSON.stringify(DONE)]
    expect(await ask(answers, { background })).toEqual({ body: DONE, isSubmitted: false })
  })

  it('is not asked for before the time for which its provider asks to wait', async () => {
    const waits: number[] = []
    const slow = modelFailure('rate-limit', 'slow', { status: 429, retryAfterMs: 30_000 })
    const long = modelFailure('rate-limit', 'slow', { status: 429, retryAfterMs: 3_600_000 })
    await ask([slow, JSON.stringify(PENDING), long, JSON.stringify(DONE)], {}, waits)
    expect(waits).toEqual([2000, 30_000, 8000, 60_000])
  })

  it('with a status that nobody knows is asked for again, and fails after a while without a second request', async () => {
    const paused = JSON.stringify({ id: 'a', status: 'paused' })
    expect(await ask([paused, paused, JSON.stringify(DONE)])).toEqual({ body: DONE, isSubmitted: true })
    const error = await ask(Array<string>(100).fill(paused)).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'timeout', message: expect.stringContaining('`paused`') as unknown })
  })

  it('may be paid for where a question for it is refused: the failure has no status', async () => {
    const refused = modelFailure('auth', 'no key', { status: 401 })
    const error = await ask([refused]).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'auth', message: expect.stringContaining('status 401: no key') })
    expect(error).not.toHaveProperty('status', 401)
  })
})
