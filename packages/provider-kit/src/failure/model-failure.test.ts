import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { plainCause } from './model-failure.ts'

test('a cause keeps names, messages and codes without secrets', () => {
  const root = Object.assign(new Error('connect secret-key-1'), {
    code: 'ECONNRESET',
    headers: { authorization: 'secret-key-1' },
  })
  const cause = plainCause(new TypeError('fetch failed with secret-key-1', { cause: root }), ['secret-key-1'])!
  expect(cause).toMatchObject({
    name: 'TypeError',
    message: 'fetch failed with [redacted]',
    cause: { code: 'ECONNRESET' },
  })
  expect(inspect(cause, { depth: 9, showHidden: true })).not.toContain('secret-key-1')
})
