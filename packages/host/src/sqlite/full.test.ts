import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { clerkChat } from '../clerk.fake.ts'
import { createHost } from '../index.ts'
import { openDatabase } from './database.ts'
import { sqliteIn } from './sqlite.ts'

const CHAT_COUNT = 8
/** Larger than the free space of a page, so that every entry about it needs pages. */
const ORDER = 'x'.repeat(10_000)
/** The most pages that SQLite allows by default. */
const MOST_PAGES = 4_294_967_294

it('ends every chat once after the file was full, and refuses chats meanwhile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'full-'))
  const path = join(folder, 'chats.db')
  const db = openDatabase(path, 0)
  const paid: string[] = []
  let asked = 0
  const chat = clerkChat({
    async asked() {
      asked++
      await new Promise((resolve) => setTimeout(resolve, 20))
    },
    paid: (id, key) => void paid.push(`${id} ${key}`),
  })
  const host = createHost({ chats: [chat], at: sqliteIn(db, path, {}) })
  const stop = new AbortController()
  const errors: string[] = []
  const work = host.work({ signal: stop.signal, lease: 0.5, onError: (error) => errors.push((error as Error).message) })
  onTestFinished(async () => {
    stop.abort()
    await work
    await host.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const ids = Array.from({ length: CHAT_COUNT }, (_, n) => `chat-${n}`)
  for (const [n, id] of ids.entries()) await host.submit(chat, { order: ORDER, euros: n % 2 ? 25 : 5 }, { id })
  await expect.poll(() => asked).toBeGreaterThan(CHAT_COUNT)

  // It cannot be less than the pages that there are.
  db.exec('PRAGMA max_page_count = 1')
  await expect(host.submit(chat, { order: ORDER, euros: 5 }, { id: 'late' })).rejects.toThrow('full')
  await expect.poll(() => errors.filter((text) => text.includes('full')).length).toBeGreaterThan(CHAT_COUNT)
  db.exec(`PRAGMA max_page_count = ${MOST_PAGES}`)

  const isDone = async (): Promise<boolean> => {
    for await (const { chat: id, pending } of host.pending()) await host.decide(id, pending.id, { allow: true })
    const chats = await Promise.all(ids.map((id) => host.get(id)))
    return chats.every((each) => each?.outcome)
  }
  await expect.poll(isDone).toBe(true)
  for (const [n, id] of ids.entries()) expect(await host.result(id)).toBe(`done: ${n % 2 ? 25 : 5} euros`)
  expect(new Set(paid).size).toBe(CHAT_COUNT)
  expect(await host.get('late')).toBeNull()
})
