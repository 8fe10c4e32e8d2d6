import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MIGRATIONS_SQL } from './schema.ts'
import { sqlite } from './sqlite.ts'

const ENTRIES = ['first', 'second'].map((value, seq) => ({ seq, place: `1.${seq}`, kind: 'tool' as const, value }))

function newPath(): string {
  const dir = mkdtempSync(join(tmpdir(), 'host-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return join(dir, 'chats.db')
}

/** A worker of an older version, with the statements of the first one: later versions added columns that it does not write. */
function startOldWorker(path: string, version: number) {
  const db = new DatabaseSync(path)
  onTestFinished(() => db.close())
  db.exec('PRAGMA journal_mode = WAL')
  for (const change of MIGRATIONS_SQL.slice(0, version)) db.exec(change)
  db.exec(`PRAGMA user_version = ${version}`)
  const submit = db.prepare(
    `INSERT INTO chats (id, name, version, input, state, epoch, turn, heard, length, submitted, due, queued, lease, leased)
     VALUES (?, 'clerk', '1', '{"n":1}', 'waiting', 0, 0, 0, 0, 5, 0, 5, 0, 0)`,
  )
  const send = db.prepare('INSERT INTO messages (chat, json) VALUES (?, \'"hello"\')')
  const hear = db.prepare('UPDATE chats SET heard = heard + 1 WHERE id = ?')
  const count = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'epoch' RETURNING value")
  const claim = db.prepare("UPDATE chats SET state = 'running', epoch = ?, lease = 10, leased = 5 WHERE id = ?")
  const held = "id = ? AND epoch = ? AND state = 'running'"
  const grow = db.prepare(`UPDATE chats SET length = length + 1 WHERE ${held} AND length = ?`)
  const keep = db.prepare('INSERT INTO entries (chat, place, kind, name, json, at) VALUES (?, ?, ?, ?, ?, 7)')
  const finish = db.prepare(`UPDATE chats SET state = 'done', ended = 9, outcome = ? WHERE ${held}`)
  return {
    submit: (id: string) => void [submit.run(id), send.run(id), hear.run(id)],
    claim(id: string): number {
      const { value } = count.get() as { value: number }
      claim.run(value, id)
      return value
    },
    append(id: string, epoch: number, entry: (typeof ENTRIES)[number]): boolean {
      if (Number(grow.run(id, epoch, entry.seq).changes) === 0) return false
      keep.run(id, entry.place, entry.kind, '', JSON.stringify(entry))
      return true
    },
    finish: (id: string, epoch: number) => Number(finish.run('{"state":"done","value":"fine"}', id, epoch).changes),
  }
}

describe('a file of chats', () => {
  it.each(MIGRATIONS_SQL.map((_, version) => version).slice(1))(
    'of version %i is migrated while its old worker goes on, and loses nothing',
    async (version) => {
      const path = newPath()
      const old = startOldWorker(path, version)
      for (const id of ['lost', 'ends', 'waits']) old.submit(id)
      const [lost, ends] = [old.claim('lost'), old.claim('ends')]
      old.append('lost', lost, ENTRIES[0]!)
      const { store, close } = sqlite(path, { now: () => 1_000_000 })
      onTestFinished(async () => await close())
      // The statements of the old worker were prepared before the migration.
      expect(old.append('lost', lost, ENTRIES[1]!)).toBe(true)
      expect(old.finish('ends', ends)).toBe(1)
      old.submit('later')
      expect(await store.get('ends')).toMatchObject({ outcome: { state: 'done', value: 'fine' }, damage: null })
      const whole = { input: { n: 1 }, messages: ['hello'], retry: null, damage: null }
      for (const id of ['waits', 'later']) expect(await store.claim(id, 600)).toMatchObject({ ...whole, entries: [] })
      const taken = (await store.claim('lost', 600))!
      expect(taken).toMatchObject({ ...whole, entries: ENTRIES, takenOver: true, setbacks: 1 })
      expect(old.append('lost', lost, { ...ENTRIES[1]!, seq: 2, place: '1.2' })).toBe(false)
      // What the newer versions have added.
      await store.send('later', 'again', 'key')
      expect(await store.putOff(taken, 'down', { kind: 'server', delay: 60 })).toMatchObject({ retry: { failures: 1 } })
      const db = new DatabaseSync(path)
      expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS_SQL.length })
      db.close()
    },
  )

  it('of a later version is refused, and left as it is', () => {
    const path = newPath()
    startOldWorker(path, MIGRATIONS_SQL.length)
    const next = MIGRATIONS_SQL.length + 1
    const db = new DatabaseSync(path)
    onTestFinished(() => db.close())
    db.exec(`PRAGMA user_version = ${next}`)
    expect(() => sqlite(path)).toThrow(
      expect.objectContaining({
        code: 'unknown-state-version',
        details: { version: next, known: [MIGRATIONS_SQL.length] },
        message: expect.stringContaining('update `@x/host`') as string,
      }),
    )
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: next })
  })

  it.each([0, 3, MIGRATIONS_SQL.length])('of another program with version %i is refused', (version) => {
    const path = newPath()
    const db = new DatabaseSync(path)
    onTestFinished(() => db.close())
    db.exec(version === 0 ? 'CREATE TABLE chats (id)' : 'CREATE TABLE answers (key)')
    db.exec(`PRAGMA user_version = ${version}`)
    expect(() => sqlite(path)).toThrow(
      expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining(`\`${path}\``) as string }),
    )
  })

  it('that is damaged or foreign is refused with its path, wherever that is noticed', async () => {
    const whole = newPath()
    const { store, close } = sqlite(whole)
    for (let n = 0; n < 30; n++)
      await store.submit({ id: `chat-${n}`, name: 'clerk', version: '1', input: 'x'.repeat(900) })
    await close()
    const bytes = readFileSync(whole)
    const zeroed = (from: number, to: number): Buffer => Buffer.from(bytes).fill(0xa5, from, to)
    const damages: [string, Uint8Array][] = [
      ...[20, 100, 4096, 20_000].map((length): [string, Uint8Array] => [`cut at ${length}`, bytes.subarray(0, length)]),
      ['flipped in the header', zeroed(3, 4)],
      ['flipped in the schema', zeroed(100, 101)],
      ['overwritten in the middle', zeroed(4096, bytes.length)],
      ['JSON', Buffer.from('{"version":1}'.padEnd(200))],
    ]
    for (const [what, damaged] of damages) {
      const path = newPath()
      writeFileSync(path, damaged)
      const use = async (): Promise<unknown> => {
        const opened = sqlite(path)
        onTestFinished(async () => await opened.close())
        return await opened.store.list({ limit: 100 })
      }
      const error = await use().catch((failed: unknown) => failed)
      expect([what, error]).toEqual([
        what,
        expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining(`\`${path}\``) as string }),
      ])
    }
  })
})
