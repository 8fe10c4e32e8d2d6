import type { ChatClaim, EventLog, LoggedEvent, XEvent } from '@x/interfaces'
import { readJson, writeJson } from '../stored-json.ts'
import type { RedisClient } from './redis-client.ts'

/** Keeps the events of each chat in a stream of Redis. */
export class RedisEvents implements EventLog {
  readonly #redis: RedisClient

  constructor(redis: RedisClient) {
    this.#redis = redis
  }

  async append({ id, epoch }: ChatClaim, events: readonly XEvent[]): Promise<boolean> {
    return (await this.#redis.run('events', id, String(epoch), ...events.map(writeJson))) === 1
  }

  async read(id: string, after: string | null, limit: number): Promise<readonly LoggedEvent[]> {
    const client = await this.#redis.client
    const from = after === null ? '-' : `(${after}`
    const found = await client.xrange(this.#redis.key('events', id), from, '+', 'COUNT', limit)
    return found.map(([cursor, [, json]]) => ({ cursor, event: readJson(json) as XEvent }))
  }

  async delete(id: string): Promise<void> {
    const client = await this.#redis.client
    await client.del(this.#redis.key('events', id))
  }
}
