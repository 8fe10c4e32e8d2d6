import type { VersionedRecord, VersionedRecords } from '../shared-records.ts'
import type { RedisClient } from './redis-client.ts'

/** Keeps records in hashes of Redis. */
export class RedisRecords implements VersionedRecords {
  readonly #redis: RedisClient

  constructor(redis: RedisClient) {
    this.#redis = redis
  }

  async read(key: string): Promise<VersionedRecord> {
    return readFound((await this.#redis.run('record', key)) as Found)
  }

  async replace(key: string, version: string, text: string | null): Promise<VersionedRecord | null> {
    const found = await this.#redis.run('replace', key, version, ...(text === null ? [] : [text]))
    return found === 1 ? null : readFound(found as Found)
  }
}

type Found = readonly [version: string, text: string | null, now: string]

const readFound = ([version, text, now]: Found): VersionedRecord => ({ version, text, now: Number(now) })
