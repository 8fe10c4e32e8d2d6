import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const PROCESS = fileURLToPath(new URL('session-process.fake.ts', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'killed-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Starts the process on a chat and kills it when it has printed so many lines; gives the messages if it came to its end. */
async function started(name: string, lines: number): Promise<unknown> {
  const args = ['--conditions=@x/source', PROCESS, join(folder, name), join(folder, `${name}.effects`)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    if (text.split('\n').length > lines) child.kill('SIGKILL')
  })
  const [status] = (await once(child, 'close')) as [number | null]
  if (status === null) return null
  expect(status).toBe(0)
  return JSON.parse(text.trimEnd().split('\n').at(-1)!)
}

const effects = (name: string): string[] =>
  readFileSync(join(folder, `${name}.effects`), 'utf8')
    .trimEnd()
    .split('\n')
    .toSorted()

it('a chat whose process is killed again and again comes out the same', { timeout: 60_000 }, async () => {
  const whole = await started('whole', Infinity)
  expect(whole).toHaveLength(12)

  let kills = 0
  let messages: unknown = null
  for (const lines of [1, 2, 3, 1, 4, 2, Infinity]) {
    messages = await started('killed', lines)
    if (messages !== null) break
    kills++
  }
  expect(kills).toBeGreaterThan(3)
  expect(messages).toEqual(whole)
  // A kill between a tool's effect and the line that keeps its answer is the only way to see an effect twice.
  const extra = effects('killed').length - effects('whole').length
  expect(extra).toBeLessThanOrEqual(kills)
  expect([...new Set(effects('killed'))]).toEqual([...new Set(effects('whole'))])
})
