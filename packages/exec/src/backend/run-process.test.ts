import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Watch } from '../run/job.ts'
import { limitsOf } from '../run/limits.ts'
import { runProcess } from './run-process.ts'

/** Keeps the event loop until something holds. */
function block(holds: () => boolean): void {
  while (!holds());
}

const hasEnded = (pidFile: string): boolean =>
  existsSync(pidFile) && /\) Z /u.test(readFileSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}/stat`, 'utf8'))

test.skipIf(process.platform !== 'linux')(
  'what a process wrote is read, however late the program gets to it',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'x-spawned-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = (name: string): string => join(folder, name)
    const run = async (code: string, watch: Watch = {}): Promise<string> =>
      (await runProcess({ argv: ['sh', '-c', code], env: {}, cwd: folder, limits: limitsOf({ timeout: 20 }) }, watch))
        .stdout
    const blockFor = (ms: number): void => {
      const end = performance.now() + ms
      block(() => performance.now() > end)
    }
    // The second process writes and ends while the output of the first is being read: its end is told with that of the
    // first, and before its output. Then the program is busy for longer than output may come late.
    const late = run('while [ ! -e go ]; do :; done; echo $$ > .second; mv .second second; echo late')
    const early = run('echo $$ > .first; mv .first first; echo early', {
      onOutput: () => {
        setImmediate(() => blockFor(200))
        writeFileSync(file('go'), '')
        block(() => hasEnded(file('second')))
      },
    })
    block(() => hasEnded(file('first')))
    expect(await Promise.all([early, late])).toEqual(['early\n', 'late\n'])
  },
)
