import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import type { HostBackend } from '@x/interfaces'
import { XError } from '@x/kernel'
import { functionModel } from '@x/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { CheckedChat } from './check.ts'
import type { ChatRun } from './defined-chat.ts'
import { createHost, defineChat, sqlite, type DefinedChat, type Host } from './index.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/** A store in a file, which a test can read and damage. */
function stored(): { at: HostBackend; file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'host-check-'))
  const file = join(folder, 'chats.db')
  const at = sqlite(file)
  stops.push(
    () => rmSync(folder, { recursive: true }),
    () => at.close(),
  )
  return { at, file }
}

/** A host on a store, which stays open. */
const hostAt = (at: HostBackend, ...chats: readonly DefinedChat[]): Host =>
  createHost({ chats, at: { ...at, close() {} } })

/** Starts a worker; returns the function that ends it. */
function works(host: Host): () => Promise<void> {
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, onError: () => {} })
  const end = async (): Promise<void> => {
    stop.abort()
    await work
  }
  stops.push(end)
  return end
}

async function collect(chats: AsyncIterable<CheckedChat>): Promise<CheckedChat[]> {
  const all: CheckedChat[] = []
  for await (const chat of chats) all.push(chat)
  return all
}

/** Checks the only chat of a store. */
async function checked(at: HostBackend, program: DefinedChat, options = {}): Promise<CheckedChat> {
  const all = await collect(hostAt(at).check(program, options))
  expect(all).toHaveLength(1)
  return all[0]!
}

/** Everything that a store has, as it is on the disk. */
function contentOf(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true })
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
  const all = tables.map(({ name }) => [name, db.prepare(`SELECT * FROM ${String(name)}`).all()])
  db.close()
  return JSON.stringify(all)
}

/** The parts of a shop that a version of its program may change, and how often something outside was called. */
interface Shop {
  /** Other options of `defineChat`. */
  readonly definition?: object
  readonly message?: string
  readonly prompt?: string
  readonly agentName?: string
  readonly approval?: boolean
  readonly tools?: readonly string[]
  readonly maxTurns?: number
  /** Changes the agent before the chat. */
  readonly change?: (clerk: AssistantAgent) => void
  readonly before?: (chat: ChatRun<never>, log: string[]) => unknown
  readonly after?: (chat: ChatRun<never>, log: string[]) => unknown
  readonly fails?: XError
  readonly log?: string[]
}

const NO_PARAMETERS = { type: 'object' } as const

/** A program of a clerk who looks something up, and pays with an approval. */
function shop(version: Shop = {}): DefinedChat {
  const { message = 'Pay.', agentName = 'clerk', approval = true, tools = ['look', 'pay'], maxTurns = 6 } = version
  const { definition, change, before, after, fails, log = [], prompt } = version
  return defineChat({
    name: 'shop',
    version: '1',
    async run(chat) {
      await before?.(chat as never, log)
      const llmConfig = functionModel(({ messages }) => {
        log.push('model')
        const results = messages.filter(({ role }) => role === 'tool').length
        if (results === 2 && fails) throw fails
        const name = ['look', 'pay'][results]
        return name === undefined ? 'paid' : { tool_calls: [{ id: name, function: { name, arguments: '{}' } }] }
      })
      const clerk = new AssistantAgent({ name: agentName, llmConfig, ...(prompt && { systemMessage: prompt }) })
      change?.(clerk)
      const own = tools.map((name) =>
        tool({
          name,
          description: name,
          parameters: NO_PARAMETERS,
          needsApproval: approval && name === 'pay',
          execute: () => (log.push(`tool ${name}`), 'done'),
        }),
      )
      const { text } = await clerk.run(message, { tools: own, maxTurns, run: chat.run })
      return (await after?.(chat as never, log)) ?? text
    },
    ...definition,
  }) as DefinedChat
}

/** Lets a shop's chat begin: it waits for the decision on its payment. */
async function suspend(at: HostBackend, program = shop()): Promise<void> {
  const host = hostAt(at, program)
  const end = works(host)
  await host.submit(program, {} as never, { id: 'a' })
  await expect.poll(async () => (await host.get('a'))!.state).toBe('suspended')
  await end()
}

async function decide(at: HostBackend): Promise<void> {
  const host = hostAt(at)
  for await (const { chat, pending } of host.pending()) await host.decide(chat, pending.id, { allow: true })
}

/** Lets a worker with a program go on with the chat, and returns the error with which it cannot; null if it can. */
async function resumed(at: HostBackend, program: DefinedChat): Promise<string | null> {
  const host = hostAt(at, program)
  const end = works(host)
  const settled = async (): Promise<string | null | undefined> => {
    const { state, outcome, setbacks, reason } = (await host.get('a'))!
    if (outcome?.state === 'failed') return outcome.error.message
    if (setbacks > 0) return reason
    return state === 'done' || state === 'suspended' ? null : undefined
  }
  await expect.poll(settled).not.toBe(undefined)
  const problem = (await settled())!
  await end()
  return problem
}

const part = (log: string[] = []): DefinedChat =>
  defineChat({ name: 'part', version: '1', concurrency: 1, keeps: 'value', run: () => log.push('part') }) as DefinedChat

const question = { kind: 'question', name: 'pay', place: '1.4.0.0' }
const pay = { kind: 'tool', name: 'pay', place: '1.4.0.1', label: 'the function pay' }

const goesOn: Record<string, Shop> = {
  'the same program': {},
  'another prompt': { prompt: 'Be brief.' },
  'one more tool': { tools: ['look', 'pay', 'more'] },
  'another limit of turns': { maxTurns: 9 },
  'a reply function that answers nothing': {
    change: (clerk) =>
      clerk.registerReply(
        () => false,
        () => [true, 'never'],
      ),
  },
  'a hook that answers at once': {
    change: (clerk) => clerk.registerHook('processLastReceivedMessage', (content) => content),
  },
  'a call behind the chat': {
    after: ({ run }) =>
      new AssistantAgent({ name: 'other', llmConfig: functionModel(() => 'later') })
        .run('Hm?', { run })
        .then(({ text }) => text),
  },
  'another version': { definition: { version: '2' } },
}

const cannotGoOn: Record<string, readonly [change: Shop, code: string | null, message: RegExp]> = {
  'another first message': [{ message: 'Stop.' }, 'invalid-state', /at `1\.0` the journal has .*Pay\..*Stop\./u],
  'another name': [{ agentName: 'boss' }, 'invalid-state', /a chat of user with clerk.*a chat of user with boss/u],
  'an approval that is not needed any more': [
    { approval: false },
    'invalid-state',
    /kind `question`.*the function pay \(an entry of kind `tool` for `pay`\)/u,
  ],
  'a reply function that answers first': [
    {
      change: (clerk) =>
        clerk.registerReply(
          () => true,
          () => [true, 'hello'],
        ),
    },
    'invalid-state',
    /kind `model`.*kind `reply`/u,
  ],
  'two agents of one name': [
    {
      before: async ({ run }) => {
        const user = new UserProxyAgent({ name: 'clerk', humanInputMode: 'NEVER' })
        const other = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(() => 'TERMINATE') })
        await user.initiateChat(other, { message: 'Pay.', run })
      },
    },
    'invalid-argument',
    /the other agent is named `clerk` too/u,
  ],
  'a schema that refuses the input': [
    {
      definition: {
        input: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
      },
    },
    'invalid-argument',
    /does not fit its schema.*order/u,
  ],
  'an option that is refused': [
    { change: () => new AssistantAgent({ name: 'x', maxConsecutiveAutoReply: 'two' as never }) },
    'invalid-argument',
    /maxConsecutiveAutoReply/u,
  ],
  'a part without slots of its own': [
    { before: ({ perform }) => perform(defineChat({ name: 'p', version: '1', run: () => 1 }) as DefinedChat, {}) },
    'invalid-argument',
    /it has no slots of its own/u,
  ],
  'an error of the program': [{ before: () => Promise.reject(new TypeError('no such file')) }, null, /^no such file$/u],
  'an error that passes, after which it would not run again': [
    {
      before: () => Promise.reject(new XError('connection-failed', 'it is away')),
      definition: { retry: { most: 0 } },
    },
    'connection-failed',
    /it is away/u,
  ],
  'a value that is not JSON': [
    { before: () => {}, definition: { run: () => 1n as never } },
    'invalid-argument',
    /its value is not plain JSON/u,
  ],
  'a wait in a program that keeps only its value': [
    { definition: { keeps: 'value' }, before: ({ receive, id }) => id === 'a' && receive() },
    'invalid-state',
    /keeps only its value, and cannot wait for a message/u,
  ],
}

describe('a chat that waits for a decision', () => {
  it.each(Object.keys(goesOn))('goes on with %s', async (name) => {
    const { at, file } = stored()
    await suspend(at)
    const before = contentOf(file)
    const log: string[] = []
    const program = shop({ ...goesOn[name], log })
    const chat = { id: 'a', name: 'shop', version: '1', goesOn: true, unused: 0, skipped: null, problem: null }
    expect(await checked(at, program)).toMatchObject({ ...chat, state: 'suspended', next: question })
    expect(contentOf(file)).toBe(before)
    await decide(at)
    const decided = contentOf(file)
    expect(await checked(at, program)).toMatchObject({ ...chat, state: 'waiting', next: pay })
    expect(contentOf(file)).toBe(decided)
    expect(log).toEqual([])
    if (program.version === '1') expect(await resumed(at, program)).toBe(null)
  })

  it.each(Object.keys(cannotGoOn))('cannot go on with %s, as a worker finds out', async (name) => {
    const [change, code, message] = cannotGoOn[name]!
    const { at, file } = stored()
    await suspend(at)
    const log: string[] = []
    const program = shop({ ...change, log })
    const before = contentOf(file)
    const { problem, ...chat } = await checked(at, program)
    expect(problem).toMatchObject({ code, message: expect.stringMatching(message) as string })
    expect(chat).toMatchObject({ goesOn: false, next: null, skipped: null })
    expect([contentOf(file), log]).toEqual([before, []])
    await decide(at)
    expect(await resumed(at, program)).toBe(problem!.message)
  })

  it('does next what the program has come to ask before', async () => {
    const { at } = stored()
    await suspend(at)
    const all = (await at.store.entries('a')).filter(({ kind }) => kind !== 'wait').length
    const receives = await checked(at, shop({ before: ({ receive }) => receive() }))
    // A chat of which nothing is used would do everything again.
    expect(receives).toMatchObject({ goesOn: true, next: { kind: 'message', place: null }, unused: all - 1 })
    const tells = await checked(at, shop({ tools: ['look'] }))
    expect(tells).toMatchObject({ goesOn: true, next: { kind: 'model', label: 'the model of clerk' }, unused: 1 })
    const lacks = await checked(at, shop({ tools: ['pay'] }))
    expect(lacks).toMatchObject({ goesOn: true, next: question, unused: 1 })
    const program = part()
    const { next } = await checked(at, shop({ before: ({ perform }) => perform(program, {}) }))
    expect(next).toEqual({ kind: 'part', name: 'part', place: null, label: 'the part `part`' })
  })

  it('ends where the program makes no further call', async () => {
    const { at } = stored()
    await suspend(at)
    expect(await checked(at, shop({ definition: { run: () => 'short' } }))).toMatchObject({ goesOn: true, next: null })
  })
})

/** Submits chats of programs, and lets a worker with them go on until all are settled. */
async function settled(at: HostBackend, programs: Readonly<Record<string, DefinedChat>>, state: string): Promise<void> {
  const host = hostAt(at, ...new Set(Object.values(programs)))
  const end = works(host)
  for (const [id, program] of Object.entries(programs)) await host.submit(program, {} as never, { id })
  for (const id of Object.keys(programs)) await expect.poll(async () => (await host.get(id))!.state).toBe(state)
  await end()
}

describe('a check', () => {
  it('takes chats in every state but those that have ended well or were cancelled', async () => {
    const { at } = stored()
    const down = (kind: 'server' | 'auth'): XError => new XError('model-failed', 'no answer', { kind })
    await settled(at, { suspended: shop() }, 'suspended')
    await settled(at, { done: shop({ approval: false }) }, 'done')
    await settled(at, { 'waiting-to-retry': shop({ approval: false, fails: down('server') }) }, 'waiting-to-retry')
    await settled(at, { failed: shop({ approval: false, fails: down('auth') }) }, 'failed')
    const host = hostAt(at)
    for (const id of ['waiting', 'cancelled', 'running']) await host.submit(shop(), {} as never, { id })
    await host.cancel('cancelled')
    await at.store.claim('running', 60)
    const other = defineChat({ name: 'other', version: '1', run: () => 1 }) as DefinedChat
    await host.submit(other, {} as never, { id: 'other' })
    const all = await collect(host.check(shop({ approval: false })))
    const model = { kind: 'model', label: 'the model of clerk' }
    expect(all.map(({ id, state, next, problem }) => [id, state, next?.place, next?.label, problem?.code])).toEqual([
      ['waiting', 'waiting', '1.1', model.label, undefined],
      ['running', 'running', '1.1', model.label, undefined],
      ['waiting-to-retry', 'waiting-to-retry', '1.5', model.label, undefined],
      ['suspended', 'suspended', undefined, undefined, 'invalid-state'],
      ['failed', 'failed', '1.5', model.label, undefined],
    ])
  })

  it('says what an error that passes has kept it from', async () => {
    const { at } = stored()
    await suspend(at)
    const down = new XError('model-failed', 'the table is locked', { kind: 'connection' })
    expect(await checked(at, shop({ before: () => Promise.reject(down) }))).toMatchObject({
      ...{ goesOn: false, next: null, problem: null },
      skipped: 'its program fails in a way that passes: the table is locked',
    })
  })

  it('ends with a program that makes no call, and goes on with the next chat', async () => {
    const { at } = stored()
    await suspend(at)
    let asked = 0
    const waits = shop({ before: () => (asked++ === 0 ? new Promise(() => {}) : undefined) })
    expect(await checked(at, waits, { timeout: 0.05 })).toMatchObject({
      ...{ goesOn: false, next: null, problem: null },
      skipped: 'its program made no call within 0.05 seconds',
    })
    expect(await checked(at, waits)).toMatchObject({ goesOn: true })
  })

  it('is ended by its signal, also within a chat', async () => {
    const { at } = stored()
    await suspend(at)
    const stop = new AbortController()
    const waits = shop({ before: () => (stop.abort(), new Promise(() => {})) })
    await expect(checked(at, waits, { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' })
    await expect(checked(at, shop(), { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' })
  })

  it('refuses anything but a program and its options', async () => {
    const { at } = stored()
    const host = hostAt(at)
    const given = [undefined, { name: 'shop' }, 'shop'] as unknown as DefinedChat[]
    for (const each of given) await expect(collect(host.check(each))).rejects.toThrow('not a chat made by `defineChat`')
    const wrong = [{ timeout: 0 }, { signal: 1 }, { timeOut: 3 }] as object[]
    for (const each of wrong)
      await expect(checked(at, shop(), each)).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('reads thousands of chats page by page, each once', async () => {
    const { at } = stored()
    const program = defineChat({ name: 'shop', version: '1', run: () => 1 }) as DefinedChat
    const second = defineChat({ name: 'shop', version: '2', run: () => 1 }) as DefinedChat
    const host = hostAt(at)
    for (let n = 0; n < 1200; n++) await host.submit(n % 4 ? program : second, {} as never, { id: `${n}` })
    const pages: number[] = []
    const store = new Proxy(at.store, {
      get(target, key) {
        const method = Reflect.get(target, key) as unknown
        if (typeof method !== 'function') return method
        return (...args: unknown[]) => {
          const answer = method.apply(target, args) as unknown
          if (key === 'list') pages.push((answer as unknown[]).length)
          return answer
        }
      },
    })
    const ids = new Set<string>()
    for await (const { id, goesOn } of hostAt({ ...at, store }).check(program)) {
      expect(goesOn).toBe(true)
      ids.add(id)
      // No more is read than is asked for.
      expect(pages.reduce((sum, page) => sum + page, 0)).toBeLessThan(ids.size + 100)
    }
    expect(ids.size).toBe(1200)
    expect(Math.max(...pages)).toBe(100)
  })

  it('skips a chat that has ended meanwhile', async () => {
    const { at } = stored()
    const host = hostAt(at)
    for (const id of ['a', 'b', 'c']) await host.submit(shop(), {} as never, { id })
    const all: unknown[] = []
    for await (const { id, goesOn, skipped } of host.check(shop())) {
      all.push([id, goesOn, skipped])
      if (id !== 'a') continue
      await host.cancel('b')
      await host.cancel('c')
      await host.delete('c')
    }
    expect(all).toEqual([
      ['a', true, null],
      ['b', false, 'it is cancelled meanwhile'],
      ['c', false, 'it was deleted meanwhile'],
    ])
  })
})

/** Damages of a stored chat by hand, and what a worker says of it. */
const damages: Record<string, readonly [sql: string, code: string, message: RegExp]> = {
  'an entry that is not JSON': ["UPDATE entries SET json = '{' WHERE place = '1.0'", 'invalid-state', /not JSON/u],
  'an entry that was changed': [
    "UPDATE entries SET json = replace(json, 'Pay.', 'Play.') WHERE place = '1.0'",
    'invalid-state',
    /not as it was written/u,
  ],
  'an entry that is missing': ["DELETE FROM entries WHERE place = '1.0'", 'invalid-state', /number 1 is missing/u],
  'entries of an earlier version': [
    "UPDATE entries SET json = json_remove(json, '$.seq', '$.checksum')",
    'unknown-state-version',
    /version/u,
  ],
  'an input that is not JSON': ["UPDATE chats SET input = '{'", 'invalid-state', /its input is not JSON/u],
  'a message that is not JSON': [
    "INSERT INTO messages (chat, json) VALUES ('a', '{')",
    'invalid-state',
    /message 0 is not JSON/u,
  ],
}

describe('a damaged chat', () => {
  it.each(Object.keys(damages))('cannot go on: %s', async (name) => {
    const [sql, code, message] = damages[name]!
    const { at, file } = stored()
    await suspend(at)
    const db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
    expect(await checked(at, shop())).toMatchObject({
      ...{ goesOn: false, next: null, skipped: null },
      problem: { code, message: expect.stringMatching(message) as string },
    })
  })
})

/** A chat that pays, with an approval, and asks three others meanwhile. */
const sideBySide = (last: string, log: string[] = []): DefinedChat =>
  defineChat({
    name: 'together',
    version: '1',
    async run(chat) {
      const ask = async (message: string): Promise<void> => {
        const llmConfig = functionModel(() => (log.push('model'), 'heard'))
        await new AssistantAgent({ name: 'other', llmConfig }).run(message, { run: chat.run })
      }
      const others = async (): Promise<void> => {
        for (const message of ['Hello.', 'Hello.', last]) await ask(message)
      }
      return await Promise.all([shop({ log }).run(chat as never), others()])
    },
  }) as DefinedChat

describe('what goes on side by side', () => {
  it('is all compared, though one of it would make a call before', async () => {
    const { at } = stored()
    await suspend(at, sideBySide('Hello.'))
    await decide(at)
    const log: string[] = []
    expect(await checked(at, sideBySide('Hello.', log))).toMatchObject({ goesOn: true, next: { name: 'pay' } })
    const { problem } = await checked(at, sideBySide('Bye.', log))
    expect(problem).toMatchObject({ code: 'invalid-state', message: expect.stringContaining('Bye.') as string })
    expect(log).toEqual([])
    expect(await resumed(at, sideBySide('Bye.'))).toBe(problem!.message)
  })
})

describe('parts of a chat', () => {
  const whole = (log: string[], isLate = false): DefinedChat =>
    defineChat({
      name: 'whole',
      version: '1',
      async run({ perform, receive }) {
        const value = await perform(part(log), {})
        await receive()
        return isLate ? [value, await perform(part(log), { more: true })] : value
      },
    }) as DefinedChat

  it('are read if they have ended, and asked for otherwise', async () => {
    const { at, file } = stored()
    const host = hostAt(at, whole([]), part())
    await host.submit(whole([]), {} as never, { id: 'a' })
    const step = { kind: 'part', name: 'part', label: 'the part `part`' }
    expect(await checked(at, whole([]))).toMatchObject({ goesOn: true, next: step })
    const end = works(host)
    await expect.poll(async () => (await host.get('a'))!.state).toBe('suspended')
    await end()
    const before = contentOf(file)
    const log: string[] = []
    expect(await checked(at, whole(log))).toMatchObject({ goesOn: true, next: { kind: 'message' } })
    expect(contentOf(file)).toBe(before)
    await host.send('a', 'now')
    expect(await checked(at, whole(log))).toMatchObject({ goesOn: true, next: null })
    expect(await checked(at, whole(log, true))).toMatchObject({ goesOn: true, next: step })
    expect(log).toEqual([])
  })

  it('end the check if their store fails', async () => {
    const { at } = stored()
    await hostAt(at).submit(whole([]), {} as never, { id: 'a' })
    const store = new Proxy(at.store, {
      get(target, key) {
        const method = Reflect.get(target, key) as (...args: unknown[]) => unknown
        return (...args: unknown[]) => {
          if (key === 'get' && args[0] !== 'a') throw new Error('the store is away')
          return method.apply(target, args)
        }
      },
    })
    await expect(checked({ ...at, store }, whole([]))).rejects.toThrow('the store is away')
  })
})

it('a chat that begins to wait for a person has its questions and messages', async () => {
  const { at } = stored()
  const asks = (log: string[]): DefinedChat =>
    defineChat({
      name: 'asks',
      version: '1',
      async run({ io, run, receive }) {
        const first = await receive()
        const person = new UserProxyAgent({ name: 'person', io, humanInputMode: 'ALWAYS', codeExecutionConfig: false })
        const llmConfig = functionModel(() => (log.push('model'), 'heard'))
        const assistant = new AssistantAgent({ name: 'assistant', llmConfig })
        const { summary } = await person.initiateChat(assistant, { message: 'Hello.', maxTurns: 2, run })
        return [first, summary]
      },
    }) as DefinedChat
  const host = hostAt(at, asks([]))
  await host.submit(asks([]), {} as never, { id: 'a' })
  expect(await checked(at, asks([]))).toMatchObject({ next: { kind: 'message' } })
  await host.send('a', 'first')
  const log: string[] = []
  expect(await checked(at, asks(log))).toMatchObject({ next: { kind: 'model', label: 'the model of assistant' } })
  const end = works(host)
  await expect.poll(async () => (await host.get('a'))!.state).toBe('suspended')
  await end()
  expect(await checked(at, asks(log))).toMatchObject({ next: { kind: 'human', label: 'the human input' } })
  expect(log).toEqual([])
})

it('blocking code is stopped at its first call', async () => {
  const { at } = stored()
  const log: string[] = []
  const program = defineChat({
    name: 'blocking',
    version: '1',
    run({ run }) {
      const llmConfig = functionModel(() => (log.push('model'), 'heard'))
      const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })
      const assistant = new AssistantAgent({ name: 'assistant', llmConfig })
      try {
        return user.initiateChatSync(assistant, { message: 'Hello.', maxTurns: 1, run: run }).summary
      } catch {
        return user.initiateChatSync(assistant, { message: 'Once more.', maxTurns: 1, run: run }).summary
      }
    },
  }) as DefinedChat
  await hostAt(at).submit(program, {} as never, { id: 'a' })
  expect(await checked(at, program)).toMatchObject({ goesOn: true, next: { kind: 'model', place: '1.1' } })
  expect(log).toEqual([])
})
