import { createHost, type Host } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { clerkChat } from './clerk.fake.ts'

/** A manual change in the database, of a chat that waits for a worker. */
export interface Tampering {
  readonly title: string
  readonly change: (id: string) => Promise<unknown>
  /** Text in the error of the chat; null: the chat continues. */
  readonly damage: RegExp | null
}

/** A store that the tests can damage. */
export interface TamperedStore {
  readonly at: HostBackend
  readonly tamperings: readonly Tampering[]
  /** Damages the log of a chat. */
  readonly breakEvents: (id: string) => Promise<unknown>
  /** Damages the pending question of a chat. */
  readonly breakQuestion: (id: string) => Promise<unknown>
  close(): Promise<void>
}

/** Tests that a damaged chat ends with an error that names it, and stops no other chat. */
export function damagedSuite(name: string, open: () => Promise<TamperedStore>): void {
  describe(`damaged chats on ${name}`, () => {
    it('fail with the reason, and stop no other chat', { timeout: 120_000 }, async () => {
      const { at, tamperings, breakEvents, breakQuestion, close } = await open()
      const asked = new Set<string>()
      const chat = clerkChat({ asked: (id) => void asked.add(id) })
      const host = createHost({ chats: [chat], at })
      const errors: unknown[] = []
      const works = (): (() => Promise<void>) => {
        const stop = new AbortController()
        const onError = (error: unknown): void => void errors.push(error)
        const work = host.work({ signal: stop.signal, lease: 1.5, concurrency: 30, onError })
        return async () => {
          stop.abort()
          await work
        }
      }
      const all = tamperings.map((each, n) => ({ ...each, id: `chat-${n}` }))
      const ids = [...all.map(({ id }) => id), 'log', 'question', 'waits']
      for (const id of ids) await host.submit(chat, { euros: 25 }, { id })
      const end = works()
      await expect.poll(async () => (await pendingByChat(host)).size, { timeout: 30_000 }).toBe(ids.length)
      await expect.poll(async () => (await host.counts()).map(({ state }) => state)).toEqual(['suspended'])
      await end()
      for (const [id, question] of await pendingByChat(host)) {
        if (id !== 'waits' && id !== 'question') await host.decide(id, question, { allow: true })
      }
      for (const { change, id } of all) await change(id)
      await breakEvents('log')
      await breakQuestion('question')
      asked.clear()
      const endAll = works()
      await host.submit(chat, { euros: 5 }, { id: 'other' })
      expect(await host.result('other')).toBe('done: 5 euros')
      for (const { title, damage, id } of all) {
        const ended = await host.result(id).catch((error: Error) => error)
        if (damage === null) expect([title, ended]).toEqual([title, 'done: 25 euros'])
        else {
          expect([title, ended]).toEqual([title, expect.objectContaining({ code: 'invalid-state' })])
          expect((ended as Error).message).toMatch(damage)
          expect((ended as Error).message).toContain(`\`${id}\``)
          expect(asked).not.toContain(id)
        }
      }
      // The lists have all chats, and all questions that can be read.
      expect(await host.result('log')).toBe('done: 25 euros')
      await expect(count(host.events('log'))).rejects.toThrow('the chat `log` is damaged')
      expect(await count(host.list())).toBe(ids.length + 1)
      expect([...(await pendingByChat(host)).keys()]).toEqual(['waits'])
      expect(errors).toEqual([])
      await endAll()
      await host.close()
      await close()
    })
  })
}

/** Returns the identifiers of pending approvals, by chat. */
async function pendingByChat(host: Host): Promise<Map<string, string>> {
  const questions = new Map<string, string>()
  for await (const { chat, pending } of host.pending()) questions.set(chat, pending.id)
  return questions
}

async function count(items: AsyncIterable<unknown>): Promise<number> {
  let sum = 0
  for await (const _ of items) sum++
  return sum
}
