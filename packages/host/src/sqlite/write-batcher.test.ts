import { expect, it, onTestFinished } from 'vitest'
import { openDatabase, type Database } from './database.ts'
import { WriteBatcher } from './write-batcher.ts'

/** A database of notes that counts its transactions. */
function notes(): { db: Database; batcher: WriteBatcher; all: () => unknown[]; ends: string[] } {
  const db = openDatabase(':memory:', 0)
  onTestFinished(() => db.close())
  db.exec('CREATE TABLE notes (text TEXT PRIMARY KEY)')
  const ends: string[] = []
  const run = db.run.bind(db)
  db.run = (sql, ...values) => {
    if (sql === 'COMMIT' || sql === 'ROLLBACK') ends.push(sql)
    return run(sql, ...values)
  }
  return {
    db,
    batcher: new WriteBatcher(db),
    all: () => db.rows('SELECT text FROM notes').map(({ text }) => text),
    ends,
  }
}

it('runs the writes of one turn in one transaction, and reports each after the commit', async () => {
  const { db, batcher, all, ends } = notes()
  const note = (text: string): Promise<string> =>
    batcher.add(() => {
      db.run('INSERT INTO notes VALUES (?)', text)
      return text
    })
  const added = Promise.all(['a', 'b', 'c'].map(note))
  expect(all()).toEqual([])
  expect(await added).toEqual(['a', 'b', 'c'])
  expect(await note('d')).toBe('d')
  expect(all()).toEqual(['a', 'b', 'c', 'd'])
  expect(ends).toEqual(['COMMIT', 'COMMIT'])
})

it('rolls back only a write that fails, alone in its batch or not', async () => {
  const { db, batcher, all, ends } = notes()
  const twice = (text: string): Promise<void> =>
    batcher.add(() => {
      db.run('INSERT INTO notes VALUES (?)', `${text}1`)
      db.run('INSERT INTO notes VALUES (?)', text)
    })
  const settled = await Promise.allSettled(['a', 'a', 'b'].map(twice))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(all()).toEqual(['a1', 'a', 'b1', 'b'])
  db.run('DELETE FROM notes WHERE text LIKE ?', '_1')
  await expect(twice('b')).rejects.toThrow('UNIQUE')
  expect(all()).toEqual(['a', 'b'])
  expect(ends).toEqual(['COMMIT', 'ROLLBACK'])
})

it('rejects all writes of a transaction that cannot be committed', async () => {
  const { db, batcher, all } = notes()
  const { run } = db
  db.run = (sql, ...values) => {
    if (sql === 'COMMIT') throw new Error('the disk is full')
    return run(sql, ...values)
  }
  const settled = await Promise.allSettled(
    ['a', 'b'].map((text) => batcher.add(() => db.run('INSERT INTO notes VALUES (?)', text))),
  )
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(all()).toEqual([])
})

it('rejects all writes of a transaction that SQLite has rolled back itself', async () => {
  const { db, batcher, all } = notes()
  const note = (text: string) => batcher.add(() => db.run('INSERT INTO notes VALUES (?)', text))
  const full = batcher.add(() => {
    db.run('ROLLBACK')
    throw new Error('the disk is full')
  })
  const settled = await Promise.allSettled([note('a'), full, note('b')])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(settled).toMatchObject([{}, { reason: { message: 'the disk is full' } }, {}])
  expect(all()).toEqual([])
})

it('runs pending writes on `flush`, and splits very many into several batches', async () => {
  const { db, batcher, all, ends } = notes()
  const note = (text: string): Promise<number> => batcher.add(() => db.run('INSERT INTO notes VALUES (?)', text))
  const first = note('first')
  batcher.flush()
  expect(all()).toEqual(['first'])
  await first
  await Promise.all(Array.from({ length: 250 }, (_, i) => note(String(i))))
  expect([all().length, ends.length]).toEqual([251, 4])
})
