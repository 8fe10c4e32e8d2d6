import type { ChatClaim, EventLog, LoggedEvent, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { readStoredEvents } from '@x/kernel/hosting'
import { writeJson } from '../stored-json.ts'
import type { RedisClient } from './redis-client.ts'

/** Keeps the events of each chat in a stream of Redis, those that come together in one entry. */
export class RedisEvents implements EventLog {
  readonly #redis: RedisClient

  constructor(redis: RedisClient) {
    this.#redis = redis
  }

  async append({ id, epoch }: ChatClaim, events: readonly XEvent[]): Promise<{ followed: boolean } | null> {
    const added = await this.#redis.run('events', id, String(epoch), writeJson(events))
    return added === null ? null : { followed: added === 1 }
  }

  async read(id: string, after: string | null, limit: number): Promise<readonly LoggedEvent[]> {
    const [from, place] = readCursor(after)
    const key = this.#redis.key('events', id)
    const found = await this.#redis.use((client) => client.xrange(key, from, '+', 'COUNT', limit + 1))
    const events: LoggedEvent[] = []
    for (const [entry, [, json]] of found) {
      for (const [index, event] of readStoredEvents(id, json).entries()) {
        if (entry !== from || index > place) events.push({ cursor: `${entry}.${index}`, event })
      }
    }
    return events.slice(0, limit)
  }

  async follow(id: string, seconds: number): Promise<void> {
    await this.#redis.run('follow', id, seconds * 1000)
  }

  async followed(ids: readonly string[]): Promise<readonly string[]> {
    return ids.length === 0 ? [] : ((await this.#redis.run('followed', ...ids)) as string[])
  }
}

/** Reads a cursor: an entry of the stream, and the place of an event in it. */
function readCursor(after: string | null): [entry: string, place: number] {
  if (after === null) return ['-', -1]
  const match = /^(\d{1,16}-\d{1,16})\.(\d{1,9})$/u.exec(after)
  if (match) return [match[1]!, Number(match[2])]
  throw new XError('invalid-argument', 'cannot read events: `after` is not a cursor that `events` has given')
}
