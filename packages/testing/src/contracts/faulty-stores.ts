import type { CacheClaim, CacheStore, MaybePromise, StoredAnswer } from '@x/interfaces'

/** A store with a fault, for `cacheUserContract`. */
export interface FaultyStore {
  /** Names the fault in the titles of the tests. */
  readonly fault: string
  /** True for a store that gives promises, which blocking calls refuse. */
  readonly waits: boolean
  readonly get: (key: string) => unknown
  readonly set: (key: string, value: StoredAnswer) => unknown
  readonly claim?: ((key: string, lease: number) => unknown) | undefined
  /** True for a fault that needs no warning. */
  readonly silent?: boolean | undefined
}

const never = (): Promise<never> => new Promise(() => {})
const nothing = (): undefined => undefined
const fail = (): never => {
  throw new Error('the store is broken')
}
const failLater = async (): Promise<never> => fail()
const thenable = (call: () => unknown): unknown =>
  new Proxy({}, { get: (_, name) => (name === 'then' ? call : undefined) })

const stored: StoredAnswer = {
  answer: {
    id: 'stored',
    model: 'some-model',
    created: 0,
    choices: [{ index: 0, message: { role: 'assistant', content: 'stored' }, finish_reason: 'stop' }],
  },
  cost: 0,
}

/** Makes an answer with another value as its first choice. */
const withChoice = (choice: unknown): unknown => ({ ...stored, answer: { ...stored.answer, choices: [choice] } })

/** Values that stores give in place of an answer. */
const WRONG_VALUES: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a text', JSON.stringify(stored)],
  ['an empty object', {}],
  ['a list', [stored]],
  ['the answer without what is around it', stored.answer],
  ['an answer of null', { answer: null, cost: 0 }],
  ['an answer without choices', { answer: { ...stored.answer, choices: undefined }, cost: 0 }],
  ['choices that are a text', { answer: { ...stored.answer, choices: 'stored' }, cost: 0 }],
  ['a choice of null', withChoice(null)],
  ['a choice without a message', withChoice({})],
  ['a message of null', withChoice({ index: 0, message: null })],
  ['a number as content', withChoice({ index: 0, message: { content: 5 } })],
  ['calls that are not a list', withChoice({ index: 0, message: { content: null, tool_calls: {} } })],
  ['a call without a function', withChoice({ index: 0, message: { content: null, tool_calls: [{ id: 'a' }] } })],
  ['a cost that is a text', { ...stored, cost: 'free' }],
]

const lying = WRONG_VALUES.flatMap(([what, value]): FaultyStore[] => [
  { fault: `gives ${what}`, waits: false, get: () => value, set: nothing },
  { fault: `gives ${what} later`, waits: true, get: async () => value, set: nothing },
])

/** Stores without answers, with faulty claims; a blocking call does not claim. */
const claiming = (
  [
    ['never answers a claim', never],
    ['throws in claims', fail],
    ['rejects claims', failLater],
    ['has a `then` of claims that throws', () => thenable(fail)],
    ['gives true as a claim', () => true],
    ['gives a text as a claim later', async () => 'claimed'],
    ['gives a claim that cannot be released', () => ({ renew: () => true })],
    [
      'gives a claim that cannot be read',
      () => new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : fail()) }),
    ],
    ['gives a claim whose release throws', () => ({ renew: fail, release: fail })],
    ['gives a claim whose release rejects', async () => ({ renew: failLater, release: failLater })],
    ['gives every claim to somebody else', () => null],
  ] satisfies readonly (readonly [string, () => unknown])[]
).map(([fault, claim]): FaultyStore => ({ fault, waits: true, get: nothing, set: nothing, claim }))

/** Stores that hang, fail and lie. */
export const FAULTY_STORES: readonly FaultyStore[] = [
  { fault: 'never answers a lookup', waits: true, get: never, set: nothing },
  { fault: 'never ends a write', waits: true, silent: true, get: nothing, set: never },
  { fault: 'never answers', waits: true, get: never, set: never },
  {
    fault: 'has a `then` that never calls back',
    waits: true,
    get: () => thenable(nothing),
    set: () => thenable(nothing),
  },
  { fault: 'has a `then` that throws', waits: true, get: () => thenable(fail), set: () => thenable(fail) },
  { fault: 'throws in lookups', waits: false, get: fail, set: nothing },
  { fault: 'throws in writes', waits: false, get: nothing, set: fail },
  { fault: 'throws', waits: false, get: fail, set: fail },
  { fault: 'rejects lookups', waits: true, get: failLater, set: nothing },
  { fault: 'rejects writes', waits: true, get: nothing, set: failLater },
  { fault: 'rejects', waits: true, get: failLater, set: failLater },
  ...lying,
  ...claiming,
  {
    fault: 'never ends the release of a claim',
    waits: true,
    silent: true,
    get: nothing,
    set: nothing,
    claim: () => ({ renew: never, release: never }),
  },
]

/** Makes the store of a fault. */
export const faultyStore = ({ get, set, claim }: FaultyStore): CacheStore => ({
  name: 'faulty',
  get: (key) => get(key) as MaybePromise<StoredAnswer | undefined>,
  set: (key, value) => set(key, value) as MaybePromise<void>,
  ...(claim && { claim: (key: string, lease: number) => claim(key, lease) as MaybePromise<CacheClaim | null> }),
})
