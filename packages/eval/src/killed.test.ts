import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { evaluate } from './index.ts'
import { evaluationIn, TASK_COUNT } from './killed.fake.ts'

const PROGRAM = fileURLToPath(new URL('killed.fake.ts', import.meta.url))

/** There, programs are not stopped, and links are not made by everybody. */
const IS_WINDOWS = process.platform === 'win32'
/** Answers behind which programs are killed, one after the other: some more come until they are. The last one lives. */
const KILLED_BEHIND = [5, 70, Infinity]

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'x-eval-killed-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

it.skipIf(IS_WINDOWS)(
  'pays for no answer twice, beside a living process and behind killed ones',
  { timeout: 60_000 },
  async () => {
    const folder = newFolder()
    const [file, paid] = [join(folder, 'answers.jsonl'), join(folder, 'paid')]
    let said: readonly string[] = []
    for (const behind of KILLED_BEHIND) {
      const child = spawn(process.execPath, ['--conditions=@x/source', PROGRAM, file, paid], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'close')
      let text = ''
      for await (const part of child.stdout.setEncoding('utf8')) {
        text += part as string
        if (child.killed || text.split('\n').length <= behind) continue
        child.kill('SIGSTOP')
        await expect(evaluate(evaluationIn(file, paid))).rejects.toMatchObject({
          code: 'invalid-state',
          message: `cannot evaluate with the answers in \`${file}\`: process ${child.pid} writes them; wait until it has ended, or name another file`,
        })
        child.kill('SIGKILL')
      }
      expect(await ended).toEqual(behind === Infinity ? [0, null] : [null, 'SIGKILL'])
      said = text.trim().split('\n')
    }
    expect(said).toHaveLength(TASK_COUNT)
    expect(said.filter((line) => !line.includes(' 1 '))).toEqual([])
    expect(said.filter((line) => line.endsWith('true')).length).toBeGreaterThanOrEqual(70)
    const asked = readFileSync(paid, 'utf8').trim().split('\n')
    expect(new Set(asked).size).toBe(TASK_COUNT)
    // Each killed process loses the answer under way.
    expect(asked.length).toBeLessThanOrEqual(TASK_COUNT + KILLED_BEHIND.length - 1)
  },
)

it.skipIf(IS_WINDOWS)(
  'is locked within a process too, by whatever link it is named, and is free behind each end',
  async () => {
    const folder = newFolder()
    const [file, link] = [join(folder, 'answers.jsonl'), join(folder, 'link.jsonl')]
    writeFileSync(file, '')
    symlinkSync(file, link)
    const ask = { id: 't', input: 'Who?', expected: 'I' }
    const outer = await evaluate({
      tasks: [ask],
      file,
      scorer: ({ text }) => ({ score: true, reason: text }),
      contestants: [
        {
          name: 'recursive',
          answer: async () => {
            try {
              await evaluate({ tasks: [ask], file: link, contestants: [{ name: 'inner', answer: () => '' }] })
              return 'it was free'
            } catch (error) {
              return (error as Error).message
            }
          },
        },
      ],
    })
    expect(outer.cells[0]!.answer).toContain('an evaluation of this process writes them')
    writeFileSync(file, 'hello')
    const again = { tasks: [ask], file: link, contestants: [{ name: 'inner', answer: () => '' }] }
    for (const _ of [1, 2]) await expect(evaluate(again)).rejects.toThrow('has no answers of an evaluation')
    writeFileSync(`${file}-lock`, 'this is no database of SQLite, and longer than its header')
    await expect(evaluate(again)).rejects.toThrow(`\`${file}-lock\` is no lock: remove it`)
    expect(existsSync(`${link}-lock`)).toBe(false)
  },
)

it.skipIf(IS_WINDOWS)(
  'stops at once when its file cannot grow, and keeps what it has',
  { timeout: 30_000 },
  async () => {
    const folder = newFolder()
    const [file, paid] = [join(folder, 'answers.jsonl'), join(folder, 'paid')]
    const limited = `ulimit -f 8; exec "$0" --conditions=@x/source "$@"`
    const child = spawn('sh', ['-c', limited, process.execPath, PROGRAM, file, paid, '4'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part))
    expect(await once(child, 'close')).toEqual([1, null])
    expect(said).toContain(`cannot keep answers in \`${file}\` (EFBIG: file too large, write): make room`)
    const asked = readFileSync(paid, 'utf8').trim().split('\n')
    expect(asked.length).toBeLessThan(TASK_COUNT)
    // Those under way are lost, and no more is asked.
    expect(readFileSync(file, 'utf8').split('{"answer"').length - 1).toBeGreaterThanOrEqual(asked.length - 5)
  },
)
