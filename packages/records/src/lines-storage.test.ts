import { spawnSync } from 'node:child_process'
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openLinesReader, openLinesStorage } from './lines-storage.ts'
import type { Piece } from './storage.ts'

let dir: string
let path: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
  path = join(dir, 'runs.jsonl')
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true, force: true })
})

const pieceOf = (runId: string, number = 0): Piece => ({
  runId,
  session: runId,
  number,
  text: `["f","${runId} ${number}"]`,
  summary: null,
  tags: {},
  parent: null,
})

/** Lets another process write the file anew each time that this one has opened it, at most so often. */
function replacedBehind(opened: number, act: () => void): void {
  const { openSync } = fs
  let [count, isActing] = [0, false]
  vi.spyOn(fs, 'openSync').mockImplementation((...args: Parameters<typeof openSync>) => {
    const file = openSync(...args)
    if (isActing || count >= opened) return file
    count++
    isActing = true
    act()
    isActing = false
    return file
  })
}

it('a run is read whole while another process writes the file anew', () => {
  const other = openLinesStorage(path)
  for (let n = 0; n < 9; n++) other.write([pieceOf(`run-${n}`)], true)
  const reader = openLinesReader(path)
  const { lines } = reader.read('run-4')! as { lines: Iterable<string> }
  other.remove('run-0')
  expect([...lines]).toEqual(['["s","run-4",0]', '["f","run-4 0"]'])
  // Between the opening of the file and a look at it.
  let removed = 0
  replacedBehind(3, () => void other.remove(`run-${++removed}`))
  expect([...(reader.read('run-8') as { lines: Iterable<string> }).lines]).toHaveLength(2)
  vi.restoreAllMocks()
  expect(reader.list({})).toHaveLength(8 - removed)
  for (const each of [reader, other]) each.close()
})

it.each([1, 2, 3, 4])('a file that was written anew %d times is known as another one', (times) => {
  const other = openLinesStorage(path)
  for (let n = 0; n < 9; n++) other.write([pieceOf(`run-${n}`)], true)
  const reader = openLinesReader(path)
  // The system gives the number of a removed file to a later one.
  for (let n = 0; n < times; n++) void other.remove(`run-${n}`)
  for (let n = 0; n < 9; n++) other.write([pieceOf(`later-${n}`)], true)
  expect(reader.list({})).toHaveLength(18 - times)
  for (const each of [reader, other]) each.close()
})

it('nothing is lost that is written while another process writes the file anew', () => {
  const other = openLinesStorage(path)
  for (let n = 0; n < 9; n++) other.write([pieceOf(`run-${n}`)], true)
  let removed = 0
  replacedBehind(2, () => void other.remove(`run-${removed++}`))
  const storage = openLinesStorage(path)
  for (let number = 0; number < 5; number++) storage.write([pieceOf('mine', number)], true)
  vi.restoreAllMocks()
  expect(removed).toBe(2)
  expect([...(openLinesReader(path).read('mine') as { lines: Iterable<string> }).lines]).toHaveLength(10)
  for (const each of [other, storage]) each.close()
})

it('what another process writes stays while the file is written anew', () => {
  const [storage, other] = [openLinesStorage(path), openLinesStorage(path)]
  for (const runId of ['removed', 'mine']) storage.write([pieceOf(runId)], true)
  const { renameSync } = fs
  vi.spyOn(fs, 'renameSync').mockImplementation((...args: Parameters<typeof renameSync>) => {
    other.write([pieceOf('before')], true)
    renameSync(...args)
    other.write([pieceOf('mine', 1), pieceOf('behind')], true)
  })
  void storage.remove('removed')
  vi.restoreAllMocks()
  const runs = storage.list({}) as readonly { runId: string }[]
  expect(runs.map(({ runId }) => runId).toSorted()).toEqual(['before', 'behind', 'mine'])
  expect([...(storage.read('mine') as { lines: Iterable<string> }).lines]).toHaveLength(4)
  // The first line is that of the version; none is there twice.
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(5)
  for (const each of [storage, other]) each.close()
})

it('a copy goes that a process has left which was killed while it wrote the file anew', () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const left = ['runs.jsonl', `runs.jsonl.${process.ppid}.tmp`, 'runs.jsonl.a.tmp', `other.jsonl.${pid}.tmp`]
  for (const act of ['remove', 'retain'] as const) {
    const storage = openLinesStorage(path)
    storage.write([pieceOf('run-1')], true)
    for (const name of [...left.slice(1), `runs.jsonl.${pid}.tmp`]) writeFileSync(join(dir, name), 'of a run')
    if (act === 'remove') void storage.remove('run-1')
    else storage.retain({ before: 0, maxBytes: 1e9 })
    expect(readdirSync(dir)).toEqual(left.toSorted())
    storage.close()
  }
})
