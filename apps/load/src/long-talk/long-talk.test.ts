import { describe, expect, it } from 'vitest'
import { startStore, STORES } from '../outage/store-server.ts'
import { runLongTalk } from './run-long-talk.ts'

const MESSAGES = 200

describe.each(STORES)('a long conversation, on %s', (name) => {
  it('takes each message once, in order, while its workers are killed', { timeout: 300_000 }, async (test) => {
    await using store = await startStore(name)
    if (!store) return test.skip(`${name} is not installed`)
    const { value, expected, chaos, most } = await runLongTalk({
      ...{ store: store.url, messages: MESSAGES, kills: 3, every: 0.5, seed: Number(process.env['SEED'] ?? 22) },
      // A file of SQLite has one worker, which looks for the messages of other processes now and then.
      ...(name === 'sqlite' ? { workers: 1, atOnce: 25 } : { workers: 2, atOnce: 5 }),
    })
    expect(value).toEqual(expected)
    expect(chaos.kills).toBeGreaterThan(1)
    // Of its last checkpoint and a message, and what a killed worker had left.
    expect(most.entries).toBeLessThan(20)
    expect(most.unread).toBeLessThanOrEqual(25)
  })
})
