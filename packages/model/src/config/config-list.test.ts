import { expect, test } from 'vitest'
import { configListFromJson } from './config-list.ts'

const KEY = 'sk-canary-0123456789abcdef'
const json = JSON.stringify([
  { model: 'a', api_key: KEY, tags: ['x'] },
  { model: 'b', baseUrl: 'http://b' },
])
const files: Readonly<Record<string, string>> = {
  'list.json': json,
  'there/list.json': '{"model":"only"}',
  'marked.json': '\uFEFF{"model":"marked"}',
  'bad.json': `[{"model":\n "a", api_key: "${KEY}"}]`,
}
const readFile = (path: string): string => {
  const text = files[path]
  if (text === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' })
  return text
}
const read = (name: string, options: object = {}) => configListFromJson(name, { env: {}, readFile, ...options })
const error = (call: () => unknown): Error => {
  try {
    call()
  } catch (reason) {
    return reason as Error
  }
  throw new Error('nothing was thrown')
}

test('from a variable, from a file it names, from a file', () => {
  const both = [
    { model: 'a', apiKey: KEY, tags: ['x'] },
    { model: 'b', baseUrl: 'http://b' },
  ]
  expect(read('LIST', { env: { LIST: json } })).toEqual(both)
  expect(read('LIST', { env: { LIST: 'list.json' } })).toEqual(both)
  expect(read('list.json')).toEqual(both)
  expect(read('list.json', { fileLocation: 'there/' })).toEqual([{ model: 'only' }])
  expect(read('marked.json')).toEqual([{ model: 'marked' }])
})

test('a filter keeps what has one of its values', () => {
  const typed = { env: { LIST: '[{"model":"a","api_type":"openai"},{"model":"b","api_type":"azure"}]' } }
  expect(read('LIST', { ...typed, filterDict: { api_type: ['azure'] } })).toEqual([{ model: 'b', apiType: 'azure' }])
  expect(read('list.json', { filterDict: { model: ['b', 'c'] } })).toHaveLength(1)
  expect(read('list.json', { filterDict: { tags: ['x'] } })).toMatchObject([{ model: 'a' }])
})

test.each<[string, () => unknown, RegExp]>([
  ['nothing of that name', () => read('LIST'), /a file, which cannot be read \(ENOENT\): .*environment variable/u],
  ['the usual file, not there', () => read('OAI_CONFIG_LIST'), /^the file `OAI_CONFIG_LIST`, which cannot/u],
  ['a file that is not there', () => read('none.json'), /the file `none\.json`, which cannot be read \(ENOENT\)/u],
  [
    'a variable that names no file',
    () => read('LIST', { env: { LIST: 'none.json' } }),
    /variable `LIST` names the file `none\.json`/u,
  ],
  ['an empty variable', () => read('LIST', { env: { LIST: ' ' } }), /variable `LIST` is empty/u],
  ['a key in the variable', () => read('LIST', { env: { LIST: KEY } }), /variable `LIST` names a file/u],
  ['bad JSON', () => read('bad.json'), /`bad\.json` is not JSON \(line \d+, column \d+\)/u],
  [
    'bad JSON in a variable',
    () => read('LIST', { env: { LIST: `[{"api_key": "${KEY}` } }),
    /variable `LIST` is not JSON/u,
  ],
  ['an empty list', () => read('LIST', { env: { LIST: '[]' } }), /empty list/u],
  [
    'an unknown key',
    () => read('LIST', { env: { LIST: `[{"model":"a","api_kye":"${KEY}"}]` } }),
    /entry 0 of the environment variable `LIST` has an unknown key `api_kye`: did you mean `apiKey`/u,
  ],
  [
    'a filter that empties it',
    () => read('list.json', { filterDict: { model: ['z'] } }),
    /passes the filter on `model`: it has the models `a`, `b`/u,
  ],
  ['an entry that is not an object', () => read('LIST', { env: { LIST: '[1]' } }), /entry 0 .* is not an object/u],
])('%s', (_, call, text) => {
  const { message, stack } = error(call)
  expect(message).toMatch(text)
  expect(message + String(stack)).not.toContain(KEY)
})
