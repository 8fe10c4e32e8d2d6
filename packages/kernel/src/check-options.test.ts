import { describe, expect, it } from 'vitest'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from './options.ts'
import { isXError } from './x-error.ts'

interface Options {
  readonly message?: string | undefined
  readonly maxTurns?: number | null | undefined
  readonly cost?: number | undefined
  readonly silent?: boolean | undefined
  readonly mode?: 'fast' | 'slow' | undefined
  readonly cache?: { get(): string } | undefined
}

const KINDS: OptionKinds<Options> = {
  message: kind.text,
  maxTurns: kind.orNull(kind.whole(1)),
  cost: kind.number(0),
  silent: kind.flag,
  mode: kind.oneOf('fast', 'slow'),
  cache: { ...kind.having('a cache', 'get'), remedy: (value) => (value === true ? 'call `createCache()`' : undefined) },
}

function refusal(options: unknown): string {
  try {
    checkOptions(options, KINDS, 'run `work`', 'alice')
  } catch (error) {
    if (isXError(error, 'invalid-argument')) return error.message
    throw error
  }
  return ''
}

describe('options', () => {
  it.each([
    undefined,
    {},
    { message: 'hi', maxTurns: 3, silent: false, mode: 'slow', cache: { get: () => '' } },
    { maxTurns: null, mesage: undefined },
    Object.create({ abort: () => 1 }),
  ])('are taken: %j', (options) => {
    expect(refusal(options)).toBe('')
  })

  it.each([
    [{ maxTurn: 1 }, 'the option `maxTurn` is unknown; did you mean `maxTurns`?'],
    [{ max_turns: 1 }, 'the option `max_turns` is unknown; did you mean `maxTurns`?'],
    [{ mxaTurns: 1 }, 'the option `mxaTurns` is unknown; did you mean `maxTurns`?'],
    [{ wrong: 1 }, 'the option `wrong` is unknown; it takes `message`, `maxTurns`, `cost`, `silent`, `mode`, `cache`'],
    [{ toString: 1 }, 'the option `toString` is unknown'],
    [JSON.parse('{ "__proto__": 1 }'), 'the option `__proto__` is unknown'],
    [{ maxTurns: '3' }, "`maxTurns` is '3'; write `maxTurns: 3`, without quotes"],
    [{ maxTurns: '1.5' }, "`maxTurns` is '1.5'; give a whole number of at least 1, or null"],
    [{ cost: '0.50' }, "`cost` is '0.50'; write `cost: 0.50`, without quotes"],
    [{ cost: '$5' }, "`cost` is '$5'; write `cost: 5`, without quotes"],
    [{ maxTurns: 1.5 }, '`maxTurns` is 1.5; give a whole number of at least 1, or null'],
    [{ maxTurns: Number.NaN }, '`maxTurns` is NaN; give a whole number of at least 1, or null'],
    [{ maxTurns: -1 }, '`maxTurns` is -1; give a whole number of at least 1, or null'],
    [{ silent: null }, '`silent` is null; give true or false'],
    [{ mode: 'FAST' }, "`mode` is 'FAST'; give 'fast' or 'slow'"],
    [{ message: [] }, '`message` is a list; give a text'],
    [{ silent: 'a secret of more than twelve letters' }, '`silent` is a text; give true or false'],
    [{ cache: {} }, '`cache` is an object; give a cache'],
    [{ cache: true }, '`cache` is true; call `createCache()`'],
    ['hello', "its options are 'hello'; give an object, such as { message: 'hello' }"],
    [null, 'its options are null; give an object, such as { … }'],
    [[], 'its options are a list; give an object'],
  ])('are refused: %j', (options, text) => {
    expect(refusal(options)).toContain(`cannot run \`work\` of \`alice\`: ${text}`)
  })

  it('are told to programs by name', () => {
    expect(() => checkOptions({ maxturns: 1 }, KINDS, 'run `work`')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^cannot run `work`: /u),
        details: { option: 'maxturns', nearest: 'maxTurns', known: Object.keys(KINDS) },
      }),
    )
  })
})

describe('kinds', () => {
  it.each([
    ['limit', kind.limit(0), [0, 7, Infinity], [-1, 0.5, Number.NaN, '1', null]],
    ['whole', kind.whole(1), [1, 7], [0, Infinity, 1.5, true]],
    ['number', kind.number(0), [0, 0.5, Infinity], [-0.1, Number.NaN, '0']],
    ['positive', kind.positive, [0.1, Infinity], [0, -1, Number.NaN, '1']],
    ['finite', kind.finite, [-1, 0.5], [Infinity, Number.NaN, '1']],
    ['call', kind.call, [() => 1], [{}, 'f']],
    ['object', kind.object, [{}], [[], null, () => 1]],
    ['list', kind.list, [[]], [{}, 'a']],
    ['either', kind.either(kind.text, kind.list), ['a', []], [1, null]],
  ])('%s', (_, its, taken, refused) => {
    expect([...taken, ...refused].filter((value) => its.takes(value as never))).toEqual(taken)
  })
})

describe('the option `events`', () => {
  const check = (events: unknown): void => checkOptions({ events }, { events: runOptionKinds.events }, 'run `work`')

  it.each([{}, { content: false, recalled: true }, { maxTextLength: 0, redact: () => null }, { contents: undefined }])(
    'takes %j',
    (events) => {
      expect(() => check(events)).not.toThrow()
    },
  )

  it.each([
    [{ contents: false }, '`events` is an object; its option `contents` is unknown; did you mean `content`?'],
    [{ hide: true }, 'its option `hide` is unknown; it takes `content`, `redact`, `maxTextLength`, `recalled`'],
    [{ content: 'no' }, "its `content` is 'no'; give true or false"],
    [{ maxTextLength: '9' }, "its `maxTextLength` is '9'; write `maxTextLength: 9`, without quotes"],
    [false, '`events` is false; give an object, as in { content: false }'],
    [() => 1, 'write `emit`, which gets every event'],
  ])('is refused: %j', (events, text) => {
    expect(() => check(events)).toThrow(expect.objectContaining({ message: expect.stringContaining(text) }))
  })
})

const WORDS: Parameters<typeof checkOptions>[3] = {
  'maxSteps iterations maxTurns': 'write `maxTurns`',
  id: (value, options) => `write \`name\`, beside ${Object.keys(options).length} options, for ${String(value)}`,
  messages: 'give `message`',
  max_turns: (value) => (Array.isArray(value) ? 'give one `maxTurns`' : undefined),
}
const WORK_KINDS = { message: kind.text, maxTurns: kind.whole(1) }

describe('words of other libraries', () => {
  it.each([
    [{ maxSteps: 3 }, 'the option `maxSteps` is unknown; write `maxTurns`'],
    [{ max_steps: 3 }, 'the option `max_steps` is unknown; write `maxTurns`'],
    [{ iterations: 3 }, 'the option `iterations` is unknown; write `maxTurns`'],
    [{ id: 7, message: 'hi' }, 'the option `id` is unknown; write `name`, beside 2 options, for 7'],
    // Before a word that is spelt alike.
    [{ messages: [] }, 'the option `messages` is unknown; give `message`'],
    [{ max_turns: [3] }, 'the option `max_turns` is unknown; give one `maxTurns`'],
    [{ max_turns: 3 }, 'the option `max_turns` is unknown; did you mean `maxTurns`?'],
    [{ maxTurns: '3' }, "`maxTurns` is '3'; write `maxTurns: 3`, without quotes"],
    [{ toString: 1 }, 'the option `toString` is unknown; it takes `message`, `maxTurns`'],
    [[], 'its options are a list; give an object'],
  ])('are refused with the word that is written here: %j', (options, text) => {
    expect(() => checkOptions(options, WORK_KINDS, 'run `work`', WORDS)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining(`cannot run \`work\`: ${text}`),
      }),
    )
  })

  it.each([undefined, {}, { maxSteps: undefined }, { maxTurns: 3 }])('are none in %j', (options) => {
    expect(() => checkOptions(options, WORK_KINDS, 'run `work`', WORDS)).not.toThrow()
  })
})
