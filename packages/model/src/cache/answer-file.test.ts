import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { AnswerFile, openDatabase } from './answer-file.ts'

/** A file of answers whose clock the test sets, and another connection to it. */
function opened() {
  const dir = mkdtempSync(join(tmpdir(), 'x-answers-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'answers.db')
  const clock = { now: 0 }
  const file = new AnswerFile(dir, () => clock.now)
  onTestFinished(() => file.close('test'))
  let asked = 0
  return {
    path,
    clock,
    asked: () => asked,
    read: () => file.use('read', ({ get }) => (asked++, get.get('a'))),
    write: () => file.use('write', ({ set }) => (asked++, set.run('a', '1', 1, 0))),
    /** Another connection, which holds the file until it is closed. */
    locked(how: string): DatabaseSync {
      const other = new DatabaseSync(path)
      other.exec(how)
      return other
    },
  }
}

/** Milliseconds for which a lock may hold up a thread: a lookup and a write, in whatever number. */
const MOST = 50

test('a locked file holds up a lookup and a write by at most 50 ms together', () => {
  const { path } = opened()
  const { db } = openDatabase(join(path, '..'), path)
  const { timeout } = db.prepare('PRAGMA busy_timeout').get() as { timeout: number }
  db.close()
  expect(timeout).toBeGreaterThan(0)
  expect(2 * timeout).toBeLessThanOrEqual(MOST)
})

test('of a burst of lookups only the first tries a locked file, and after a pause the next', () => {
  const its = opened()
  expect(its.write()).toMatchObject({ value: {} })
  const other = its.locked('BEGIN IMMEDIATE')
  const before = its.asked()
  for (let round = 0; round < 20; round++) expect(its.write()).toBeUndefined()
  expect(its.asked()).toBe(before + 1)
  // Readers are not held up by a writer.
  expect(its.read()).toMatchObject({ value: { answer: '1' } })
  its.clock.now += MOST
  for (let round = 0; round < 20; round++) expect(its.write()).toBeUndefined()
  expect(its.asked()).toBe(before + 3)
  other.close()
  its.clock.now += MOST
  expect(its.write()).toMatchObject({ value: {} })
})

test('a file that another process creates is tried once, for lookups and writes together', () => {
  const its = opened()
  const other = its.locked('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE t(a)')
  for (let round = 0; round < 20; round++) expect([its.read(), its.write()]).toEqual([undefined, undefined])
  other.exec('COMMIT')
  other.close()
  // Nobody asks before the pause is over: one wait has been enough.
  expect([its.read(), its.write(), its.asked()]).toEqual([undefined, undefined, 0])
  its.clock.now += MOST
  expect(its.read()).toEqual({ value: undefined })
})
