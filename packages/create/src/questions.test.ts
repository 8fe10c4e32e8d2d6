import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
/** Runs a program at a pseudo terminal. */
const SCRIPT = '/usr/bin/script'
const [ENTER, DOWN, CTRL_C] = ['\r', '\u001B[B', '\u0003']

const hasScript = spawnSync(SCRIPT, ['--version']).stdout?.includes('util-linux')
if (!hasScript) console.warn(`skipped: a pseudo terminal: there is no \`${SCRIPT}\` of util-linux`)

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'questions-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** Runs the command at a terminal, and answers each question when it is there, in this order. */
async function answer(flags: string, answers: readonly (readonly [question: string, keys: string])[]) {
  const command = `stty cols 80 rows 24; exec '${process.execPath}' '${MAIN}' app ${flags}`
  const child = spawn(SCRIPT, ['-qefc', command, '/dev/null'], { cwd, env: { ...process.env, TERM: 'xterm' } })
  const waiting = [...answers]
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    const [question, keys] = waiting[0] ?? []
    if (question === undefined || !text.includes(question)) return
    waiting.shift()
    child.stdin.write(keys!)
  })
  const [status] = (await once(child, 'close')) as [number | null]
  expect(waiting, text).toEqual([])
  return { text, status }
}

describe.skipIf(!hasScript)('the questions at a terminal', { timeout: 60_000 }, () => {
  it('begin with the answers of --yes', async () => {
    const { text, status } = await answer('', [
      ['Whose model answers?', ENTER],
      ['What is it?', `${DOWN}${DOWN}${ENTER}`],
      ['With tests?', ENTER],
      ['In TypeScript?', ENTER],
    ])
    expect(status).toBe(0)
    expect(text).toContain('npm install')
    expect(readFileSync(join(cwd, 'app/src/model.ts'), 'utf8')).toContain("openai('gpt-5-mini')")
    expect(existsSync(join(cwd, 'app/src/group.test.ts'))).toBe(true)
  })

  it('leave out what a flag has answered', async () => {
    const { text } = await answer('--provider google --kind chat --no-tests', [['In TypeScript?', 'n']])
    expect(text).not.toMatch(/Whose model|What is it|With tests/u)
    expect(existsSync(join(cwd, 'app/src/main.js'))).toBe(true)
  })

  it('make nothing when the person leaves', async () => {
    const { text, status } = await answer('', [['Whose model answers?', CTRL_C]])
    expect(status).toBe(1)
    expect(text).toContain('Nothing was made.')
    expect(existsSync(join(cwd, 'app'))).toBe(false)
  })
})
