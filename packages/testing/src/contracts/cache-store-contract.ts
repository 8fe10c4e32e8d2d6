import type { CacheStore, MaybePromise, ModelAnswer, StoredAnswer } from '@x/interfaces'
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
  /** Opens the location of an open store a second time, as another process does; default: the same store. */
  readonly join?: ((open: CacheStore) => MaybePromise<CacheStore>) | undefined
}

/** Adds a test that runs on a new store, which is closed after it. */
type Check = (title: string, use: (store: CacheStore) => Promise<void>) => void

/** Checks that a cache store keeps the promises that the model wrapper relies on. */
export function cacheStoreContract(runner: ContractRunner, contract: CacheStoreContract): void {
  const { describe, test, expect } = runner
  const check: Check = (title, use) =>
    test(title, async () => {
      const store = await contract.create()
      try {
        await use(store)
      } finally {
        await store.close?.()
      }
    })

  describe(`cache store contract: ${contract.name}`, () => {
    checkAnswers(check, expect)
    checkKeys(check, expect)
    test('may be closed twice', async () => {
      const store = await contract.create()
      await store.set('key', textAnswer('kept'))
      await store.close?.()
      await store.close?.()
    })
    if (contract.blocking) {
      check('answers without promises', async (store) => {
        const written = store.set('key', textAnswer('kept'))
        expect(isThenable(written)).toBe(false)
        expect(store.get('key')).toEqual(textAnswer('kept'))
      })
    }
    if (contract.claims) cacheClaimContract(runner, contract)
    if (contract.reopen) checkReopening(runner, contract, contract.reopen)
  })
}

/** Checks that a store gives answers back unchanged. */
function checkAnswers(check: Check, expect: ContractRunner['expect']): void {
  check('has a name for warnings', async ({ name }) => {
    expect(typeof name).toBe('string')
    expect(name).not.toBe('')
  })

  check('gives undefined for a key without an answer', async (store) =>
    expect(await store.get('nothing')).toBe(undefined),
  )

  for (const [title, stored] of STORED_ANSWERS) {
    check(`gives ${title} back as it was`, async (store) => {
      await store.set('key', deepFreeze(structuredClone(stored)))
      expect(await store.get('key')).toEqual(stored)
    })
  }

  check('keeps the latest answer of a key', async (store) => {
    await store.set('key', textAnswer('first'))
    await store.set('key', textAnswer('second'))
    expect(await store.get('key')).toEqual(textAnswer('second'))
  })

  check('keeps an answer as it was, even if the object changes later', async (store) => {
    const kept = textAnswer('kept')
    await store.set('key', kept)
    kept.answer.choices[0]!.message.content = 'changed after it was kept'
    const stored = await store.get('key')
    expect(stored).toEqual(textAnswer('kept'))
    stored!.answer.choices.length = 0
    expect(await store.get('key')).toEqual(textAnswer('kept'))
  })
}

/** Checks that a store keeps keys apart, one after another and at once. */
function checkKeys(check: Check, expect: ContractRunner['expect']): void {
  check('tells all keys apart', async (store) => {
    for (const key of AWKWARD_KEYS) await store.set(key, textAnswer(key))
    for (const key of AWKWARD_KEYS) expect(await store.get(key)).toEqual(textAnswer(key))
  })

  check('keeps answers that come at once', async (store) => {
    const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`)
    await Promise.all(keys.map(async (key) => await store.set(key, textAnswer(key))))
    const stored = await Promise.all(keys.map(async (key) => await store.get(key)))
    expect(stored).toEqual(keys.map(textAnswer))
  })
}

/** Checks that a store still holds its answers after it was closed and opened again. */
function checkReopening(
  { test, expect }: ContractRunner,
  { create }: CacheStoreContract,
  reopen: NonNullable<CacheStoreContract['reopen']>,
): void {
  test('still holds its answers when it is opened again', async () => {
    const store = await create()
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

/** Makes an answer with all that an answer may have, and with fields of a later version. */
function wholeAnswer(): StoredAnswer {
  const { answer, cost } = textAnswer('some text')
  const details = {
    reasoning: 'since',
    citations: [{ start: 0, end: 4, url: 'https://a.example', raw: { any: 'thing' } }],
    sources: [{ type: 'url', url: 'https://a.example' }],
    media: [{ type: 'image', at: 0, media_type: 'image/png', data: 'AA==' }],
    logprobs: [{ token: 'some', logprob: -0.25, bytes: [115] }],
    finish_details: { reason: 'END', safety: [{ level: 0 }] },
    provider_parts: [{ any: 'part' }],
    extra: { later: true },
  }
  const message = {
    ...{ role: 'assistant' as const, content: null, name: 'a', refusal: 'no', later_field: [1, { deep: null }] },
    function_call: { name: 'look', arguments: '{}' },
  }
  return {
    answer: {
      ...answer,
      choices: [{ index: 0, message, finish_reason: 'a word of the vendor', ...details }] as ModelAnswer['choices'],
      headers: { 'x-request-id': '1' },
      extra: { later: 'field' },
      raw: [{ any: 'frame' }],
    },
    cost,
  }
}

const STORED_ANSWERS: readonly (readonly [string, StoredAnswer])[] = [
  ['a text', textAnswer('some text')],
  ['an empty text', textAnswer('')],
  ['text of every script, and line ends', textAnswer('é ß 漢字 👩‍🚀 \u0000 \u2028 \r\n "\\')],
  ['a large text', textAnswer('0123456789'.repeat(10_000))],
  ['an unknown cost', { ...textAnswer('some text'), cost: null }],
  ['a cost of nothing', { ...textAnswer('some text'), cost: 0 }],
  ['a cost with all its digits', { ...textAnswer('some text'), cost: 0.000_123_456_789_012_3 }],
  ['every part of an answer', wholeAnswer()],
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

const AWKWARD_KEYS = [
  'a',
  'A',
  'a/b',
  'a:b',
  'a b',
  'ä',
  'a\u0308',
  '../a',
  '%2e',
  '__proto__',
  'constructor',
  ' a',
  'a ',
  'a\n',
  '0',
  '00',
  'k'.repeat(300),
  `${'k'.repeat(300)}a`,
  `${'k'.repeat(300)}b`,
  `b${'k'.repeat(300)}`,
]
