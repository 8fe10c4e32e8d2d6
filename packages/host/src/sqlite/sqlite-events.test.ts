import type { XEvent } from '@x/interfaces'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from './database.ts'
import { migrate } from './schema.ts'
import { addEvents, SqliteEvents } from './sqlite-events.ts'
import { WriteBatcher } from './write-batcher.ts'

it('reads a page from few rows if they have many events', () => {
  const db = openDatabase(':memory:', 0)
  onTestFinished(() => db.close())
  migrate(db, ':memory:')
  const all = Array.from({ length: 2000 }, (_, seq) => ({ type: 'warning', message: 'x', seq }) as unknown as XEvent)
  for (let first = 0; first < all.length; first += 50) addEvents(db, 'a', all.slice(first, first + 50))
  let read = 0
  const rows = db.rows.bind(db)
  db.rows = (...args) => {
    const found = rows(...args)
    read += found.length
    return found
  }
  const events = new SqliteEvents(
    db,
    new WriteBatcher(db),
    () => 0,
    () => {},
  )
  const logged: XEvent[] = []
  for (let after: string | null = null; logged.length < all.length;) {
    const page = events.read('a', after, 100)
    logged.push(...page.map(({ event }) => event))
    after = page.at(-1)!.cursor
  }
  expect(logged).toEqual(all)
  expect(read).toBeLessThan(200)
})
