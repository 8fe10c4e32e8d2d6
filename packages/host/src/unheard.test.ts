import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const WORKER = fileURLToPath(new URL('unheard.fake.ts', import.meta.url))

/** Runs a worker with a program that does not hear a failure. */
function work(how: string): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=@x/source', WORKER, how], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  return { status, text: stdout + stderr }
}

it.each(['question', 'cancelled'])('a worker lives on where a promise around a run fails unheard: %s', (how) => {
  expect(work(how)).toEqual({ status: 0, text: 'lives on\n' })
})

it.each(['left', 'late'])(
  'a worker lives on where a program ends before what it has begun, and tells it: %s',
  (how) => {
    expect(work(how)).toEqual({ status: 0, text: '`run` has ended: await what it starts\nlives on\n' })
  },
)

it('a worker ends by an error of a program that nobody hears, as Node does', () => {
  const { status, text } = work('broken')
  expect(status).toBe(1)
  expect(text).toContain('Error: broken by its program')
  expect(text).not.toContain('lives on')
})
