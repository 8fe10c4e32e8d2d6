import { describe, expect, test } from 'vitest'
import { option, readOptions } from './read-options.ts'

const TEST_KINDS = {
  on: option.boolean,
  size: option.number,
  name: option.text,
  names: option.either(option.text, option.list(option.text)),
  life: option.oneOf(true, false, '5m'),
  fields: option.object,
  inner: option.shape({ level: option.oneOf('low', 'high') }),
  closed: option.shape({ thinking: option.boolean }, true),
  settings: option.list(option.shape({ limit: option.number })),
}

test('reads options of the right type; leaves out null, undefined and other keys', () => {
  const options = {
    on: false,
    size: 0,
    names: ['a'],
    life: '5m',
    inner: { level: 'low', x: 1 },
    settings: [{ limit: 1 }],
  }
  expect(readOptions({ ...options, name: null, fields: undefined, other: 1 }, TEST_KINDS)).toEqual({
    ...options,
    inner: { level: 'low' },
  })
})

describe('names a value of another type and the expected kind', () => {
  test.each([
    [{ on: 'yes' }, '`on` cannot be used: it is the text "yes"; give true or false'],
    [{ size: Number.NaN }, '`size` cannot be used: it is NaN; give a number'],
    [{ name: ['a'] }, '`name` cannot be used: it is a list of 1; give a text'],
    [{ names: [1] }, '`names` cannot be used: it is a list of 1; give a text or a list, each item a text'],
    [{ life: '2h' }, '`life` cannot be used: it is the text "2h"; give true, false or \'5m\''],
    [{ fields: [] }, '`fields` cannot be used: it is a list of 0; give an object'],
    [{ inner: { level: 1 } }, "`inner.level` cannot be used: it is 1; give 'low' or 'high'"],
    [{ closed: { thinkin: true } }, '`closed.thinkin` is unknown: did you mean `thinking`?'],
    [{ closed: { other: true } }, '`closed.other` is unknown: choose among `thinking`'],
    [{ settings: [{}, { limit: {} }] }, '`settings.1.limit` cannot be used: it is an object; give a number'],
  ])('%j', (data, text) => {
    expect(() => readOptions(data, TEST_KINDS)).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: `the config key ${text}` }) as Error,
    )
  })

  test('does not show a long text, which may be a secret', () => {
    expect(() => readOptions({ on: 'sk-0123456789-0123456789' }, TEST_KINDS)).toThrow('it is a text of 24 characters')
  })
})
