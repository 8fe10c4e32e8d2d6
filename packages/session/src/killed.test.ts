import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const PROCESS = fileURLToPath(new URL('session-process.fake.ts', import.meta.url))

/** Moments at which the processes are killed, one after the other. */
const KILL_MOMENTS = [1, 4, 8, 9, 11, 5, 16]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'killed-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Starts the process on a chat, to be killed at a moment; returns the messages if the process came to its end. */
async function started(name: string, moments: number): Promise<unknown> {
  const files = [join(folder, name), join(folder, `${name}.effects`)]
  const args = ['--conditions=@x/source', PROCESS, ...files, String(moments)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said, [status, signal]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (signal === 'SIGKILL') return null
  expect(status).toBe(0)
  return JSON.parse(said)
}

const effects = (name: string): string[] =>
  readFileSync(join(folder, `${name}.effects`), 'utf8')
    .trimEnd()
    .split('\n')
    .toSorted()

it('a chat ends the same when its process is killed again and again', { timeout: 60_000 }, async () => {
  const whole = await started('whole', Infinity)
  expect(whole).toHaveLength(12)

  for (const moment of KILL_MOMENTS) expect(await started('killed', moment)).toBe(null)
  const messages = await started('killed', Infinity)
  expect(messages).toEqual(whole)
  // An effect happens twice only if the process was killed between the effect and the line that records its answer.
  const extra = effects('killed').length - effects('whole').length
  expect(extra).toBeLessThanOrEqual(KILL_MOMENTS.length)
  expect([...new Set(effects('killed'))]).toEqual([...new Set(effects('whole'))])
})
