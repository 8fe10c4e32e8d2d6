import { createAgent, tool } from '@x/agent'
import type { ChatMessage, PendingApproval } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { clockedStore, hostsOfTests, inState } from './clocked-host.fake.ts'
import { findFaults, logOf } from './event-laws.fake.ts'
import { type ChatDefinition, type ChatRun, defineChat, type DefinedChat, type Host } from './index.ts'

const HOUR_S = 3600
const hostWith = hostsOfTests()

type Approvals = ChatDefinition<never, unknown>['approvals']

const lastOf = (messages: readonly ChatMessage[]): ChatMessage => messages.at(-1)!

/** An agent that pays after somebody has approved of it, and tells what the tool has said. */
function clerkOf(paid: string[] = []): ReturnType<typeof createAgent> {
  const model = functionModel(({ messages }) => {
    const { role, content } = lastOf(messages)
    if (role === 'tool') return { content: content as string }
    return { tool_calls: [{ id: 'c', type: 'function', function: { name: 'pay', arguments: '{"euros":5}' } }] }
  })
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: { type: 'object' },
    needsApproval: true,
    execute: (args) => {
      paid.push(JSON.stringify(args))
      return 'paid'
    },
  })
  return createAgent({ name: 'clerk', model, tools: pay })
}

/** A chat that pays after somebody has approved of it, and tells what the tool has said. */
const payer = (approvals: Approvals, paid: string[] = []): DefinedChat =>
  defineChat({
    name: 'payer',
    version: '1',
    approvals,
    run: async ({ run }) => (await clerkOf(paid).run('Pay.', { run })).text,
  }) as DefinedChat

async function pendingOf(host: Host): Promise<PendingApproval[]> {
  const all: PendingApproval[] = []
  for await (const { pending } of host.pending()) all.push(pending)
  return all
}

describe('a question with a deadline', () => {
  it('is denied when the time is over, and the model reads why', async () => {
    const { at, clock } = clockedStore()
    const paid: string[] = []
    const program = payer({ within: 24 * HOUR_S }, paid)
    const { host, end } = hostWith(at, program)
    await host.submit(program, {} as never, { id: 'a' })
    const { wakesAt } = await inState(host, 'suspended')
    expect(Math.floor((wakesAt! - clock.now) / 1000 / HOUR_S)).toBe(24)
    expect(await pendingOf(host)).toHaveLength(1)
    await end()
    clock.now = wakesAt! + 5000
    const next = hostWith(at, program).host
    expect(await next.result('a')).toContain('nobody decided within 86400 seconds')
    expect(paid).toEqual([])
    expect(await next.decisions('a')).toMatchObject([{ by: 'deadline', entry: { value: { allow: false } } }])
    expect(await pendingOf(next)).toEqual([])
    expect(findFaults(await logOf(next, 'a'), 'suspended')).toEqual([])
  })

  it('is decided by a person before that, and the deadline does nothing', async () => {
    const { at, clock } = clockedStore()
    const paid: string[] = []
    const program = payer({ within: HOUR_S }, paid)
    const { host } = hostWith(at, program)
    await host.submit(program, {} as never, { id: 'a' })
    const { wakesAt } = await inState(host, 'suspended')
    const [pending] = await pendingOf(host)
    await host.decide('a', pending!.id, { allow: true }, { by: 'ann' })
    expect(await host.result('a')).toBe('paid')
    clock.now = wakesAt! + 1
    expect(paid).toEqual(['{"euros":5}'])
    expect(await host.decisions('a')).toMatchObject([{ by: 'ann' }])
  })

  it('has the decision that its program names', async () => {
    const { at, clock } = clockedStore()
    const paid: string[] = []
    const otherwise = { allow: true, arguments: { euros: 1 }, by: 'the house' } as const
    const program = payer({ within: HOUR_S, otherwise }, paid)
    const { host } = hostWith(at, program)
    await host.submit(program, {} as never, { id: 'a' })
    clock.now = (await inState(host, 'suspended')).wakesAt!
    expect(await host.result('a')).toBe('paid')
    expect(paid).toEqual(['{"euros":1}'])
    expect(await host.decisions('a')).toMatchObject([{ by: 'the house' }])
  })

  it('goes to somebody else, and waits again', async () => {
    const { at, clock } = clockedStore()
    const told: string[] = []
    const program = payer({
      within: HOUR_S,
      otherwise(pending, times) {
        told.push(`${pending.agent} ${times}`)
        return times < 3 ? { within: 10 * times * HOUR_S } : { allow: false, reason: 'nobody in the house' }
      },
    })
    const { host } = hostWith(at, program)
    await host.submit(program, {} as never, { id: 'a' })
    const times: number[] = []
    for (let n = 0; n < 3; n++) {
      const isNext = async (): Promise<boolean> => ((await host.get('a'))!.wakesAt ?? 0) > clock.now
      await expect.poll(isNext, { interval: 2 }).toBe(true)
      const { wakesAt } = (await host.get('a'))!
      times.push(Math.round((wakesAt! - clock.now) / 1000 / HOUR_S))
      clock.now = wakesAt!
    }
    expect(await host.result('a')).toContain('nobody in the house')
    expect([times, told]).toEqual([
      [1, 10, 20],
      ['clerk 1', 'clerk 2', 'clerk 3'],
    ])
  })

  it('keeps its deadline when the chat is woken by something else', async () => {
    const { at, clock } = clockedStore()
    const program = payer({ within: HOUR_S })
    const { host } = hostWith(at, program)
    await host.submit(program, {} as never, { id: 'a' })
    const { wakesAt, turn } = await inState(host, 'suspended')
    clock.now += 600_000
    await host.send('a', 'something')
    await expect.poll(async () => (await host.get('a'))!.turn, { interval: 2 }).toBeGreaterThan(turn + 1)
    expect((await inState(host, 'suspended')).wakesAt).toBe(wakesAt)
  })

  it.each([
    [{ within: 0 }, '`within`'],
    [{}, 'no `within`'],
    [{ within: 5, otherwise: 'deny' }, '`otherwise`'],
    [{ within: 5, otherwise: {} }, 'give a decision, such as `{ allow: false }`'],
    [{ after: 5 }, '`after`'],
  ])('is refused with a wrong policy: %j', (approvals, problem) => {
    expect(() => payer(approvals as never)).toThrow(problem)
  })

  it('fails the chat with a decision that is none', async () => {
    const { at, clock } = clockedStore()
    const program = payer({ within: HOUR_S, otherwise: () => ({}) as never })
    const { host } = hostWith(at, program)
    await host.submit(program, {} as never, { id: 'a' })
    clock.now = (await inState(host, 'suspended')).wakesAt!
    await expect(host.result('a')).rejects.toThrow('has no `allow`')
  })
})

describe('a question beside something else', () => {
  const paysOr = (what: string, other: (chat: ChatRun<never>) => Promise<unknown>): DefinedChat =>
    defineChat({
      name: `pays-or-${what}`,
      version: '1',
      run: async (chat) => await Promise.race([clerkOf().run('Pay.', { run: chat.run }), other(chat as never)]),
    }) as DefinedChat

  it.each([
    ['sleeps', paysOr('sleeps', ({ sleep }) => sleep(HOUR_S).then(() => 'too late'))],
    ['listens', paysOr('listens', ({ receive }) => receive({ timeout: HOUR_S }).then(() => 'too late'))],
  ])('does not hold up a program that %s, and goes on without a decision', async (_, program) => {
    const { at, clock } = clockedStore()
    const { host } = hostWith(at, program)
    await host.submit(program, {} as never, { id: 'a' })
    clock.now = (await inState(host, 'suspended')).wakesAt!
    expect(await host.result('a')).toBe('too late')
    expect(await pendingOf(host)).toEqual([])
    expect(findFaults(await logOf(host, 'a'), 'suspended')).toEqual([])
  })

  it('lets the program do what it begins instead', async () => {
    const model = functionModel(async () => await new Promise((resolve) => setTimeout(resolve, 20, 'reminded')))
    const program = paysOr('reminds', async ({ sleep, run }) => {
      await sleep(HOUR_S)
      return (await createAgent({ name: 'reminder', model }).run('Remind.', { run })).text
    })
    const { at, clock } = clockedStore()
    const { host } = hostWith(at, program)
    await host.submit(program, {} as never, { id: 'a' })
    clock.now = (await inState(host, 'suspended')).wakesAt!
    expect(await host.result('a')).toBe('reminded')
  })

  it('may be awaited later, and its worker lives on meanwhile', async () => {
    const program = defineChat({
      name: 'later',
      version: '1',
      async run({ run, receive }) {
        const paying = clerkOf().run('Pay.', { run })
        const messages = [await receive(), await receive()]
        return [...messages, (await paying).text]
      },
    })
    const { at } = clockedStore()
    const { host } = hostWith(at, program)
    await host.submit(program, {}, { id: 'a' })
    for (const message of ['one', 'two']) {
      await inState(host, 'suspended')
      await host.send('a', message)
    }
    await inState(host, 'suspended')
    const checked: unknown[] = []
    for await (const { goesOn, next } of host.check(program)) checked.push({ goesOn, kind: next?.kind })
    expect(checked).toEqual([{ goesOn: true, kind: 'question' }])
    const [asked] = await pendingOf(host)
    await host.decide('a', asked!.id, { allow: true })
    expect(await host.result('a')).toEqual(['one', 'two', 'paid'])
  })

  it('is none any more behind a checkpoint', async () => {
    const told: string[] = []
    const program = defineChat({
      name: 'desk',
      version: '1',
      approvals: { within: HOUR_S, otherwise: ({ id }) => (told.push(id), { allow: false }) },
      state: { heard: [] as unknown[] },
      async onMessage({ heard }, message, run, { receive, end }) {
        if (message === 'bye') return end(heard)
        const next = await Promise.race([clerkOf().run('Pay.', { run }), receive()])
        return { heard: [...heard, next] }
      },
    })
    const { at, clock } = clockedStore()
    const { host } = hostWith(at, program)
    await host.submit(program, {}, { id: 'a' })
    await host.send('a', 'pay')
    await expect.poll(async () => (await host.get('a'))!.wakesAt, { interval: 2 }).not.toBe(null)
    const [asked] = await pendingOf(host)
    await host.send('a', 'never mind')
    await expect.poll(async () => await pendingOf(host), { interval: 2 }).toEqual([])
    await expect(host.decide('a', asked!.id, { allow: true })).rejects.toThrow('no pending approval')
    expect((await inState(host, 'suspended')).wakesAt).toBe(null)
    clock.now += 2 * HOUR_S * 1000
    await host.send('a', 'bye')
    expect(await host.result('a')).toEqual(['never mind'])
    expect(told).toEqual([])
  })

  it('fails the chat by the error of what goes on beside it', async () => {
    const program = paysOr('fails', async () => await Promise.reject(new Error('no money')))
    const { host } = hostWith(clockedStore().at, program)
    await host.submit(program, {} as never, { id: 'a' })
    await expect(host.result('a')).rejects.toThrow('no money')
  })
})
