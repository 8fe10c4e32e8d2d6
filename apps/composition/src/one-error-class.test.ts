import * as agent from '@x/agent'
import * as kernel from '@x/kernel'
import * as model from '@x/model'
import { expect, it } from 'vitest'

it.each([
  ['@x/agent', agent],
  ['@x/model', model],
])(
  '%s exports the error class and its test of the kernel, so that a program needs no third package to catch',
  (_, of) => {
    expect(of).toMatchObject({ XError: kernel.XError, isXError: kernel.isXError })
  },
)
