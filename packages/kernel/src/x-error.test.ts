import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { XError, isXError } from './index.ts'

it('says what went wrong and carries what it was given', () => {
  const cause = new Error('socket closed')
  const error = new XError('model-failed', 'no config answered', {
    cause,
    kind: 'connection',
    status: 502,
    retryAfterMs: 1500,
    details: { model: 'm' },
    attempts: [{ configId: 0, model: 'm', kind: 'connection', message: 'socket closed', ms: 3 }],
  })
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({
    name: 'XError',
    code: 'model-failed',
    message: 'no config answered',
    cause,
    kind: 'connection',
    status: 502,
    retryAfterMs: 1500,
    details: { model: 'm' },
    attempts: [{ configId: 0 }],
  })
  expect(inspect(error)).toMatch(/^XError: no config answered/)
})

it('is named as every abort is, so that code which knows no `XError` can tell one', () => {
  const aborted = new XError('aborted', 'stopped by the caller')
  expect([aborted.name, aborted.code, String(aborted)]).toEqual([
    'AbortError',
    'aborted',
    'AbortError: stopped by the caller',
  ])
  expect(inspect(aborted)).toMatch(/^XError \[AbortError\]: stopped by the caller/)
  expect(new XError('timeout', 'too slow').name).toBe('XError')
})

it('has no cause unless one is given', () => {
  expect('cause' in new XError('aborted', 'stopped')).toBe(false)
  expect('cause' in new XError('aborted', 'stopped', { cause: undefined })).toBe(true)
})

it('is recognised by its brand and code, also from another copy of the package', () => {
  const error = new XError('timeout', 'too slow')
  class OtherCopy extends Error {
    code = 'timeout'
  }
  Object.defineProperty(OtherCopy.prototype, Symbol.for('@x/error'), { value: true })
  for (const known of [error, new OtherCopy()]) {
    expect([isXError(known), isXError(known, 'timeout'), isXError(known, 'aborted')]).toEqual([true, true, false])
  }
  for (const other of [new Error('timeout'), { code: 'timeout' }, 'timeout', null, undefined]) {
    expect(isXError(other)).toBe(false)
  }
})
