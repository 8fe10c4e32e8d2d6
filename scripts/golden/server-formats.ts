import { postgres, redis } from '../../packages/host-servers/src/index.ts'
import { readPostgres, readRedis, writePostgres, writeRedis } from '../../packages/host-servers/src/stored-rows.fake.ts'
import { damagedPostgres, damagedRedis } from './damaged-rows.ts'
import type { GoldenFormat } from './golden-files.ts'
import { goOnWithDamage, goOnWithHost, runHost } from './host-runs.ts'

const json = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`

/** A host on Redis, as its keys. */
const hostRedis = (url: string): GoldenFormat => ({
  version: 1,
  isText: false,
  async write() {
    await runHost(redis(url))
    return { 'keys.json': json(await readRedis(url)) }
  },
  async read(files) {
    await writeRedis(url, JSON.parse(files['keys.json']!))
    return await goOnWithHost(redis(url))
  },
  rows: {
    damaged: damagedRedis,
    async goOn(files) {
      await writeRedis(url, JSON.parse(files['keys.json']!))
      return await goOnWithDamage(redis(url))
    },
  },
  newer: (files) => ({ 'keys.json': files['keys.json']!.replace('{', '{ "{chats}:layout": ["string", "2"],') }),
})

/** A host on Postgres, as its rows. */
const hostPostgres = (url: string): GoldenFormat => ({
  version: 8,
  isText: false,
  async write() {
    await runHost(postgres(url))
    return { 'rows.json': json(await readPostgres(url)) }
  },
  async read(files) {
    await writePostgres(url, JSON.parse(files['rows.json']!))
    return await goOnWithHost(postgres(url))
  },
  rows: {
    damaged: damagedPostgres,
    async goOn(files) {
      await writePostgres(url, JSON.parse(files['rows.json']!))
      return await goOnWithDamage(postgres(url))
    },
  },
  newer: (files) => ({ 'rows.json': files['rows.json']!.replace('"version": 8', '"version": 9') }),
})

/** Every format that is stored on a server, by its name; each is made for the URL of an empty server. */
export const SERVER_FORMATS: Readonly<Record<'host-redis' | 'host-postgres', (url: string) => GoldenFormat>> = {
  'host-redis': hostRedis,
  'host-postgres': hostPostgres,
}
