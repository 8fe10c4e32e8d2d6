import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

test.each([
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  [{ 'retry-after': '2.5' }, 2500],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:01:00 GMT' }, 59_000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{}, undefined],
])('a wait asked for by %j', (headers, ms) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), () => 1000)).toBe(ms)
})
