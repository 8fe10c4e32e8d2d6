/**
 * One conversation of 10,000 messages whose workers are killed at random moments, on each store.
 *
 *   pnpm long-talk [--messages 10000] [--kills 100] [--every 4] [--at sqlite,redis,postgres] [--seed 1]
 *
 * It ends with exit code 1 if the conversation has not taken each message once and in order, or if a claim has read more than
 * what the last message has left.
 */
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { runLongTalk } from '../src/long-talk/run-long-talk.ts'
import { startStore, STORES, type StoreName } from '../src/outage/store-server.ts'

/** Most entries that a claim may read, of the last checkpoint and what comes behind it. */
const MAX_ENTRIES = 20

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '100' },
    every: { type: 'string', default: '4' },
    at: { type: 'string', default: STORES.join(',') },
    seed: { type: 'string', default: '1' },
  },
})

for (const name of values.at.split(',') as StoreName[]) {
  await using store = await startStore(name)
  if (!store) {
    console.log(`${name} is not installed: left out`)
    continue
  }
  const { value, expected, chaos, most, seconds } = await runLongTalk({
    ...{ store: store.url, messages: Number(values.messages), seed: Number(values.seed) },
    ...{ kills: Number(values.kills), every: Number(values.every) },
    // A file of SQLite has one worker, which looks for the messages of other processes now and then.
    ...(name === 'sqlite' ? { workers: 1, atOnce: 200 } : { workers: 3, atOnce: 10 }),
    log: (line) => console.log(`${name}: ${line}`),
  })
  const isWhole = isDeepStrictEqual(value, expected) && most.entries <= MAX_ENTRIES
  console.log(
    `${isWhole ? 'ok  ' : 'FAIL'} ${name}: ${values.messages} messages in ${seconds.toFixed(0)} s, ${chaos.kills} kills, ${JSON.stringify(value)}; a claim has read at most ${most.entries} entries and ${most.unread} messages`,
  )
  if (!isWhole) process.exitCode = 1
}
