import { expect, test } from 'vitest'
import { isHostOf, withQueryLast } from './url.ts'

test.each([
  ['https://acme.com', true],
  ['https://API.acme.com:443/v1', true],
  ['http://api.acme.com', false],
  ['https://evil-acme.com', false],
  ['https://acme.com.evil.org', false],
  ['https://acme.com:key@evil.org', false],
  ['https://evil.org/acme.com', false],
  ['acme.com', false],
])('%s: %s', (url, is) => {
  expect(isHostOf(url, 'acme.com')).toBe(is)
})

test.each([
  ['https://a.invalid/v1?key=b', '/go', 'https://a.invalid/v1/go?key=b'],
  ['https://a.invalid/v1?key=b/', '/go?c=1', 'https://a.invalid/v1/go?c=1&key=b'],
  ['https://a.invalid/v1?key=$&', '/go', 'https://a.invalid/v1/go?key=$&'],
  ['https://a.invalid/v1?', '/go', 'https://a.invalid/v1?/go'],
  ['https://a.invalid/v1', '/go?c=1', 'https://a.invalid/v1/go?c=1'],
])('the query of %s goes behind %s', (baseUrl, path, url) => {
  expect(withQueryLast(baseUrl.replace(/\/$/u, '') + path, baseUrl)).toBe(url)
})
