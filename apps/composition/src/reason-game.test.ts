import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const MAIN = fileURLToPath(import.meta.resolve('../../../packages/cli/src/main.ts'))
const TASK = fileURLToPath(import.meta.resolve('../../game-of-24/src/task.ts'))

it('x reason plays Game of 24 with the task of the example', () => {
  const words = ['--conditions=@x/source', MAIN, 'reason', '4 5 6 10', '--task', TASK]
  const printed = execFileSync(process.execPath, words, {
    encoding: 'utf8',
    // Without its compile cache, each program takes the types out of its sources anew.
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    },
  })
  expect(printed).toMatch(/^verified: [^]*Answer: .* = 24\n$/mu)
  expect(printed).toMatch(/\d+ calls · \d+k? tokens/u)
})
