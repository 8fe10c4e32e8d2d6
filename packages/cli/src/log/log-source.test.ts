import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRecords } from '@x/records'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runLog } from './run-log.fake.ts'
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

it('runs are found by a tag as it is printed, also where its name has `=`', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'x-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'runs.db')
  const records = openRecords(file)
  await sell({ tracer: records.tagged({ 'a=b': 'c', app: 'shop' }) })
  await sell({ tracer: records.tagged({ a: 'b=c', app: 'shop' }) })
  await sell({ tracer: records.tagged({ a: 'b', app: 'shop' }) })
  records.close()
  const found = async (...tags: string[]): Promise<number> => {
    const { text } = await runLog(folder, 'ls', file, '--json', ...tags.flatMap((tag) => ['--tag', tag]))
    return text.split('\n').filter((line) => line.startsWith('{')).length
  }
  expect(await found('a=b=c')).toBe(2)
  expect(await found('a=b=c', 'app=shop')).toBe(2)
  expect(await found('a=b=c', 'app=bank')).toBe(0)
  expect(await found('a=b')).toBe(1)
  expect(await found('a=b', 'a=c')).toBe(0)
  expect(await found('a=c', 'a=b')).toBe(0)
  expect(await found('app=shop')).toBe(3)
})
