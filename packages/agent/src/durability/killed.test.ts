import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { ChatJournal } from '../index.ts'

const program = fileURLToPath(new URL('killed-process.fake.ts', import.meta.url))

const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
const linesOf = (file: string): string[] => read(file).split('\n').filter(Boolean)

/** Runs one process of the chat until it kills itself at a moment; gives its result if it came to one. */
async function ran(files: readonly [journal: string, effects: string], moments: number): Promise<string | undefined> {
  const child = spawn(process.execPath, ['--conditions=@x/source', program, ...files, String(moments)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said, [status, signal]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (signal === 'SIGKILL') return undefined
  expect(status).toBe(0)
  return said
}

it('goes on in another process, however often it is killed, and does nothing twice that was answered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'killed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const whole = [join(folder, 'whole'), join(folder, 'whole-effects')] as const
  const expected = await ran(whole, Infinity)
  expect(expected).toBeDefined()
  const effects = linesOf(whole[1])
  expect(new Set(effects).size).toBe(effects.length)

  const files = [join(folder, 'journal'), join(folder, 'effects')] as const
  const moments = fc.sample(fc.integer({ min: 3, max: 20 }), { numRuns: 100, seed: 9 })
  let result: string | undefined
  let kills = 0
  let answered: string[] = []
  while (result === undefined) {
    const before = linesOf(files[1])
    result = await ran(files, moments[kills++]!)
    // What had answered when the process began was not done again.
    const done = linesOf(files[1]).slice(before.length)
    expect(done.filter((each) => answered.includes(each))).toEqual([])
    const { entries } = ChatJournal.parse(read(files[0])).saveState()
    const calls = entries.filter(({ kind }) => kind === 'tool').length
    if (calls === linesOf(files[1]).length) answered = linesOf(files[1])
    // A process that is killed while it writes leaves a part of a line.
    if (result === undefined && kills % 3 === 0) appendFileSync(files[0], '\n{"place":"1.99","kind":"tool","val')
  }
  expect(kills).toBeGreaterThan(1)
  expect(result).toBe(expected)
  expect(new Set(linesOf(files[1]))).toEqual(new Set(effects))
})
