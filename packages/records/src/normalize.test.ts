import { describe, expect, it } from 'vitest'
import { describeDifference, firstDifference } from './difference.ts'
import { RunTexts } from './normalize.ts'

/** A recorded run of two seconds, and a run of now that began 41 days and some hours later. */
const RECORDED = { from: Date.UTC(2026, 9, 17, 22, 58, 3, 120), to: Date.UTC(2026, 9, 17, 22, 58, 5, 120) }
const NOW = { from: Date.UTC(2026, 10, 28, 9, 4, 5, 6), to: Date.UTC(2026, 10, 28, 9, 4, 5, 16) }

const texts = (constants?: ReadonlyMap<string, string>): RunTexts => new RunTexts(RECORDED, () => NOW, constants)

const difference = (recorded: unknown, now: unknown, its = texts()) =>
  firstDifference(recorded, now, { path: '', texts: its, mayDiffer: () => false })

const IDS = [
  '3b241101-e2bb-4255-8caf-4136c566a962',
  '3B241101-E2BB-4255-8CAF-4136C566A963',
  '11111111-2222-4333-8444-555555555555',
  '66666666-2222-4333-8444-555555555555',
] as const

describe('times of two runs', () => {
  /** Ways to write a time. */
  const forms: Readonly<Record<string, (time: Date) => string>> = {
    'ISO 8601': (time) => time.toISOString(),
    'ISO 8601 without a fraction': (time) => time.toISOString().replace(/\.\d+Z/u, 'Z'),
    'ISO 8601 of another zone': (time) =>
      new Date(time.getTime() + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30'),
    'ISO 8601 with nothing between': (time) => time.toISOString().replaceAll(/[-:]|\.\d+/gu, ''),
    'ISO 8601 without a zone': (time) => time.toISOString().slice(0, 19),
    'a date and a clock of minutes': (time) => time.toISOString().slice(0, 16).replace('T', ' '),
    'a date of SQL': (time) => time.toISOString().slice(0, 23).replace('T', ' '),
    'a date': (time) => time.toISOString().slice(0, 10),
    'a date with slashes': (time) => time.toISOString().slice(0, 10).replaceAll('-', '/'),
    'that of `toString`': (time) => time.toString(),
    'that of `toUTCString`': (time) => time.toUTCString(),
    'that of `toDateString`': (time) => time.toDateString(),
    'a clock of seconds': (time) => time.toISOString().slice(11, 19),
    'a clock of twelve hours': (time) => time.toLocaleTimeString('en-US', { timeZone: 'UTC' }),
    'American, in Tokyo': (time) => time.toLocaleString('en-US', { timeZone: 'Asia/Tokyo' }),
    British: (time) => time.toLocaleString('en-GB', { timeZone: 'UTC' }),
    German: (time) => time.toLocaleString('de-DE', { timeZone: 'Europe/Berlin' }),
    Dutch: (time) => time.toLocaleString('nl-NL', { timeZone: 'UTC' }),
    'a short American time': (time) =>
      time.toLocaleString('en-US', { dateStyle: 'short', timeStyle: 'short', timeZone: 'UTC' }),
    'a German date': (time) => time.toLocaleDateString('de-DE', { timeZone: 'UTC' }),
    'a long American date': (time) => time.toLocaleDateString('en-US', { dateStyle: 'full', timeZone: 'UTC' }),
    'a long American time': (time) =>
      time.toLocaleString('en-US', { dateStyle: 'long', timeStyle: 'medium', timeZone: 'UTC' }),
    'a medium British date': (time) => time.toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }),
    'milliseconds since 1970': (time) => String(time.getTime()),
    'seconds since 1970': (time) => String(Math.floor(time.getTime() / 1000)),
    'parts of seconds since 1970': (time) => (time.getTime() / 1000).toFixed(3),
  }

  it.each(Object.entries(forms))('are the same in %s, and another distance is a difference', (_, form) => {
    const [one, other] = [form(new Date(RECORDED.from + 1500)), form(new Date(NOW.from + 8))]
    expect(one).not.toBe(other)
    expect(difference(`It is ${one}: go on.`, `It is ${other}: go on.`)).toBeNull()
    const later = form(new Date(NOW.from + 3 * 86_400_000 + 4_000_000))
    expect(difference(`It is ${one}: go on.`, `It is ${later}: go on.`)).not.toBeNull()
  })

  it.each(['en-GB', 'en-US', 'de-DE'])('are the same in `%s` on a day that could be a month', (locale) => {
    const from = Date.UTC(2026, 11, 3, 9, 4, 5)
    const its = new RunTexts(RECORDED, () => ({ from, to: from + 10 }))
    const written = (time: number): string => new Date(time).toLocaleString(locale, { timeZone: 'UTC' })
    expect(its.areSame(written(RECORDED.from), written(from))).toBe(true)
    expect(its.areSame(written(RECORDED.from), written(from + 4_000_000))).toBe(false)
  })

  it('are the same if they stand as far from the runs, and not if another time was meant', () => {
    const HOUR = 3_600_000
    const [inOneHour, inOneHourNow, inTwo] = [RECORDED.from + HOUR, NOW.from + HOUR, NOW.from + 2 * HOUR]
    const iso = (time: number): string => new Date(time).toISOString()
    expect(difference(iso(inOneHour), iso(inOneHourNow))).toBeNull()
    expect(difference(iso(inOneHour), iso(inTwo))).not.toBeNull()
    expect(difference(iso(RECORDED.from + 720 * HOUR), iso(NOW.from + 720 * HOUR))).toBeNull()
    expect(difference(inOneHour, inOneHourNow)).toBeNull()
    expect(difference(inOneHour, inTwo)).not.toBeNull()
    expect(difference(Math.floor(inOneHour / 1000), Math.floor(inOneHourNow / 1000))).toBeNull()
  })

  it('are the same if both are the beginning of the day or hour', () => {
    expect(difference('2026-10-17T00:00:00.000Z', '2026-11-28T00:00:00.000Z')).toBeNull()
    expect(difference('2026-10-17T22:00:00Z', '2026-11-28T09:00:00Z')).toBeNull()
  })

  it.each([
    ['a constant date', 'Due on 2026-01-01.', 'Due on 2026-01-02.'],
    ['a constant time', 'Since 2026-01-01T08:00:00Z.', 'Since 2026-01-01T09:00:00Z.'],
    ['a time of day', 'Open at 9:00.', 'Open at 10:00.'],
    ['a closing time', 'Closes at 18:00:00.', 'Closes at 19:00:00.'],
    ['another half of a day', 'From 11:30:00 AM', 'From 11:30:00 PM'],
    ['hours of work', '09:00:00-17:30:00', '09:00:00-18:30:00'],
    ['a deadline soon', 'Due on 2026-11-05 18:00.', 'Due on 2026-11-05 19:00.'],
    ['a duration', 'It took 523 ms.', 'It took 61 ms.'],
    ['a number of as many digits', 'Call 4915112345678.', 'Call 4915112345679.'],
    ['a version', 'Version 1.2.2026', 'Version 1.2.2027'],
    ['a time beside a number', `at ${RECORDED.from} for 3`, `at ${NOW.from} for 4`],
    ['a time that is missing', `at ${RECORDED.from}`, 'at noon'],
    ['a deadline in years', 'Until 2031-05-01 12:00.', 'Until 2031-05-01 12:01.'],
    ['a deadline in years, of a zone', 'Until 2031-05-01T12:00:00Z.', 'Until 2031-05-01T12:00:59Z.'],
    ['a date in years', 'Until 2031-05-01.', 'Until 2031-05-02.'],
    ['a number of ten digits', 'Call 5551234567.', 'Call 5551234568.'],
    ['a number of thirteen digits', 'ISBN 9783161484100', 'ISBN 9783161484117'],
    ['an amount', 5_551_234_567, 5_551_234_568],
    ['another day of one date', 'On Monday, 2026-10-17', 'On Friday, 2026-10-17'],
    ['another day of a date in years', 'On Monday, 01/02/2030', 'On Friday, 01/02/2030'],
    ['a day where there was none', 'On 2026-10-17', 'On Sat, 2026-11-28'],
    ['a date where there was a time', new Date(RECORDED.from).toISOString(), '2026-11-28'],
  ])('differ as any other text: %s', (_, recorded, now) => {
    // A change may be as small as the time between two runs.
    const its = new RunTexts(RECORDED, () => ({ from: RECORDED.from + 5000, to: RECORDED.to + 5000 }))
    for (const each of [texts(), its]) {
      expect(difference(recorded, now, each)).toEqual({ path: '', recorded, now })
    }
  })

  it('are no parameters of a model, and may stand in its tools', () => {
    const [one, other] = [1_792_277_883, 1_792_277_890]
    const its = (): RunTexts =>
      new RunTexts({ from: one * 1000, to: one * 1000 }, () => ({ from: other * 1000, to: other * 1000 }))
    const asked = (settings: object): object => ({ model: { settings: [settings] } })
    const path = 'model.settings.0.seed'
    expect(difference(asked({ seed: one }), asked({ seed: other }), its())).toEqual({ path, recorded: one, now: other })
    const tools = (at: number): object => asked({ tools: [{ default: at }] })
    expect(difference(tools(one), tools(other), its())).toBeNull()
    expect(difference({ tool: { arguments: { at: one } } }, { tool: { arguments: { at: other } } }, its())).toBeNull()
  })
})

describe('identifiers of two runs', () => {
  const [a, b, c, d] = IDS

  it.each<[string, unknown, unknown]>([
    ['alone', a, c],
    ['in upper case', b, c],
    ['in texts', `The session ${a} of today`, `The session ${c} of today`],
    ['several times in one text', `${a}, ${b} and ${a}`, `${c}, ${d} and ${c}`],
    ['in code', `open("/tmp/${a}/x.py")`, `open("/tmp/${c}/x.py")`],
    ['behind a name of their kind', `order_${a}`, `order_${c}`],
    ['in names of files', `log_${a}_${RECORDED.from}.txt`, `log_${c}_${NOW.from}.txt`],
    ['behind a letter', `N${a}`, `N${c}`],
    ['without hyphens', a.replaceAll('-', ''), c.replaceAll('-', '')],
    ['as a ULID', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '01BX5ZZKBKACTAV9WEVGEMMVRZ'],
    ['in keys', { [a]: 1, [b]: 2 }, { [c]: 1, [d]: 2 }],
    ['in keys and values', { [a]: 1, last: a }, { [c]: 1, last: c }],
    ['in lists', [a, { of: b }], [c, { of: d }]],
    ['beside times', `${a} at ${RECORDED.from}`, `${c} at ${NOW.from}`],
  ])('may differ %s', (_, recorded, now) => {
    expect(difference(recorded, now)).toBeNull()
  })

  it.each<[string, unknown, unknown, string]>([
    ['two that became one', [a, b], [c, c], '1'],
    ['one that became two', [a, a], [c, d], '1'],
    ['two behind names that became one', [`order_${a}`, `order_${b}`], [`order_${c}`, `order_${c}`], '1'],
    ['a part of a longer number', `${'0'.repeat(33)}1`, `${'0'.repeat(33)}2`, ''],
    ['two in another order', `${a} ${b} ${a}`, `${c} ${d} ${d}`, ''],
    ['another value under one', { [a]: 1 }, { [c]: 2 }, a],
    ['one that is missing', { [a]: 1 }, {}, a],
    ['one that is added', {}, { [c]: 1 }, c],
    ['one that is no identifier now', a, 'none', ''],
  ])('differ: %s', (_, recorded, now, path) => {
    expect(difference(recorded, now)).toMatchObject({ path })
  })

  it('differ if the program has the same one in each run of today', () => {
    const first = texts()
    expect(difference([a, b], [c, d], first)).toBeNull()
    const second = texts(first.counterparts)
    expect(difference([a, b], ['22222222-2222-4333-8444-555555555555', d], second)).toMatchObject({ path: '1' })
    expect(second.hasFoundConstant).toBe(true)
  })
})

it('a difference of long texts is shown where they differ, behind identifiers and times that may', () => {
  const prompt = (time: string, id: string, end: string): string =>
    `It is ${time}, order ${id}. ${'Be kind. '.repeat(99)}Sell ${end}.`
  const sides = {
    recorded: prompt('2026-10-17T22:58:03Z', IDS[0], 'tea'),
    now: prompt('28 November 2026', IDS[2], 'coffee'),
  }
  const difference = { ...sides, place: '1.1', agentPath: [], path: 'model.messages.0.content' }
  expect(describeDifference(difference)).toMatch(/recorded: ….{1,99}Sell tea\.".*now: {6}….{1,99}Sell coffee\."$/su)
})

describe('the order of keys', () => {
  const schema = (keys: readonly string[]): object => ({
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, { type: 'string' }])),
  })
  const asked = (parameters: object, more: object = {}): object => ({
    model: { settings: [{ tools: [{ function: { parameters } }], ...more }] },
  })
  const path = 'model.settings.0.tools.0.function.parameters.properties'

  it('of the properties of a schema for a model is compared', () => {
    const [one, other] = [schema(['reasoning', 'answer']), schema(['answer', 'reasoning'])]
    const sides = { recorded: ['reasoning', 'answer'], now: ['answer', 'reasoning'] }
    expect(difference(asked(one), asked(other))).toEqual({ path, ...sides })
    expect(difference(asked(one), asked(one))).toBeNull()
    const inside = (each: object): object => asked({ type: 'object', properties: { properties: each } })
    expect(difference(inside(one), inside(other))).toEqual({ path: `${path}.properties.properties`, ...sides })
    const [a, , c] = IDS
    expect(difference(asked(schema([a, 'x'])), asked(schema([c, 'x'])))).toBeNull()
  })

  it('does not matter elsewhere', () => {
    const turned = (each: object): object => Object.fromEntries(Object.entries(each).toReversed())
    const one = schema(['reasoning', 'answer'])
    const inside = { type: 'object', properties: { properties: one } }
    expect(difference(asked(one, { temperature: 0 }), asked(turned(one), { temperature: 0 }))).toBeNull()
    expect(difference(asked(inside), asked({ ...inside, properties: { properties: turned(one) } }))).toBeNull()
    const other = schema(['answer', 'reasoning'])
    expect(difference({ tool: { arguments: one } }, { tool: { arguments: other } })).toBeNull()
    expect(difference({ model: { messages: [one] } }, { model: { messages: [other] } })).toBeNull()
  })
})
