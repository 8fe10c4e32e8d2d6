import type { CacheStore, MaybePromise } from '@x/interfaces'
import type { ContractRunner } from './contract-runner.ts'
import { FAULTY_STORES, faultyStore } from './faulty-stores.ts'

/** A program that asks models through a cache, for `cacheUserContract`. */
export interface CacheUser {
  /** Asks for an answer; the model behind the cache answers every time. */
  readonly ask: (question: string) => MaybePromise<{ readonly content: unknown; readonly cached: boolean }>
  /** Returns the warnings so far. */
  readonly warnings: () => readonly string[]
}

/** Description of a user of caches for `cacheUserContract`. */
export interface CacheUserContract {
  /** Name in the titles of the tests. */
  readonly name: string
  /**
   * Makes a user of a store, with a model that always answers `fresh`. It waits at most 0.1 s for a lookup, and at most 0.1 s
   * for another process.
   */
  readonly create: (store: CacheStore) => CacheUser
  /** True for a user with blocking calls, which refuse stores that give promises; default false. */
  readonly blocking?: boolean | undefined
}

/** Time after which a question counts as hanging. */
const MAX_ANSWER_MS = 4000

/** Questions in a row: more than a user asks a failing store before it gives the store up. */
const QUESTION_COUNT = 5

/** Checks that a user of caches gets its answers with any store: one that hangs, fails, or returns wrong values. */
export function cacheUserContract({ describe, test, expect }: ContractRunner, contract: CacheUserContract): void {
  describe(`cache user contract: ${contract.name}`, () => {
    for (const faulty of FAULTY_STORES) {
      if (contract.blocking && faulty.waits) continue
      test(`answers with a store that ${faulty.fault}`, async () => {
        const user = contract.create(faultyStore(faulty))
        for (let question = 0; question < QUESTION_COUNT; question++) {
          const answered = await inTime(async () => await user.ask(`question ${question}`))
          expect(answered).toMatchObject({ content: 'fresh', cached: false })
        }
      })

      test(`warns at most a few times of a store that ${faulty.fault}`, async () => {
        const user = contract.create(faultyStore(faulty))
        for (let question = 0; question < QUESTION_COUNT; question++)
          await inTime(async () => await user.ask('the same'))
        const warnings = user.warnings()
        expect(new Set(warnings).size).toBe(warnings.length)
        if (!faulty.silent) expect(warnings.length > 0 && warnings.length <= 3).toBe(true)
      })
    }
  })
}

async function inTime<T>(ask: () => Promise<T>): Promise<T | string> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer after ${MAX_ANSWER_MS} ms`), MAX_ANSWER_MS)
  })
  try {
    return await Promise.race([ask(), late])
  } finally {
    clearTimeout(timer)
  }
}
