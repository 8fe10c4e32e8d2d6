import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRecords } from '@x/records'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openLog } from './log-source.ts'
import sell from './shop.fake.ts'

it('a file that a command opens to change it keeps its runs, however old they are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'x-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'runs.db')
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2020-01-01') })
  const archive = openRecords({ file, keepDays: 10_000 })
  await sell({ tracer: archive })
  archive.close()
  vi.useRealTimers()
  await using source = await openLog(file, {}, true)
  // As the studio does, when a run goes on from a step, or an agent is chatted with.
  await sell({ tracer: source.records })
  source.records!.flush()
  expect(await source.list()).toHaveLength(2)
})
