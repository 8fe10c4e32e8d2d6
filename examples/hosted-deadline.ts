import { setTimeout } from 'node:timers/promises'
import { createHost, defineChat, sqlite } from '@x/host'

// #region define
const leave = defineChat({
  name: 'leave',
  version: '1',
  async run({ input, receive, sleep }) {
    const { days, hour } = input as { days: number; hour: number }
    // A day would be 24 * 3600: an hour of this program takes as long as its input says.
    const answer = (await receive({ timeout: 24 * hour })) ?? (await receive({ timeout: 8 * hour })) ?? 'no answer'
    await sleep(hour)
    return `${days} days: ${JSON.stringify(answer)}`
  },
})
// #endregion

const host = createHost({ chats: [leave], at: sqlite(':memory:') })
const stop = new AbortController()
const work = host.work({ signal: stop.signal })
await host.submit(leave, { days: 3, hour: 0.01 }, { id: 'ann', tenant: 'acme', tags: ['leave'] })
await host.submit(leave, { days: 9, hour: 3600 }, { id: 'bob', tenant: 'acme', tags: ['leave'], priority: 'high' })
console.log(await host.result('ann'))
while ((await host.get('bob'))?.state !== 'suspended') await setTimeout(10)
for await (const { id, state } of host.list({ tenant: 'acme', tag: 'leave' })) console.log(id, state)
stop.abort()
await work
await host.close()
