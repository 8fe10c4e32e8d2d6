import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openRecords, replay } from '@x/records'
import { expect, it } from 'vitest'
import { longChat } from './records-killed.fake.ts'

const PROGRAM = fileURLToPath(new URL('records-killed.fake.ts', import.meta.url))

it.each(['runs.db', 'runs.jsonl'])(
  'a program that is killed leaves runs in %s that are the same up to their end',
  async (file) => {
    const dir = mkdtempSync(join(tmpdir(), 'records-'))
    try {
      for (const events of [5000, 9000]) {
        const child = spawn(process.execPath, ['--conditions=@x/source', PROGRAM, join(dir, file)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        let told = 0
        child.stdout.on('data', (dots: Buffer) => {
          told += dots.length
          if (told > events) child.kill('SIGKILL')
        })
        await once(child, 'exit')
      }
      const records = openRecords(join(dir, file))
      const runs = await records.list()
      expect(runs).toHaveLength(2)
      for (const { runId } of runs) {
        const run = (await records.read(runId))!
        expect(run.info).toMatchObject({ outcome: null, problem: null })
        expect(run.calls.length).toBeGreaterThan(0)
        expect(await replay(run, (options) => longChat(options, true))).toEqual({
          outcome: 'same',
          text: expect.stringContaining('compared only up to where the record ends') as string,
        })
      }
      records.close()
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  },
)
