import { expect, test } from 'vitest'
import { isHostOf } from './url.ts'

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
