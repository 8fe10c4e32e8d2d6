import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent, tool } from '@x/agent'
import { functionModel } from '@x/testing'
import { type ChatRun, createHost, defineChat, sqlite } from './index.ts'

/**
 * A worker of chats whose programs await something else while a function of their own around a run fails: `question` at a
 * question, `cancelled` where the chat is cancelled, `broken` by an error of the program, `left` and `late` where the program ends
 * before a call of it, or before it begins. It prints how the chats stand.
 */
const [, , how = ''] = process.argv
const folder = mkdtempSync(join(tmpdir(), 'x-unheard-'))
process.on('exit', () => rmSync(folder, { recursive: true }))

const asked = Promise.withResolvers<void>()
const ended = Promise.withResolvers<void>()
const pay = tool({
  ...{ name: 'pay', description: 'Pays.', parameters: { type: 'object' } },
  ...{ needsApproval: true, execute: () => 'paid' },
})
const model = functionModel(async ({ messages }) => {
  asked.resolve()
  if (messages.at(-1)!.role === 'tool') return 'done'
  if (how === 'cancelled' || how === 'left') await new Promise((resolve) => setTimeout(resolve, 60_000).unref())
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
    if (how === 'left') {
      void payLater(chat)
      await asked.promise
      return 'ended'
    }
    if (how === 'late') {
      void ended.promise.then(() => payLater(chat))
      void ended.promise.then(() => chat.now())
      asked.resolve()
      return 'ended'
    }
    const paying = payLater(chat)
    await chat.receive()
    return await paying
  },
})

const host = createHost({ chats: [program], at: sqlite(join(folder, 'chats.db')) })
const stop = new AbortController()
const onError = (error: unknown): void => console.log((error as Error).message)
const working = host.work({ signal: stop.signal, onError })
await host.submit(program, {} as never, { id: 'a' })
await asked.promise
const isThere = async (state: string): Promise<boolean> => (await host.get('a'))!.state === state
if (how === 'cancelled') await host.cancel('a')
const end = { cancelled: 'cancelled', left: 'done', late: 'done' }[how] ?? 'suspended'
while (!(await isThere(end))) await new Promise(setImmediate)
ended.resolve()
stop.abort()
await working
await new Promise((resolve) => setTimeout(resolve, 20))
console.log('lives on')
await host.close()
