import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, ChatJournal, tool } from '@x/agent'
import { createBudget } from '@x/model'
import { type ChatRun, createHost, defineChat, type DefinedChat, type Host, sqlite } from '@x/host'
import type { HostedChat } from '@x/interfaces'
import { bestFirst, modelParts, performJob, search } from '@x/reasoning'
import { forkRun, type KeptRun, openRecords, replay } from '@x/records'
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
async function inProcess<T>(
  state: HostedChat['state'],
  use: (host: Host) => Promise<T>,
  chats: readonly DefinedChat[] = [refund()],
): Promise<T> {
  const records = openRecords(join(dir, 'runs.db'))
  const host = createHost({ chats, at: sqlite(join(dir, 'chats.db')), tracer: records })
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

it('a hosted chat goes on from a place with another program, message or budget, and its forks are recorded', async () => {
  await inProcess('suspended', (host) => host.submit(refund(), { order: '17' }, { id: 'order-17' }))
  await inProcess('suspended', async (host) => {
    for await (const { pending } of host.pending({})) await host.decide('order-17', pending.id, { allow: true })
  })
  await inProcess('done', (host) => host.send('order-17', 'waiting'))
  const run = await recorded()
  const last = run.calls.at(-1)!.place
  const message = run.entries.find(({ kind, name }) => kind === 'human' && name === 'message')!.place
  const records = openRecords(join(dir, 'runs.db'))
  const program = refund('You give no money back.').repeat({ order: '17' })
  const forks = await forkRun(run, last, program, { records, samples: 2 })
  expect(forks.map(({ value }) => value)).toEqual(['Paid.', 'Paid.'].map(() => expect.any(String) as string))
  const kept = (await records.read(forks[0]!.runId))!
  expect(kept.info).toMatchObject({ parent: { runId: 'order-17', place: last }, problem: null, outcome: 'ok' })
  expect(await replay(kept, program)).toEqual({ outcome: 'same' })
  const [other] = await forkRun(run, message, program, { records, answer: 'nothing' })
  expect((await records.read(other!.runId))!.calls.at(-1)!.input).toMatchObject({
    messages: expect.arrayContaining([expect.objectContaining({ content: 'Thanks for nothing.' })]) as unknown,
  })
  // Nobody sends the message anew.
  const [silent] = await forkRun(run, message, program)
  expect(silent!.error).toMatchObject({ code: 'suspended', message: expect.stringContaining('message') as string })
  const [poor] = await forkRun(run, last, program, { budget: createBudget({ calls: 0 }) })
  expect(poor).toEqual({ runId: poor!.runId, value: '' })
  records.close()
})

it('the program of a hosted chat that is given no record says what to do', async () => {
  const alone = refund().repeat({ order: '17' })({ journal: new ChatJournal() })
  await expect(alone).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining('forkRun') as string,
  })
})

/** A conversation that keeps a list: each message is answered from the state that the one before has saved. */
const listing = (prompt = 'You keep a list.'): DefinedChat =>
  defineChat({
    ...{ name: 'listing', version: '1', state: { items: [] as readonly string[] } },
    async onMessage({ items }: { readonly items: readonly string[] }, message, run, { end }) {
      if (message === 'end') return end(items.length)
      const llm = functionModel(() => `${items.length + 1}: ${JSON.stringify(message)}`)
      const clerk = new AssistantAgent({ name: 'clerk', systemMessage: prompt, llmConfig: llm, io: quiet })
      const { text } = await clerk.run(`${String(message)} behind ${items.join(', ')}`, { run })
      return { items: [...items, text] }
    },
  }) as DefinedChat

it('a conversation with checkpoints in three processes is repeated as a whole', async () => {
  const chats = [listing()]
  const say = async (message: string, state: HostedChat['state']): Promise<void> =>
    await inProcess(
      state,
      async (host) => {
        await host.submit(listing(), {} as never, { id: 'order-17' })
        await host.send('order-17', message)
      },
      chats,
    )
  await say('tea', 'suspended')
  await say('milk', 'suspended')
  const waiting = await recorded()
  expect(waiting.info.problem).toBeNull()
  expect(await replay(waiting, listing().repeat({}))).toEqual({ outcome: 'same' })
  await say('end', 'done')
  const run = await recorded()
  expect(run.info).toMatchObject({ outcome: 'ok', problem: null })
  expect(run.calls.filter(({ kind }) => kind === 'model')).toHaveLength(2)
  expect(await replay(run, listing().repeat({}))).toEqual({ outcome: 'same' })
  expect(await replay(run, listing('You keep no list.').repeat({}))).toMatchObject({
    difference: { path: 'model.messages.0.content' },
  })
  const places = run.entries
    .filter(({ kind, name }) => kind === 'human' && name === 'message')
    .map(({ place }) => place)
  // The last message ends the conversation.
  const [ended] = await forkRun(run, places[1]!, listing().repeat({}), { answer: 'end' })
  expect(ended).toEqual({ runId: ended!.runId, value: 1 })
})

/** How the program with a part differs from the one that was recorded. */
interface WholeOptions {
  readonly asked?: string
  readonly mend?: () => number
}

it('a program has the values and failures of its parts again, in any order, and differs where it asks others', async () => {
  const half = defineChat({
    ...{ name: 'half', version: '1', concurrency: 2 },
    input: z.object({ of: z.number() }),
    run: ({ input: { of } }) => {
      if (of % 2 !== 0) throw new Error(`${of} is odd\0`)
      return { text: `${of / 2}\0` }
    },
  }) as DefinedChat
  const sumOf = (numbers: readonly number[], key?: string): DefinedChat =>
    defineChat({
      ...{ name: 'sum', version: '1' },
      async run({ perform, run: around }) {
        const halves = numbers.map(async (of) => {
          try {
            return ((await perform(half, { of }, { key })) as { readonly text: string }).text
          } catch (error) {
            return (error as Error).message
          }
        })
        const said = (await Promise.all(halves)).toSorted().join(', ')
        const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(() => 'Ok.'), io: quiet })
        return (await clerk.run(said, { run: around })).text
      },
    }) as DefinedChat
  await inProcess('done', async (host) => await host.submit(sumOf([4, 6, 7]), {} as never, { id: 'order-17' }), [
    sumOf([4, 6, 7]),
    half,
  ])
  const run = await recorded()
  expect(await replay(run, sumOf([4, 6, 7]).repeat({}))).toEqual({ outcome: 'same' })
  expect(await replay(run, sumOf([7, 4, 6]).repeat({}))).toEqual({ outcome: 'same' })
  expect(await replay(run, sumOf([4, 8, 7]).repeat({}))).toMatchObject({
    outcome: 'differs',
    difference: { path: 'part.input.of', recorded: 6, now: 8 },
  })
  expect(await replay(run, sumOf([4, 6, 7], 'again').repeat({}))).toMatchObject({
    outcome: 'differs',
    difference: { path: 'part.key', recorded: '', now: 'again' },
  })
  for (const numbers of [
    [4, 7],
    [4, 6, 7, 8],
  ])
    expect(await replay(run, sumOf(numbers).repeat({}))).toMatchObject({ outcome: 'differs' })
})

it('a program that submits chats submits none again, and differs where it would submit another one', async () => {
  const other = defineChat({ ...{ name: 'other', version: '1' }, run: () => null }) as DefinedChat
  const submitting = (item: string): DefinedChat =>
    defineChat({
      ...{ name: 'first', version: '1' },
      async run({ submit, run }) {
        const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(() => 'Ok.'), io: quiet })
        await clerk.run('Go.', { run })
        return await submit(other as DefinedChat<object>, { item })
      },
    }) as DefinedChat
  const chats = [submitting('tea'), other]
  await inProcess('done', async (host) => await host.submit(chats[0]!, {} as never, { id: 'order-17' }), chats)
  const run = await recorded()
  expect(await replay(run, submitting('tea').repeat({}))).toEqual({ outcome: 'same' })
  expect(await replay(run, submitting('cake').repeat({}))).toMatchObject({
    outcome: 'differs',
    difference: { path: 'begin.input.item', recorded: 'tea', now: 'cake' },
  })
})

it('a program whose record has no value of a part says that it cannot be repeated', async () => {
  const half = defineChat({ ...{ name: 'half', version: '1', concurrency: 2 }, run: () => 21 })
  const wholeOf = ({ asked = 'What is half of 42?', mend }: WholeOptions = {}): DefinedChat =>
    defineChat({
      ...{ name: 'whole', version: '1' },
      async run({ perform, run }) {
        const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(() => '21'), io: quiet })
        await clerk.run(asked, { run })
        return Number(await perform(half, {}).catch(mend)) * 2
      },
    }) as DefinedChat
  const whole = wholeOf()
  await inProcess('done', async (host) => await host.submit(whole, {} as never, { id: 'order-17' }), [
    whole,
    half as DefinedChat,
  ])
  const kept = await recorded()
  expect(await replay(kept, wholeOf().repeat({}))).toEqual({ outcome: 'same' })
  const run = { ...kept, entries: kept.entries.filter(({ kind }) => kind !== 'part') }
  const text = 'cannot repeat the program `whole`: the record has no value of a part `half`'
  const cannot = { outcome: 'cannot', text }
  expect(await replay(run, wholeOf().repeat({}))).toEqual(cannot)
  // Also if the program goes on without them; but a difference before them is told.
  expect(await replay(run, wholeOf({ mend: () => 0 }).repeat({}))).toEqual(cannot)
  expect(await replay(run, wholeOf({ asked: 'What is a half?' }).repeat({}))).toMatchObject({ outcome: 'differs' })
})

it('a search whose jobs are parts ends once in the record of two processes, and is repeated', async () => {
  const answers = { tot_thinker: 'Option 1: take 3', tot_grader: 'Option 1: Rating: 7' } as Readonly<
    Record<string, string>
  >
  const model = functionModel(({ agent }) => answers[agent!] ?? 'It is 3.').createModel()
  const parts = modelParts({ model })
  const think = defineChat({
    ...{ name: 'think', version: '1', concurrency: 4, keeps: 'value' },
    run: async ({ input, run }) => await performJob(input, parts, run),
  })
  const solve = (question: string): DefinedChat =>
    defineChat({
      ...{ name: 'solve', version: '1' },
      async run({ perform, receive, run }) {
        const { answer } = await search(question, {
          ...{ ...parts, method: bestFirst({ maxDepth: 1 }), run },
          perform: (_, request, { signal }) => perform(think, request, { signal }),
        })
        return [answer, await receive()]
      },
    }) as DefinedChat
  const chats = [solve('What is it?'), think as DefinedChat]
  await inProcess('suspended', async (host) => await host.submit(chats[0]!, {} as never, { id: 'order-17' }), chats)
  await inProcess('done', async (host) => await host.send('order-17', 'Thanks.'), chats)
  const run = await recorded()
  expect(run.calls.some(({ kind }) => kind === 'part')).toBe(true)
  expect(run.info).toMatchObject({ outcome: 'ok', problem: null, spent: [] })
  expect(run.events.filter(({ type }) => type === 'searchStart')).toHaveLength(1)
  expect(await replay(run, solve('What is it?').repeat({}))).toEqual({ outcome: 'same' })
  expect(await replay(run, solve('Who is it?').repeat({}))).toMatchObject({ difference: { path: 'job.question' } })
  const { place } = run.calls.find(({ kind }) => kind === 'part')!
  await expect(forkRun(run, place, solve('What is it?').repeat({}))).rejects.toThrow(
    `the place \`${place}\`; its calls`,
  )
  const records = openRecords(join(dir, 'runs.db'))
  const [fork] = await forkRun(run, run.calls[0]!.place, solve('What is it?').repeat({}), { records })
  expect(fork!.error).toMatchObject({ code: 'suspended' })
  const kept = (await records.read(fork!.runId))!
  expect(await replay(kept, solve('What is it?').repeat({}))).toEqual({ outcome: 'same' })
  records.close()
})
