import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ConversableAgent, tool } from '@x/agent'
import type { ChatMessage, ChatResult, EventStream, ModelEvent, XEvent } from '@x/interfaces'
import { functionModel, type ScriptedReply } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSessionAgents } from './session-agents.ts'
import { ChatSession } from './chat-session.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'session-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const calls = (...names: string[]): ScriptedReply => ({
  tool_calls: names.map((name, index) => ({ id: `${name}-${index}`, function: { name, arguments: '{"to":"Ada"}' } })),
})

/** Looks something up, then sends it, then reports. It depends only on the messages, so it is the same in every process. */
function reply(messages: readonly ChatMessage[]): ScriptedReply {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
  const results = since.flatMap(({ role, content }) =>
    role === 'tool' && typeof content === 'string' ? [content] : [],
  )
  if (results.length === 0) return calls('look', 'look')
  if (results.length === 2) return calls('send')
  return `Done: ${results.join(', ')}`
}

/** Opens the chat again, as another process would; `done` counts the effects of tools. */
function open(done: string[] = [], model: (messages: readonly ChatMessage[]) => ScriptedReply = reply): ChatSession {
  const parameters = { type: 'object', properties: { to: { type: 'string' } } } as const
  const look = tool({
    name: 'look',
    description: 'Looks.',
    parameters,
    execute: () => `look ${done.push('look')}`,
  })
  const send = tool({
    name: 'send',
    description: 'Sends.',
    parameters,
    needsApproval: true,
    execute: ({ to }) => `send ${done.push(`send ${String(to)}`)}`,
  })
  return new ChatSession({
    folder,
    agents: () =>
      createSessionAgents({
        llmConfig: functionModel(({ messages }) => model(messages)),
        systemMessage: 'Help.',
        tools: [look, send],
      }),
  })
}

const ended = async (turn: EventStream<ChatResult>): Promise<ChatResult['terminationReason']> =>
  (await turn.result).terminationReason

/** Allows all pending tool calls until the turn has ended. */
async function allowed(session: ChatSession): Promise<void> {
  while (session.unfinished !== null) {
    for (const { id } of session.pending) await session.decide(id, { allow: true })
    await ended(session.resume())
  }
}

describe('a chat in a folder', () => {
  it('is remembered by another process', async () => {
    const answer = (messages: readonly ChatMessage[]): string => `I was sent ${messages.length}`
    expect(await ended(open([], answer).say('One'))).toBe('termination-message')
    const again = open([], answer)
    await ended(again.say('Two'))
    expect(again.messages.map(({ content }) => content)).toEqual(['One', 'I was sent 2', 'Two', 'I was sent 4'])
    expect(open([], answer).messages).toEqual(again.messages)
  })

  it('takes a decision in another process, makes the call once, and refuses a second decision', async () => {
    const done: string[] = []
    expect(await ended(open(done).say('Go'))).toBe('suspended')
    expect(done).toEqual(['look', 'look'])
    const again = open(done)
    expect(again.unfinished).toBe('Go')
    const [{ id, action }] = again.pending as [ChatSession['pending'][number]]
    expect(action).toMatchObject({ type: 'toolCall', name: 'send', arguments: { to: 'Ada' } })
    expect(() => again.say('More')).toThrow(/has not ended/u)
    expect(await ended(again.resume())).toBe('suspended')
    await again.decide(id, { allow: true, arguments: { to: 'Bob' } })
    await expect(again.decide(id, { allow: true })).rejects.toMatchObject({ code: 'invalid-state' })
    const third = open(done)
    await expect(third.decide(id, { allow: true })).rejects.toMatchObject({ code: 'invalid-state' })
    expect(await ended(third.resume())).toBe('termination-message')
    expect(done).toEqual(['look', 'look', 'send Bob'])
    expect(third.messages.at(-1)?.content).toBe('Done: look 1, look 2, send 3')
    expect(() => third.resume()).toThrow(/every turn has ended/u)
  })

  it('saves further members between turns, and refuses others', async () => {
    const openWith = (members: ConversableAgent[]): ChatSession => {
      const llmConfig = functionModel(() => 'Hello.')
      return new ChatSession({
        folder,
        agents: () => ({ ...createSessionAgents({ llmConfig, systemMessage: '' }), members }),
      })
    }
    const member = (name: string): ConversableAgent => new ConversableAgent({ name, humanInputMode: 'NEVER' })
    const [cook, reader] = [member('cook'), member('cook')]
    const first = openWith([cook])
    cook.setContext('soup', 'leek')
    await ended(first.say('Hi'))
    first[Symbol.dispose]()
    openWith([reader])[Symbol.dispose]()
    expect(reader.getContext('soup')).toBe('leek')
    expect(() => openWith([])).toThrow(expect.objectContaining({ code: 'invalid-state' }))
    expect(() => openWith([member('critic')])).toThrow(/members `cook` and now has `critic`/u)
  })

  it('sums the usage of all agents, in this process and earlier ones', async () => {
    const openWith = (): ChatSession => {
      const llmConfig = functionModel(() => ({ content: 'Hello.', usage: [10, 2], cost: 0.5 }))
      const quiet = functionModel(() => ({ content: 'Yes.', usage: [1, 1], cost: null }), { model: 'other' })
      const member = new ConversableAgent({ name: 'cook', llmConfig: quiet, humanInputMode: 'NEVER' })
      return new ChatSession({
        folder,
        agents: () => ({ ...createSessionAgents({ llmConfig, systemMessage: '' }), members: [member] }),
      })
    }
    const first = openWith()
    expect(first.usage).toEqual({ totalCost: 0, models: {} })
    await first.agents.members![0]!.generateReply({ messages: [{ role: 'user', content: 'Hi' }] })
    await ended(first.say('Hi'))
    first[Symbol.dispose]()
    const later = openWith()
    await ended(later.say('Hi'))
    expect(later.usage).toEqual({
      totalCost: 1,
      models: {
        scripted: { cost: 1, promptTokens: 20, completionTokens: 4, totalTokens: 24 },
        other: { cost: 0, promptTokens: 1, completionTokens: 1, totalTokens: 2 },
      },
      unpriced: ['other'],
    })
  })

  it('gives the result of a turn whose events nobody reads', async () => {
    const session = open([], () => 'Hello.')
    expect(await session.say('Hi').result).toMatchObject({
      summary: 'Hello.',
      terminationReason: 'termination-message',
    })
    expect(session.unfinished).toBeNull()
  })

  it('stops a turn when its reader leaves, and keeps the turn as far as it came', async () => {
    const session = open([], (messages) => `I was sent ${messages.length}`)
    const stream = session.say('One')
    for await (const { type } of stream) if (type === 'receivedMessage') break
    await expect(stream.result).rejects.toMatchObject({ code: 'aborted' })
    expect(session.unfinished).toBeNull()
    await session.say('Two').result
    expect(session.messages.map(({ content }) => content)).toEqual(['One', 'Two', 'I was sent 3'])
  })

  it('begins no turn that was stopped before', async () => {
    const session = open([], () => 'ok')
    const signal = AbortSignal.abort()
    expect(() => session.say('One', { signal })).toThrow(expect.objectContaining({ code: 'aborted' }))
    expect(session.unfinished).toBeNull()
    await session.say('Two').result
    expect(session.messages.map(({ content }) => content)).toEqual(['Two', 'ok'])
  })

  it('tells the model why a call was denied', async () => {
    const session = open()
    await ended(session.say('Go'))
    await session.decide(session.pending[0]!.id, { allow: false, reason: 'too late' })
    await ended(session.resume())
    expect(session.messages.at(-1)?.content).toMatch(/too late/u)
  })

  it('continues after a stop with a history that a model accepts', async () => {
    const never = new Promise<void>(() => {})
    const begun: ModelEvent = { type: 'textDelta', index: 0, text: 'It' }
    const stop = new AbortController()
    const session = open([], () => ({ stream: [begun, never] }))
    const events = session.say('One', { signal: stop.signal })
    for (;;) {
      const { value } = await events.next()
      if ((value as XEvent).type === 'textDelta') break
    }
    const rest = ended(events)
    stop.abort()
    await expect(rest).rejects.toMatchObject({ code: 'aborted' })
    expect(session.unfinished).toBeNull()
    const again = open([], (messages) => `I was sent ${messages.map(({ content }) => JSON.stringify(content)).join()}`)
    await ended(again.say('Two'))
    expect(again.messages.at(-1)?.content).toBe('I was sent "Help.","One","Two"')
  })

  it('has not ended its turn when the journal could not be written, and resumes from the written part', async () => {
    const done: string[] = []
    const journal = join(folder, 'turn-1.jsonl')
    let away = true
    const session = open(done, (messages) => {
      if (away && messages.at(-1)?.role === 'tool') {
        renameSync(journal, `${journal}.away`)
        mkdirSync(journal)
      }
      return reply(messages)
    })
    await expect(ended(session.say('Go'))).rejects.toMatchObject({ code: 'EISDIR' })
    away = false
    rmdirSync(journal)
    renameSync(`${journal}.away`, journal)
    expect(session.unfinished).toBe('Go')
    await ended(session.resume())
    await allowed(session)
    expect(done).toEqual(['look', 'look', 'send Ada'])
    expect(session.messages.at(-1)?.content).toBe('Done: look 1, look 2, send 3')
  })

  it('ends the same when its process is killed after any of its events', async () => {
    const whole = open()
    await ended(whole.say('Go'))
    await allowed(whole)
    await ended(whole.say('Again'))
    await allowed(whole)
    const undisturbed = JSON.stringify(whole.messages)

    let kills = 0
    for (let at = 0; ; at++, kills++) {
      rmSync(folder, { recursive: true })
      const done: string[] = []
      const killed = open(done)
      const events = killed.say('Go')
      let last: IteratorResult<XEvent, ChatResult> | undefined
      for (let event = 0; event <= at && !last?.done; event++) last = await events.next()
      // The abandoned run finishes its current step, and then waits until its next event is read.
      await setImmediate()
      const next = open(done)
      await allowed(next)
      await ended(next.say('Again'))
      await allowed(next)
      expect(next.messages).toEqual(JSON.parse(undisturbed))
      expect(done).toEqual(['look', 'look', 'send Ada', 'look', 'look', 'send Ada'])
      if (last?.done) break
    }
    expect(kills).toBeGreaterThan(10)
  })

  it('ignores a partial line that was being written when the process was killed', async () => {
    const done: string[] = []
    await ended(open(done).say('Go'))
    const file = join(folder, 'turn-1.jsonl')
    appendFileSync(file, '\n{"key":"1.9","wh')
    const session = open(done)
    await allowed(session)
    expect(done).toEqual(['look', 'look', 'send Ada'])
    expect(existsSync(file)).toBe(false)
  })

  it.each([
    ['of a newer version', '{"version":2}', 'unknown-state-version', /version is 2.*update `@x\/session`/u],
    ['of an older version', '{"version":0}', 'unknown-state-version', /version is 0.*release that reads version 0/u],
    ['of a broken shape', '{"version":1,"turns":-1,"message":null,"agents":null}', 'invalid-state', /`turns`/u],
    [
      'with broken agents',
      '{"version":1,"turns":1,"message":null,"agents":{"user":{"version":2,"kind":"agent","name":7},"assistant":{}}}',
      'invalid-state',
      /systemMessage/u,
    ],
    ['that is not JSON', '{"version"', 'invalid-state', /not valid JSON/u],
    [
      'of another checksum',
      '{"version":1,"turns":2,"message":null,"agents":null,"checksum":"0000000000000000"}',
      'invalid-state',
      /`checksum` is damaged/u,
    ],
  ])('%s is refused', (_, text, code, message) => {
    writeFileSync(join(folder, 'chat.json'), text)
    expect(() => open()).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) as string }))
  })

  it('is written by one session, so that no turn of another is lost', async () => {
    const [first, second] = [open([], () => 'ok'), open([], () => 'ok')]
    const turn = second.say('two')
    expect(() => first.say('one')).toThrow('another session has written it')
    expect(() => first.resume()).toThrow(expect.objectContaining({ code: 'invalid-state' }))
    await turn.result
    expect(open().messages.map(({ content }) => content)).toEqual(['two', 'ok'])
    second[Symbol.dispose]()
    expect(() => second.say('three')).toThrow('is closed')
    expect(open().unfinished).toBeNull()
  })

  it('stays whole when another session goes on with a turn under way', async () => {
    const first = open([], () => 'ok')
    const other = vi.fn(async () => await open([], () => 'ok').resume().result)
    const read = async (): Promise<void> => {
      for await (const { type } of first.say('one')) if (type === 'modelCallEnd') await other()
    }
    await expect(read()).rejects.toThrow('another session has written it')
    expect(other).toHaveBeenCalledOnce()
    expect(open().messages.map(({ content }) => content)).toEqual(['one', 'ok'])
    expect(readdirSync(folder).filter((name) => name.startsWith('turn'))).toEqual([])
  })

  it('has one turn at a time, also of those that nobody has read yet', async () => {
    const session = open([], () => 'ok')
    expect(() => session.say(undefined as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    const said = session.say('one')
    const resumed = session.resume()
    await expect(said.result).rejects.toMatchObject({ code: 'invalid-state' })
    await resumed.result
    expect(session.messages.map(({ content }) => content)).toEqual(['one', 'ok'])
  })

  it('leaves the lock of a process that has taken over from a killed one meanwhile', () => {
    const lock = join(folder, 'lock')
    writeFileSync(lock, '999999')
    const [killed, other] = [999_999, process.ppid]
    vi.spyOn(process, 'kill').mockImplementation((pid) => {
      if (pid === other) return true
      expect(pid).toBe(killed)
      writeFileSync(lock, String(other))
      throw Object.assign(new Error('no such process'), { code: 'ESRCH' })
    })
    try {
      expect(() => open()).toThrow(`process ${other} has it open`)
    } finally {
      vi.restoreAllMocks()
    }
    expect(readdirSync(folder)).toEqual(['lock'])
    expect(readFileSync(lock, 'utf8')).toBe(String(other))
  })

  it('is open in one process at a time, and ignores the lock of a killed one', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    const gone = once(other, 'exit')
    const lock = join(folder, 'lock')
    writeFileSync(lock, String(other.pid))
    expect(() => open()).toThrow(expect.objectContaining({ code: 'invalid-state' }))
    other.kill('SIGKILL')
    await gone
    const session = open()
    expect(readFileSync(lock, 'utf8')).toBe(String(process.pid))
    session[Symbol.dispose]()
    expect(existsSync(lock)).toBe(false)
  })
})
