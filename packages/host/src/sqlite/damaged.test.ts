import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clerkChat } from '../clerk.fake.ts'
import { createHost, type Host } from '../index.ts'
import { sqlite } from './sqlite.ts'

const LARGE = { order: '17', euros: 25 }
const SMALL = { order: '17', euros: 5 }

async function count(items: AsyncIterable<unknown>): Promise<number> {
  let sum = 0
  for await (const _ of items) sum++
  return sum
}

/** A file with a chat `a` that was just decided on; `sql` changes the file before a worker claims the chat. */
async function damageFile(sql: string): Promise<{ host: Host; errors: unknown[]; asked: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'damaged-'))
  const file = join(folder, 'chats.db')
  const asked: string[] = []
  const chat = clerkChat({ asked: (id) => void asked.push(id) })
  const host = createHost({ chats: [chat], at: sqlite(file) })
  const errors: unknown[] = []
  const startWork = (): (() => Promise<void>) => {
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal, lease: 0.2, onError: (error) => void errors.push(error) })
    return async () => {
      stop.abort()
      await work
    }
  }
  for (const id of ['a', 'waits']) await host.submit(chat, LARGE, { id })
  const end = startWork()
  await expect.poll(async () => await count(host.pending())).toBe(2)
  await expect.poll(async () => (await host.get('a'))!.state).toBe('suspended')
  await end()
  for await (const { chat: id, pending } of host.pending())
    if (id === 'a') await host.decide(id, pending.id, { allow: true })
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
  asked.length = 0
  const endAll = startWork()
  onTestFinished(async () => {
    await endAll()
    await host.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await host.submit(chat, SMALL, { id: 'other' })
  return { host, errors, asked }
}

const updateChatSql = (change: string): string => `UPDATE chats SET ${change} WHERE id = 'a'`
const ENTRY_CONDITION_SQL = "chat = 'a' AND json LIKE '%\"seq\":1,%'"

describe('a chat that was damaged in its file', () => {
  it.each([
    ['an input that is not JSON', updateChatSql("input = '{'"), 'its input is not JSON'],
    ['an entry that is not JSON', `UPDATE entries SET json = '{' WHERE ${ENTRY_CONDITION_SQL}`, 'entry 1 is not JSON'],
    [
      'an entry that is none',
      `UPDATE entries SET json = 'null' WHERE ${ENTRY_CONDITION_SQL}`,
      'entry 1 of its journal is none',
    ],
    [
      'an entry of another value',
      `UPDATE entries SET json = replace(json, 'Order', 'order') WHERE ${ENTRY_CONDITION_SQL}`,
      'checksum',
    ],
    ['a message that is not JSON', "INSERT INTO messages (chat, json) VALUES ('a', '{')", 'message 0 is not JSON'],
    ['no entries', "DELETE FROM entries WHERE chat = 'a'", 'its journal has 0 entries'],
    ['one entry less', `DELETE FROM entries WHERE ${ENTRY_CONDITION_SQL}`, 'entries, and 8 were kept'],
    ['another length', updateChatSql('length = 99'), 'and 99 were kept'],
    ['a state that is none', updateChatSql("state = 'over'"), 'its state is `over`'],
    ['an end without an outcome', updateChatSql("state = 'done'"), 'its outcome is not one of that'],
    [
      'an end that is none',
      updateChatSql(`ended = 1, outcome = '{"state":"done","value":1}'`),
      'its outcome is not one of that',
    ],
  ])('by %s fails with the reason, and stops no other chat', async (_, sql, damage) => {
    const { host, errors, asked } = await damageFile(sql)
    await expect(host.result('a')).rejects.toMatchObject({
      code: 'invalid-state',
      message: expect.stringMatching(new RegExp(`chat \`a\`[^]*${damage}`, 'u')) as string,
    })
    expect(await host.result('other')).toBe('done: 5 euros')
    expect(await count(host.list())).toBe(3)
    expect(await count(host.pending())).toBe(1)
    expect(asked).not.toContain('a')
    expect(errors).toEqual([])
  })

  it.each([
    ['an epoch of the future', updateChatSql('epoch = 4611686018427387904')],
    ['a lease of no time', updateChatSql("state = 'running', lease = 'x'")],
    ['more decisions than it had', updateChatSql('heard = 1000')],
  ])('by %s continues', async (_, sql) => {
    const { host } = await damageFile(sql)
    expect(await host.result('a')).toBe('done: 25 euros')
    expect(await host.result('other')).toBe('done: 5 euros')
  })

  it.each(["json = '{'", "json = '5'"])('by %s has events that are refused', async (change) => {
    const { host } = await damageFile(`UPDATE events SET ${change} WHERE chat = 'a'`)
    await expect(count(host.events('a'))).rejects.toMatchObject({
      code: 'invalid-state',
      message: expect.stringContaining('the chat `a` is damaged') as string,
    })
    expect(await host.result('a')).toBe('done: 25 euros')
  })

  it.each(["'{'", "replace(json, 'euros', 'Euros')"])('by %s has a question that hides no other', async (json) => {
    const { host } = await damageFile(`UPDATE entries SET json = ${json} WHERE chat = 'waits' AND kind = 'question'`)
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    expect(await host.result('a')).toBe('done: 25 euros')
    await host.submit(clerkChat(), LARGE, { id: 'z' })
    await expect.poll(async () => await count(host.pending())).toBe(1)
    expect((await warned).message).toContain('the chat `waits` is damaged')
    await expect(host.decide('waits', '1.2.0.0', { allow: true })).rejects.toMatchObject({ code: 'invalid-state' })
  })
})

it('a counter of claims that cannot grow is an error, and no chat is claimed', async () => {
  const { host, errors } = await damageFile('UPDATE counters SET value = 4611686018427387904')
  await expect.poll(() => errors.length).toBeGreaterThan(1)
  expect(errors[0]).toMatchObject({ code: 'invalid-state', message: expect.stringContaining('`epoch`') as string })
  expect(await host.get('other')).toMatchObject({ state: 'waiting' })
})
