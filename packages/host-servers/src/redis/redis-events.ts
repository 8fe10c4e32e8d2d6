import type { ChatClaim, EventLog, LoggedEvent, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { readStoredEvents } from '@x/kernel/hosting'
import { newToken } from '../platform.ts'
import { writeJson } from '../stored-text.ts'
import type { RedisClient } from './redis-client.ts'

/** Entries that are read at first: one may have as many events as a page. */
const ENTRIES_AT_FIRST = 16

/** Keeps the events of each chat in a stream of Redis; events that are appended together share an entry. */
export class RedisEvents implements EventLog {
  readonly #redis: RedisClient

  constructor(redis: RedisClient) {
    this.#redis = redis
  }

  async append({ id, epoch }: ChatClaim, events: readonly XEvent[]): Promise<{ followed: boolean } | null> {
    const followed = await this.#redis.run('events', id, String(epoch), newToken(), writeJson(events))
    return followed === null ? null : { followed: followed === 1 }
  }

  async read(id: string, after: string | null, limit: number): Promise<readonly LoggedEvent[]> {
    const [fromEntry, fromIndex] = readCursor(after)
    const key = this.#redis.key('events', id)
    const events: LoggedEvent[] = []
    let from = fromEntry
    for (let count = ENTRIES_AT_FIRST; ; count = limit) {
      const entries = await this.#redis.read((client) => client.xrange(key, from, '+', 'COUNT', count))
      for (const [entry, [, json]] of entries) {
        for (const [index, event] of readStoredEvents(id, json).entries()) {
          if (entry !== fromEntry || index > fromIndex) events.push({ cursor: `${entry}.${index}`, event })
        }
      }
      if (events.length >= limit || entries.length < count) return events.slice(0, limit)
      from = `(${entries.at(-1)![0]}`
    }
  }

  async readLast(id: string, limit: number): Promise<readonly XEvent[]> {
    const key = this.#redis.key('events', id)
    const entries = await this.#redis.read((client) => client.xrevrange(key, '+', '-', 'COUNT', limit))
    return entries.toReversed().flatMap(([, [, json]]) => readStoredEvents(id, json))
  }

  async follow(ids: readonly string[], seconds: number): Promise<void> {
    if (ids.length > 0) await this.#redis.run('follow', seconds * 1000, ...ids)
  }

  async followed(ids: readonly string[]): Promise<readonly string[]> {
    return ids.length === 0 ? [] : ((await this.#redis.run('followed', ...ids)) as string[])
  }

  async revisions(ids: readonly string[]): Promise<readonly (string | null)[]> {
    if (ids.length === 0) return []
    return await this.#redis.read((client) => client.hmget(this.#redis.key('revisions'), ...ids))
  }
}

/** Reads a cursor: the identifier of an entry in the stream, and the index of an event in the entry. */
function readCursor(after: string | null): [entry: string, index: number] {
  if (after === null) return ['-', -1]
  const match = /^(\d{1,16}-\d{1,16})\.(\d{1,9})$/u.exec(after)
  if (match) return [match[1]!, Number(match[2])]
  throw new XError('invalid-argument', 'cannot read events: `after` is not a cursor from `events`')
}
