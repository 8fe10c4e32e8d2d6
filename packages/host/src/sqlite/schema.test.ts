import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { MIGRATIONS_SQL } from './schema.ts'
import { sqlite } from './sqlite.ts'

/** Version of a file before messages had keys and failures counted. */
const OLD_VERSION = 3

it('a file of an older version is migrated, and its chats continue', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'host-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'old.db')
  const old = new DatabaseSync(path)
  for (const change of MIGRATIONS_SQL.slice(0, OLD_VERSION)) old.exec(change)
  old.exec(`
    INSERT INTO chats (id, name, version, input, state, epoch, turn, heard, length, submitted, due, queued, lease, leased)
    VALUES ('a', 'clerk', '1', '{"n":1}', 'waiting', 0, 1, 1, 0, 5, 0, 5, 0, 0);
    INSERT INTO messages (chat, json) VALUES ('a', '"hello"');
    PRAGMA user_version = ${OLD_VERSION}`)
  old.close()
  const { store, close } = sqlite(path)
  onTestFinished(async () => await close())
  await store.send('a', 'hello', 'key')
  const claim = (await store.claim('a', 600))!
  expect(claim).toMatchObject({ input: { n: 1 }, messages: ['hello', 'hello'], retry: null, damage: null })
  const retry = { kind: 'server', delay: 60 }
  expect(await store.putOff(claim, 'down', retry)).toMatchObject({ retry: { failures: 1 } })
})
