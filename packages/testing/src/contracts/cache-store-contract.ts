import type { CacheStore, MaybePromise, StoredAnswer } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { cacheClaimContract } from './cache-claim-contract.ts'
import { deepFreeze } from './deep-freeze.ts'
import type { ContractRunner } from './contract-runner.ts'

/** Description of a cache store for `cacheStoreContract`. */
export interface CacheStoreContract {
  /** Name in the titles of the tests. */
  readonly name: string
  /** Creates an empty store; the suite closes it after each test. */
  readonly create: () => MaybePromise<CacheStore>
  /** Requires answers without promises, as blocking calls need them; default false. */
  readonly blocking?: boolean | undefined
  /** Reopens a closed store, for stores that outlive their process. */
  readonly reopen?: ((closed: CacheStore) => MaybePromise<CacheStore>) | undefined
  /** Requires claims, for stores that several processes share; default false. */
  readonly claims?: boolean | undefined
  /** Opens the place of an open store a second time, as another process does; default: the claims of one store are checked. */
  readonly join?: ((open: CacheStore) => MaybePromise<CacheStore>) | undefined
}

/** Checks that a cache store keeps the promises that the model wrapper relies on. */
export function cacheStoreContract({ describe, test, expect }: ContractRunner, contract: CacheStoreContract): void {
  const withStore =
    (use: (store: CacheStore) => Promise<void>): (() => Promise<void>) =>
    async () => {
      const store = await contract.create()
      try {
        await use(store)
      } finally {
        await store.close?.()
      }
    }

  describe(`cache store contract: ${contract.name}`, () => {
    test(
      'has a name for warnings',
      withStore(async ({ name }) => {
        expect(typeof name).toBe('string')
        expect(name).not.toBe('')
      }),
    )

    test(
      'gives undefined for what it does not hold',
      withStore(async (store) => expect(await store.get('nothing')).toBe(undefined)),
    )

    for (const [what, stored] of STORED) {
      test(
        `gives ${what} back as it was`,
        withStore(async (store) => {
          await store.set('key', deepFreeze(structuredClone(stored)))
          expect(await store.get('key')).toEqual(stored)
        }),
      )
    }

    test(
      'keeps the latest answer of a key',
      withStore(async (store) => {
        await store.set('key', textAnswer('first'))
        await store.set('key', textAnswer('second'))
        expect(await store.get('key')).toEqual(textAnswer('second'))
      }),
    )

    test(
      'keeps what it was given, whatever becomes of the object',
      withStore(async (store) => {
        const given = textAnswer('kept')
        await store.set('key', given)
        given.answer.choices[0]!.message.content = 'changed after it was kept'
        const stored = await store.get('key')
        expect(stored).toEqual(textAnswer('kept'))
        stored!.answer.choices.length = 0
        expect(await store.get('key')).toEqual(textAnswer('kept'))
      }),
    )

    test(
      'tells all keys apart',
      withStore(async (store) => {
        for (const key of KEYS) await store.set(key, textAnswer(key))
        for (const key of KEYS) expect(await store.get(key)).toEqual(textAnswer(key))
      }),
    )

    test(
      'keeps answers that come at once',
      withStore(async (store) => {
        const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`)
        await Promise.all(keys.map(async (key) => await store.set(key, textAnswer(key))))
        const stored = await Promise.all(keys.map(async (key) => await store.get(key)))
        expect(stored).toEqual(keys.map(textAnswer))
      }),
    )

    test('may be closed twice', async () => {
      const store = await contract.create()
      await store.set('key', textAnswer('kept'))
      await store.close?.()
      await store.close?.()
    })

    if (contract.blocking) {
      test(
        'answers at once',
        withStore(async (store) => {
          const written = store.set('key', textAnswer('kept'))
          expect(isThenable(written)).toBe(false)
          expect(store.get('key')).toEqual(textAnswer('kept'))
        }),
      )
    }

    if (contract.claims) cacheClaimContract({ describe, test, expect }, contract)

    const { reopen } = contract
    if (reopen) {
      test('still holds its answers when it is opened again', async () => {
        const store = await contract.create()
        await store.set('key', textAnswer('kept'))
        await store.close?.()
        const again = await reopen(store)
        try {
          expect(await again.get('key')).toEqual(textAnswer('kept'))
        } finally {
          await again.close?.()
        }
      })
    }
  })
}

function textAnswer(content: string): StoredAnswer {
  return {
    answer: {
      id: 'answer-1',
      model: 'some-model',
      created: 1_700_000_000,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    },
    cost: 0.25,
  }
}

const STORED: readonly (readonly [string, StoredAnswer])[] = [
  ['a text', textAnswer('some text')],
  ['an empty text', textAnswer('')],
  ['text of every script, and line ends', textAnswer('é ß 漢字 👩‍🚀 \u0000 \u2028 \r\n "\\')],
  ['a large text', textAnswer('0123456789'.repeat(10_000))],
  ['an unknown cost', { ...textAnswer('some text'), cost: null }],
  [
    'calls, usage and vendor data',
    {
      answer: {
        ...textAnswer('').answer,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } }],
              provider_metadata: { vendor: { signature: 'c2ln', nested: [1, null, true] } },
            },
            finish_reason: 'tool_calls',
          },
          { index: 1, message: { role: 'assistant', content: 'another' }, finish_reason: null },
        ],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cached_tokens: 4, raw: { any: 'thing' } },
      },
      cost: 1e-9,
    },
  ],
]

const KEYS = ['a', 'A', 'a/b', 'a:b', 'a b', 'ä', 'a\u0308', '../a', '%2e', '__proto__', 'constructor', 'k'.repeat(300)]
