import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, tool } from '@x/agent'
import { type ChatRun, createHost, defineChat, type DefinedChat, type Host, sqlite } from '@x/host'
import type { HostedChat } from '@x/interfaces'
import { type KeptRun, openRecords, replay } from '@x/records'
import { functionModel } from '@x/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { calls, quiet } from './records-world.fake.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** A hosted chat with an agent whose tool waits for a decision, and behind it for a message of the customer. */
const refund = (prompt = 'You give money back.', thanks = 'Thanks for'): DefinedChat<{ readonly order: string }> =>
  defineChat({
    ...{ name: 'refund', version: '1' },
    input: z.object({ order: z.string() }),
    async run({ input: { order }, run, receive }: ChatRun<{ readonly order: string }>) {
      const llm = functionModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Paid.' : calls('refund')))
      const clerk = new AssistantAgent({ name: 'clerk', systemMessage: prompt, llmConfig: llm, io: quiet })
      const tools = tool({
        ...{ name: 'refund', description: 'Pays.', parameters: z.object({ item: z.string() }), needsApproval: true },
        execute: () => 'paid',
      })
      await clerk.run(`Order ${order} came broken.`, { tools, run })
      const message = String(await receive())
      return (await clerk.run(`${thanks} ${message}.`, { run })).text
    },
  })

/** Lets a process work on the chats of a file, with its own records, until a chat is in a state. */
async function inProcess<T>(state: HostedChat['state'], use: (host: Host) => Promise<T>): Promise<T> {
  const records = openRecords(join(dir, 'runs.db'))
  const host = createHost({ chats: [refund()], at: sqlite(join(dir, 'chats.db')), tracer: records })
  const stop = new AbortController()
  try {
    const value = await use(host)
    const work = host.work({ signal: stop.signal })
    while ((await host.get('order-17'))!.state !== state) await new Promise((resolve) => setImmediate(resolve))
    stop.abort()
    await work
    return value
  } finally {
    await host.close()
    records.close()
  }
}

/** Reads the record of the chat. */
async function recorded(): Promise<KeptRun> {
  const records = openRecords({ file: join(dir, 'runs.db'), readOnly: true })
  return (await records.read('order-17'))!
}

it('a hosted chat that waited for a decision between two processes is repeated', async () => {
  await inProcess('suspended', (host) => host.submit(refund(), { order: '17' }, { id: 'order-17' }))
  await inProcess('suspended', async (host) => {
    for await (const { pending } of host.pending({})) await host.decide('order-17', pending.id, { allow: true })
  })
  const waiting = await recorded()
  expect(waiting.info.problem).toBeNull()
  expect(await replay(waiting, refund().repeat({ order: '17' }))).toEqual({ outcome: 'same' })
  await inProcess('done', (host) => host.send('order-17', 'waiting'))
  const run = await recorded()
  expect(run.info).toMatchObject({ outcome: 'ok', problem: null, title: 'Order 17 came broken.' })
  expect(await replay(run, refund().repeat({ order: '17' }))).toEqual({ outcome: 'same' })
  expect(await replay(run, refund().repeat({ order: '18' }))).toMatchObject({ outcome: 'differs' })
  expect(await replay(run, refund('You pay nothing.').repeat({ order: '17' }))).toMatchObject({
    difference: { path: 'model.messages.0.content' },
  })
  expect(await replay(run, refund(undefined, 'No').repeat({ order: '17' }))).toMatchObject({
    difference: { recorded: 'Thanks for waiting.', now: 'No waiting.' },
  })
})
