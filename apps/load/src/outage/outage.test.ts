import { describe, expect, it } from 'vitest'
import { runOutage } from './run-outage.ts'
import { STAGES } from './script.ts'
import { startStore, STORES } from './store-server.ts'

const CHATS_PER_STAGE = 24
/** An hour, in these seconds. */
const OUTAGE_S = 8
const SCALE = 3600 / OUTAGE_S

describe.each(STORES)('an hour of 503s, on %s', (name) => {
  it('ends every chat with its value, and pays once, while workers are killed', { timeout: 300_000 }, async (test) => {
    await using store = await startStore(name)
    if (!store) return test.skip(`${name} is not installed`)
    const chats = CHATS_PER_STAGE * STAGES.length
    const { byStage, wrong, payments, requests, chaos } = await runOutage({
      ...{ store: store.url, commands: () => store.commands(), chats, outage: OUTAGE_S, scale: SCALE },
      // A file of SQLite has one worker.
      ...{ workers: name === 'sqlite' ? 1 : 3, blows: 3, seed: Number(process.env['SEED'] ?? 22) },
    })
    expect(wrong).toEqual([])
    expect(payments).toMatchObject({ missing: 0, doubled: 0 })
    for (const stage of STAGES) expect(byStage[stage]).toEqual({ chats: CHATS_PER_STAGE, right: CHATS_PER_STAGE })
    expect(requests.refused).toBeGreaterThan(chats)
    expect(chaos.kills + chaos.ends + chaos.stops).toBeGreaterThan(0)
  })
})
