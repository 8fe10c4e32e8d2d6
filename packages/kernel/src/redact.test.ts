import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { guardSecrets, redact, redactData, secretsOf } from './redaction.ts'

const KEY = 'Canary"Of/2026+Key%x \\<é>\'!'

const percent = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/gu, (c) => `%${c.charCodeAt(0).toString(16)}`)

const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('a secret is hidden', () => {
  test.each<[string, string]>([
    ['as it is', KEY],
    ['in JSON', JSON.stringify({ key: KEY })],
    ['in JSON within JSON', JSON.stringify({ body: JSON.stringify({ key: KEY }) })],
    ['in JSON with escaped slashes', JSON.stringify(KEY).replaceAll('/', String.raw`\/`)],
    [
      'in JSON of ASCII',
      JSON.stringify(KEY).replaceAll(/[<>&'\u007f-\uffff]/gu, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
    ['in a URL', `https://a.invalid/?q=${encodeURIComponent(KEY)}`],
    [
      'in a URL, with digits in lower case',
      `q=${encodeURIComponent(KEY).toLowerCase().replace('canary', 'Canary').replace('of', 'Of').replace('key', 'Key')}`,
    ],
    ['in a URL, with more encoded', percent(KEY)],
    ['in a URL, with slashes', encodeURIComponent(KEY).replaceAll('%2F', '/')],
    ['in a form', new URLSearchParams({ key: KEY }).toString()],
    ['in HTML', KEY.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    ['in base64', base64(KEY)],
    ['in base64 behind one character', base64(`:${KEY}`)],
    ['in base64 behind two characters', base64(`a:${KEY} and more`)],
    ['in base64 for URLs', Buffer.from(`me:${KEY}`).toString('base64url')],
    ['cut off', `{"error":"no key Canary"Of/2`],
    ['cut off in base64', base64(KEY).slice(0, 14)],
  ])('%s', (_, text) => {
    const clean = redact(text, [KEY])
    expect(clean).toContain('[redacted]')
    for (const part of ['anary', 'Of/20', '2026', base64(KEY).slice(4, 12), base64(`:${KEY}`).slice(4, 12)]) {
      expect(clean).not.toContain(part)
    }
  })

  test('in a text however long, each time', () => {
    expect(redact(`${'a'.repeat(1000)}${KEY} ${KEY}b`, [KEY])).toBe(`${'a'.repeat(1000)}[redacted] [redacted]b`)
  })

  test('in keys and values of data', () => {
    expect(redactData({ [KEY]: [{ a: `x ${KEY}` }, 1, null] }, new Set([KEY]))).toEqual({
      '[redacted]': [{ a: 'x [redacted]' }, 1, null],
    })
  })
})

test('what looks like a key is hidden, too', () => {
  const text = 'sk-proj-abcdefgh1234 Bearer abcdefgh1234 https://me:pass@host/?api_key=abc&x=1'
  expect(redact(text, [])).toBe('[redacted] [redacted] https://[redacted]@host/?api_key=[redacted]&x=1')
})

test.each([
  'gsk_0123456789abcdefABCD',
  'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
  'github_pat_0123456789abcdefghij',
  'hf_0123456789abcdefghijklmnop',
  'AKIA0123456789ABCDEF',
  'xoxb-0123456789-abcdefghij',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  'sk_live_0123456789abcdefghij',
  'csk-0123456789abcdefghij',
  'tgp_v1_0123456789abcdefghij-AB',
  'ABSKQmVkcm9ja0FQSUtleS0wMTIz',
  'AQ.Ab8RN6J0123456789abcdefghij',
  'ya29.a0AfH6SMB0123456789abcdef',
])('a key by its form: %s', (key) => {
  expect(redact(`no ${key}, sorry`, [])).toBe('no [redacted], sorry')
  expect(redact(key.repeat(2), [])).toBe('[redacted]')
})

test.each([
  ['OPENAI_API_KEY=assigned', 'OPENAI_API_KEY=[redacted]'],
  ["token='a b c d' x", "token='[redacted]' x"],
  ['{"api_key":"abcd e","model":"m"}', '{"api_key":"[redacted]","model":"m"}'],
  [String.raw`"{\"access_token\": \"abcd\", \"a\": 1}"`, String.raw`"{\"access_token\": \"[redacted]\", \"a\": 1}"`],
  ["{ apiKey: 'abcd' }", "{ apiKey: '[redacted]' }"],
  ['token=abcd password=efgh&a=b', 'token=[redacted] password=[redacted]&a=b'],
  ['passphrase=open-9 passwd=abcd', 'passphrase=[redacted] passwd=[redacted]'],
  ['x-api-key: abcdefghij', 'x-api-key: [redacted]'],
  ['Ocp-Apim-Subscription-Key: abcdefghij', 'Ocp-Apim-Subscription-Key: [redacted]'],
  ['no fw_0123456789abcdefghij', 'no [redacted]'],
])('what stands under the name of a secret: %s', (text, clean) => {
  expect(redact(text, [])).toBe(clean)
  expect(redact(clean, [])).toBe(clean)
})

test.each([
  'Unexpected token: }',
  'Unexpected token < in JSON at position 0',
  'if (token === null) return',
  'max_tokens=4096, total_tokens: 1000000000000',
  '"token":{"type":"string"}',
  'password: Required',
  'primary_key=order_id',
  'fw_core_handle_bus_reset failed',
])('prose and code about secrets stay: %s', (text) => {
  expect(redact(text, [])).toBe(text)
})

test.each([
  ['https://h/back?code=4%2F0AX4XfWhabcdefg&state=x', 'https://h/back?code=[redacted]&state=x'],
  ['https://h/?pwd=hunter22&jwt=abcd&a=b', 'https://h/?pwd=[redacted]&jwt=[redacted]&a=b'],
  ['https://h/?X-Amz-Date=2026&X-Amz-Signature=0a1b', 'https://h/?X-Amz-Date=2026&X-Amz-Signature=[redacted]'],
  [String.raw`{"url":"https://h/?a=1\u0026sig=abcd"}`, String.raw`{"url":"https://h/?a=1\u0026sig=[redacted]"}`],
  ['https://0123456789abcdef0123@host/1', 'https://[redacted]@host/1'],
  ['https://me:p@ss@host/1', 'https://[redacted]@host/1'],
])('what a URL has as a secret: %s', (text, clean) => {
  expect(redact(text, [])).toBe(clean)
})

test.each(['https://h/?code=404&country_code=DE&zip_code=10115', 'https://me@host/', 'https://h/@user/a@b'])(
  'ordinary parts of a URL stay: %s',
  (text) => {
    expect(redact(text, [])).toBe(text)
  },
)

test('a text of a few letters is no secret, and other texts stay', () => {
  expect(redact('ab abcdef', ['ab', 'secret'])).toBe('ab abcdef')
})

test('secrets of an entry: keys, headers, and those of its URL', () => {
  const secrets = secretsOf({
    model: 'gpt-5-mini',
    apiKey: ' key-one \n',
    baseUrl: 'https://me:pass%20word@host/v1?token=in-the-query&region=somewhere',
    defaultHeaders: { Authorization: 'Bearer of-a-header', 'X-Team': 'the-blue-team' },
    cache_tokens: 'not-a-secret',
    aws_secret: 'of-the-entry',
  })
  expect([...secrets]).toEqual([
    ' key-one \n',
    'key-one',
    'of-the-entry',
    'Bearer of-a-header',
    'of-a-header',
    'the-blue-team',
    'pass%20word',
    'pass word',
    'in-the-query',
  ])
  expect([...secretsOf({ baseUrl: 'https://token-alone@host' })]).toEqual(['token-alone'])
  expect([
    ...secretsOf({
      baseUrl:
        'https://host/?sig=signed&X-Amz-Signature=signed-too&code=0123456789abcdef&design=of-oak&lang=english&country_code=germany',
    }),
  ]).toEqual(['signed', 'signed-too', '0123456789abcdef'])
  expect([...secretsOf({ baseUrl: 'no url', apiKey: async () => 'later-on' })]).toEqual([])
})

test('an entry that is printed shows no key, and has it for who reads it', () => {
  class Cache {
    readonly password = 'sesame-open-9'
  }
  const entry = {
    provider: Object.defineProperty(() => {}, 'name', { value: '@x/provider-acme' }),
    model: 'm',
    apiKey: 'k',
    passphrase: 'p',
    baseUrl: 'sk-in-the-wrong-place',
    fetch: () => {},
    defaultHeaders: { authorization: 'Bearer abcdefgh', accept: 'a' },
    cache: new Cache(),
    stop: ['one', 'sk-0123456789abcdef'],
  }
  const guarded = guardSecrets(entry)
  const shown = {
    provider: '@x/provider-acme',
    model: 'm',
    apiKey: '[redacted]',
    passphrase: '[redacted]',
    baseUrl: '[redacted]',
    fetch: '[function fetch]',
    defaultHeaders: { authorization: '[redacted]', accept: '[redacted]' },
    cache: '[Cache]',
    stop: ['one', '[redacted]'],
  }
  expect(JSON.parse(JSON.stringify(guarded))).toEqual(shown)
  expect(inspect(guarded, { depth: 9 })).toBe(inspect(shown, { depth: 9 }))
  expect({ ...guarded }).toEqual(entry)
  expect(Object.isFrozen(guarded)).toBe(true)
})

test('the shortest texts that hide something', () => {
  expect(redact('//:x@', [])).toBe('//[redacted]@')
  expect(redact('secret', ['secret'])).toBe('[redacted]')
  expect(redact('?sig=x', [])).toBe('?sig=[redacted]')
  expect(redact('6 ms', ['secret'])).toBe('6 ms')
})
