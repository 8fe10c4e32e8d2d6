import type { CacheStore, MaybePromise } from '@x/interfaces'
import type { ContractRunner } from './contract-runner.ts'
import { FAULTY_STORES, faultyStore } from './faulty-stores.ts'

/** Asks models with a cache, for `cacheUserContract`. */
export interface CacheUser {
  /** Asks for an answer, which the model behind gives anew each time. */
  readonly ask: (question: string) => MaybePromise<{ readonly content: unknown; readonly cached: boolean }>
  /** Gives the warnings so far. */
  readonly warnings: () => readonly string[]
}

/** Description of a user of caches for `cacheUserContract`. */
export interface CacheUserContract {
  /** Name in the titles of the tests. */
  readonly name: string
  /** Makes a user of a store whose model answers `fresh` to everything; a lookup may take it a tenth of a second at most, and so may waiting for another process. */
  readonly create: (store: CacheStore) => CacheUser
  /** Whether it makes blocking calls, which refuse stores that give promises; default false. */
  readonly blocking?: boolean | undefined
}

/** Milliseconds after which a question counts as hanging. */
const HANGS = 4000

/** Questions in a row: more than a store that fails is asked before it is left alone. */
const QUESTIONS = 5

/** Checks that no store can keep a user of caches from its answers: stores that hang, fail, and give other things. */
export function cacheUserContract({ describe, test, expect }: ContractRunner, contract: CacheUserContract): void {
  describe(`cache user contract: ${contract.name}`, () => {
    for (const faulty of FAULTY_STORES) {
      if (contract.blocking && faulty.waits) continue
      test(`answers with a store that ${faulty.fault}`, async () => {
        const user = contract.create(faultyStore(faulty))
        for (let question = 0; question < QUESTIONS; question++) {
          const answered = await inTime(async () => await user.ask(`question ${question}`))
          expect(answered).toMatchObject({ content: 'fresh', cached: false })
        }
      })

      test(`warns at most a few times of a store that ${faulty.fault}`, async () => {
        const user = contract.create(faultyStore(faulty))
        for (let question = 0; question < QUESTIONS; question++) await inTime(async () => await user.ask('the same'))
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
    timer = setTimeout(() => resolve(`no answer after ${HANGS} ms`), HANGS)
  })
  try {
    return await Promise.race([ask(), late])
  } finally {
    clearTimeout(timer)
  }
}
