import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { openRecords } from './index.ts'

const PROGRAM = fileURLToPath(new URL('killed.fake.ts', import.meta.url))

/** Programs that are killed, one after the other, in one file. */
const KILLED_PROGRAMS = 50
/** Programs that write at once. */
const AT_ONCE = 5
/** Longest time that a program lives after its first flush, in milliseconds. */
const MAX_LIFE_MS = 120

/** Makes random numbers below 1 from a seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Lets a program record until it is killed; returns how many of its messages it knew to be written. */
async function killed(file: string, runId: string, life: number): Promise<number> {
  const child = spawn(process.execPath, ['--conditions=@x/source', PROGRAM, file, runId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    if (text === '') setTimeout(() => child.kill('SIGKILL'), life)
    text += part
  })
  await ended
  return Number(text.split('\n').at(-2))
}

it.each(['runs.db', 'runs.jsonl'])(
  `${KILLED_PROGRAMS} programs that are killed leave a whole file %s, with all but their last batches`,
  { timeout: 300_000 },
  async (name) => {
    const dir = mkdtempSync(join(tmpdir(), 'records-'))
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const random = randomOf(39)
    const file = join(dir, name)
    const flushed = new Map<string, number>()
    try {
      for (let n = 0; n < KILLED_PROGRAMS; n += AT_ONCE) {
        await Promise.all(
          Array.from({ length: AT_ONCE }, async (_, index) => {
            const runId = `run-${n + index}`
            flushed.set(runId, await killed(file, runId, random() * MAX_LIFE_MS))
          }),
        )
        // The next process reads what is there, and appends behind it.
        const records = openRecords(file)
        const runs = await records.list({ limit: Infinity })
        expect(runs).toHaveLength(n + AT_ONCE)
        for (const { runId, cutOff, outcome, problem, messages } of runs) {
          expect({ runId, cutOff, outcome, problem }).toEqual({ runId, cutOff: true, outcome: null, problem: null })
          const { events, info } = (await records.read(runId))!
          const said = events.flatMap((event) => (event.type === 'receivedMessage' ? [event.index] : []))
          expect(said.length).toBeGreaterThanOrEqual(flushed.get(runId)!)
          // Nothing is missing before the end, and nothing is there twice.
          expect(said).toEqual(said.map((_, index) => index))
          expect([info.problem, messages]).toEqual([null, said.length])
        }
        records.close()
      }
    } finally {
      warning.mockRestore()
      rmSync(dir, { recursive: true, force: true })
    }
  },
)

it.runIf(process.platform === 'linux').each(['runs.db', 'runs.jsonl'])(
  'a program that finds no room in %s goes on to its end, warns once, and leaves a run that says so',
  async (name) => {
    const dir = mkdtempSync(join(tmpdir(), 'records-'))
    const file = join(dir, name)
    const run = (runId: string, limit: string): ReturnType<typeof spawnSync> =>
      spawnSync(
        'bash',
        [
          '-c',
          `ulimit -f ${limit}; exec "$@"`,
          'bash',
          process.execPath,
          '--conditions=@x/source',
          PROGRAM,
          file,
          runId,
          '900',
        ],
        {
          encoding: 'utf8',
        },
      )
    try {
      expect(run('whole', 'unlimited')).toMatchObject({ status: 0, stderr: '' })
      const { status, stdout, stderr } = run('full', '700')
      expect({ status, isDone: String(stdout).endsWith('done\n') }).toEqual({ status: 0, isDone: true })
      expect(String(stderr).match(/records could not be written/gu)).toHaveLength(1)
      // There is room again.
      expect(run('later', 'unlimited')).toMatchObject({ status: 0 })
      const records = openRecords({ file, readOnly: true })
      const infos = new Map((await records.list()).map((info) => [info.runId, info]))
      for (const runId of ['whole', 'later']) {
        expect(infos.get(runId)).toMatchObject({ outcome: 'ok', cutOff: false, problem: null, messages: 900 })
      }
      const full = infos.get('full')
      expect(full === undefined || full.cutOff).toBe(true)
      if (full) {
        const { events } = (await records.read('full'))!
        expect(events.length).toBeLessThan(902)
        expect(events.flatMap((event) => (event.type === 'receivedMessage' ? [event.index] : []))).toEqual(
          Array.from({ length: events.length - 1 }, (_, index) => index),
        )
      }
      records.close()
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  },
)
