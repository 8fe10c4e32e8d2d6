import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent, tool } from '@x/agent'
import { functionModel } from '@x/testing'
import { type ChatRun, createHost, defineChat, sqlite } from './index.ts'

/**
 * A worker of chats whose programs await something else while a function of their own around a run fails: `question` at a
 * question, `cancelled` where the chat is cancelled, `broken` by an error of the program. It prints how the chats stand.
 */
const [, , how = ''] = process.argv
const folder = mkdtempSync(join(tmpdir(), 'x-unheard-'))
process.on('exit', () => rmSync(folder, { recursive: true }))

const asked = Promise.withResolvers<void>()
const pay = tool({
  ...{ name: 'pay', description: 'Pays.', parameters: { type: 'object' } },
  ...{ needsApproval: true, execute: () => 'paid' },
})
const model = functionModel(async ({ messages }) => {
  asked.resolve()
  if (messages.at(-1)!.role === 'tool') return 'done'
  if (how === 'cancelled') await new Promise((resolve) => setTimeout(resolve, 60_000).unref())
  return { tool_calls: [{ id: 'c', type: 'function', function: { name: 'pay', arguments: '{}' } }] }
})

async function payLater({ run }: ChatRun<never>): Promise<string> {
  if (how === 'broken') throw new Error('broken by its program')
  return (await createAgent({ name: 'clerk', model, tools: pay }).run('Pay.', { run })).text
}

const program = defineChat<never>({
  name: 'p',
  version: '1',
  async run(chat) {
    const paying = payLater(chat)
    await chat.receive()
    return await paying
  },
})

const host = createHost({ chats: [program], at: sqlite(join(folder, 'chats.db')) })
const stop = new AbortController()
const working = host.work({ signal: stop.signal })
await host.submit(program, {} as never, { id: 'a' })
await asked.promise
const isThere = async (state: string): Promise<boolean> => (await host.get('a'))!.state === state
if (how === 'cancelled') await host.cancel('a')
while (!(await isThere(how === 'cancelled' ? 'cancelled' : 'suspended'))) await new Promise(setImmediate)
stop.abort()
await working
await new Promise((resolve) => setTimeout(resolve, 20))
console.log('lives on')
await host.close()
