/** A program that records a run until it is killed, or up to a number of messages: it says how many are flushed. */
import { writeSync } from 'node:fs'
import type { XEvent } from '@x/interfaces'
import { openRecords } from './index.ts'

const [file = '', runId = '', count = 'Infinity'] = process.argv.slice(2)

const records = openRecords(file)
const trace = records.begin()
const take = (event: object): void =>
  trace.take({ runId, time: Date.now(), parentId: null, chatId: '1', agent: 'ann', ...event } as unknown as XEvent)
trace.calls?.begin({ runId, waits: false, resumed: false })
trace.calls?.takeEntry({ place: '0', kind: 'begin', value: { runId, ends: true } })
take({ type: 'chatStart', id: '1.chat', recipient: 'bob', message: 'Go.', options: {} })
for (let n = 0; n < Number(count); n++) {
  take({
    type: 'receivedMessage',
    index: n,
    message: Object.freeze({ role: 'user', content: `${n} ${'x'.repeat(n % 2000)}` }),
  })
  if (n % 50 === 49) {
    records.flush()
    writeSync(1, `${n + 1}\n`)
  } else if (n % 7 === 0) {
    // The timer and the thread get their turns.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
take({ type: 'chatEnd', id: '1.chat', recipient: 'bob', outcome: 'ok', ms: 1, error: null })
records.close()
writeSync(1, 'done\n')
