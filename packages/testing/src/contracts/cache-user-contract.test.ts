import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { cacheUserContract, type CacheUser } from './cache-user-contract.ts'
import { failing } from './failing.fake.ts'

const fresh: StoredAnswer = {
  answer: {
    id: 'fresh',
    model: 'm',
    created: 0,
    choices: [{ index: 0, message: { role: 'assistant', content: 'fresh' }, finish_reason: 'stop' }],
  },
  cost: 0,
}

/** A user that trusts its store in some ways. */
const trusting =
  ({ waits = false, catches = true, checks = true, warns = true }) =>
  (store: CacheStore): CacheUser => {
    const warnings = new Set<string>()
    const guarded = async (what: string, use: () => unknown): Promise<unknown> => {
      try {
        if (waits) return await use()
        return await Promise.race([use(), new Promise((resolve) => setTimeout(resolve, 1, 'late'))])
      } catch (error) {
        if (!catches) throw error
        return 'late'
      } finally {
        if (warns) warnings.add(what)
      }
    }
    return {
      warnings: () => [...warnings],
      async ask(question) {
        const hit = (await guarded('get', () => store.get(question))) as StoredAnswer | undefined | 'late'
        if (hit && hit !== 'late' && !checks) {
          return { content: hit.answer.choices[0]!.message.content, cached: true }
        }
        await guarded('set', () => store.set(question, fresh))
        return { content: 'fresh', cached: false }
      },
    }
  }

cacheUserContract({ describe, test, expect }, { name: 'a careful user', create: trusting({}) })

test.each([
  ['does not catch', { catches: false }, /throws/u],
  ['believes what it is given', { checks: false }, /gives a message of null/u],
  ['does not warn', { warns: false }, /warns at most/u],
])('a user that %s is found out', async (_, trust, name) => {
  const failed = await failing((runner) => cacheUserContract(runner, { name: 'trusting', create: trusting(trust) }))
  expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(name)]))
})

test('a user that waits for its store is found out', async () => {
  const tests: [string, () => Promise<void>][] = []
  cacheUserContract(
    { describe: (_, body) => body(), test: (name, body) => void tests.push([name, body]), expect },
    { name: 'patient', create: trusting({ waits: true }) },
  )
  const [, hanging] = tests.find(([name]) => name.endsWith('never answers a lookup'))!
  await expect(hanging()).rejects.toThrow()
}, 60_000)
