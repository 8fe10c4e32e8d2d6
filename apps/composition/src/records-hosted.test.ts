import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, tool } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import { createHost, defineChat, type Host, sqlite } from '@x/host'
import type { HostedChat, Run } from '@x/interfaces'
import { openRecords, type Records, type RepeatedProgram, replay } from '@x/records'
import { functionModel } from '@x/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { calls, quiet } from './records-world.fake.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** The program of a hosted chat. It begins a chat with an agent whose tool waits for a decision. */
async function refund(run: Run, order: string, prompt = 'You give money back.'): Promise<string> {
  const llm = functionModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Paid.' : calls('refund')))
  const clerk = new AssistantAgent({ name: 'clerk', systemMessage: prompt, llmConfig: llm, io: quiet })
  const tools = tool({
    ...{ name: 'refund', description: 'Pays.', parameters: z.object({ item: z.string() }), needsApproval: true },
    execute: () => 'paid',
  })
  return (await clerk.run(`Order ${order} came broken.`, { tools, run })).text
}

const definition = defineChat({
  ...{ name: 'refund', version: '1' },
  input: { type: 'object', properties: { order: { type: 'string' } } },
  run: ({ input, run }) => refund(run, String(input['order'])),
})

/** Lets a process work on the chats of a file, with its own records, until a chat is in a state. */
async function inProcess<T>(state: HostedChat['state'], use: (host: Host) => Promise<T>): Promise<T> {
  const records = openRecords(join(dir, 'runs.db'))
  const host = createHost({ chats: [definition], at: sqlite(join(dir, 'chats.db')), tracer: records })
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

it('a hosted chat that waited for a decision between two processes is repeated', async () => {
  await inProcess('suspended', (host) => host.submit(definition, { order: '17' }, { id: 'order-17' }))
  await inProcess('done', async (host) => {
    for await (const { pending } of host.pending({})) await host.decide('order-17', pending.id, { allow: true })
  })
  const records: Records = openRecords({ file: join(dir, 'runs.db'), readOnly: true })
  const runs = await records.list()
  expect(runs).toMatchObject([{ runId: 'order-17', outcome: 'ok', problem: null, title: 'Order 17 came broken.' }])
  const run = (await records.read('order-17'))!
  const repeat =
    (order: string, prompt?: string): RepeatedProgram =>
    (options, { info: { runId } }) =>
      runRecorded((part) => refund(part, order, prompt), { ...options, runId, version: '1', streams: true })
  expect(await replay(run, repeat('17'))).toEqual({ outcome: 'same' })
  expect(await replay(run, repeat('18'))).toMatchObject({ outcome: 'differs' })
  expect(await replay(run, repeat('17', 'You pay nothing.'))).toMatchObject({
    difference: { path: 'model.messages.0.content' },
  })
})
