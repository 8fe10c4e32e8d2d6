import { expect, it } from 'vitest'
import { openDatabase, type Database, type Row } from './database.ts'
import { migrate } from './schema.ts'
import { SqliteStore } from './sqlite-store.ts'
import { WriteBatcher } from './write-batcher.ts'

const KIND = { name: 'clerk', version: '1' }

it('submits a chat while another process deletes an old chat with the same identifier', () => {
  const db = openDatabase(':memory:', 0)
  migrate(db, ':memory:')
  const other = new SqliteStore(
    db,
    new WriteBatcher(db),
    () => 0,
    () => {},
  )
  other.submit({ id: 'a', ...KIND, input: 'old' })
  other.cancel('a', 'enough')
  /** Deletes the chat as soon as an insert has found it. */
  const racing = {
    row(...[sql, ...values]: Parameters<Database['row']>): Row | undefined {
      const row = db.row(sql, ...values)
      if (!row && sql.includes('INSERT INTO chats')) other.delete('a')
      return row
    },
  }
  const store = new SqliteStore(
    racing as never,
    new WriteBatcher(db),
    () => 0,
    () => {},
  )
  expect(store.submit({ id: 'a', ...KIND, input: 'new' })).toMatchObject({ chat: { input: 'new' }, isNew: true })
  db.close()
})
