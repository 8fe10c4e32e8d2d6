import { createAgent } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import { every } from '@x/host/every'
import { functionModel } from '@x/testing'

const model = functionModel(() => 'Nothing happened.')

// #region define
const report = defineChat({
  name: 'report',
  version: '1',
  async run({ input, run }) {
    const { team } = input as { team: string }
    return (await createAgent({ name: 'reporter', model }).run(`What did ${team} do?`, { run })).text
  },
})

// At nine on every working day, by the clocks of Berlin.
const daily = every({ cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin' }, report)
// #endregion

// A clock of this program's own, which is put forward.
let now = Date.UTC(2026, 9, 22, 12)
const host = createHost({ chats: [report, daily], at: sqlite(':memory:', { now: () => now }) })
const stop = new AbortController()
const work = host.work({ signal: stop.signal })
await host.submit(daily, { team: 'the desk' }, { id: 'desk' })
for (const id of ['desk/2026-10-23T07:00:00.000Z', 'desk/2026-10-26T08:00:00.000Z']) {
  while ((await host.get('desk'))?.wakesAt !== Date.parse(id.slice('desk/'.length))) await new Promise(setImmediate)
  now = Date.parse(id.slice('desk/'.length))
  while (!(await host.get(id))) await new Promise(setImmediate)
  console.log(id, await host.result(id))
}
stop.abort()
await work
await host.close()
