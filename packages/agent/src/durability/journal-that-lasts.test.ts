import type { ChatResult, JournalEntry, ToolContext } from '@x/interfaces'
import { functionModel } from '@x/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChatJournal, decisionEntry, fork, pendingIn, tool } from '../index.ts'
import { agent, toolChat } from '../run/tool-chat.fake.ts'
import { build, chatPlan, type ChatPlan } from './living-program.fake.ts'

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const load = (entries: readonly JournalEntry[]): ChatJournal =>
  ChatJournal.load({ version: 3, kind: 'chat', entries: json(entries) })

type Order = (one: string, other: string) => number

/** As a store gives it back that orders keys by its own rule. */
function reordered(value: unknown, order: Order): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => reordered(each, order))
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => order(one, other))
      .map(([key, each]) => [key, reordered(each, order)]),
  )
}

const orders: Record<string, Order> = {
  'the order of jsonb': (one, other) =>
    Buffer.byteLength(one) - Buffer.byteLength(other) || Buffer.compare(Buffer.from(one), Buffer.from(other)),
  'the reverse order': (one, other) => (one < other ? 1 : -1),
}

/** Runs a program from its entries to its end, with every question allowed; each process reads what a store gave back. */
async function finished(
  plan: ChatPlan,
  before: readonly JournalEntry[],
  store: (entries: readonly JournalEntry[]) => readonly JournalEntry[],
): Promise<{ outcome: unknown; entries: readonly JournalEntry[] }> {
  let entries = before
  for (;;) {
    // Nothing fails once: a process that begins later would not know of it.
    const failed = { has: () => true, add: () => failed } as unknown as Set<string>
    const { from, to, options } = build(plan, { done: [], failed })
    const journal = load(store(entries))
    for (const { id } of journal.pending) await journal.decide(id, { allow: true })
    const outcome = await from.initiateChat(to, { ...options, journal }).catch((error: Error) => error.message)
    entries = json(journal.saveState().entries)
    if (typeof outcome === 'string' || outcome.terminationReason !== 'suspended') return { outcome, entries }
  }
}

describe('a journal that lasts', () => {
  it.each(Object.keys(orders))('goes on when its keys come back in %s', async (name) => {
    const store = (entries: readonly JournalEntry[]): readonly JournalEntry[] =>
      reordered(entries, orders[name]!) as JournalEntry[]
    await fc.assert(
      fc.asyncProperty(chatPlan, fc.nat(1000), async (plan, at) => {
        const whole = await finished(plan, [], (entries) => entries)
        for (const length of [at % (whole.entries.length + 1), whole.entries.length]) {
          const resumed = await finished(plan, whole.entries.slice(0, length), store)
          expect(json(resumed.outcome)).toEqual(json(whole.outcome))
        }
      }),
      { numRuns: 40 },
    )
  })

  it('goes on from each of its entries with texts that stores refuse', async () => {
    const character = fc.oneof(
      fc.constantFrom('\0', '\uD800', '\uDFFF', '\u001A', '\u001A0000', '\u{1F600}', 'a', '__proto__'),
      fc.string({ unit: 'binary', maxLength: 2 }),
    )
    const text = fc.array(character, { maxLength: 5 }).map((each) => each.join(''))
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const answer = async ({ run }: ToolContext): Promise<unknown> => {
          const expert = agent('expert', { contextVariables: { [one]: other } })
          expert.registerReply(
            () => true,
            () => [true, other],
          )
          const { summary } = await agent('clerk').initiateChat(expert, { message: one, maxTurns: 1, run })
          return { [`key ${one}`]: summary }
        }
        const journal = new ChatJournal()
        const whole = await toolChat(answer, { message: one, journal })
        expect(JSON.parse(whole.answer)).toEqual({ [`key ${one}`]: other })
        const { entries } = journal.saveState()
        JSON.stringify(entries, (key, value: unknown) => {
          for (const each of [key, value]) {
            if (typeof each !== 'string') continue
            expect(each).not.toContain('\0')
            expect(each.isWellFormed()).toBe(true)
          }
          return value
        })
        for (let length = 0; length <= entries.length; length++) {
          const resumed = await toolChat(answer, { message: one, journal: load(entries.slice(0, length)) })
          expect(resumed.error).toBeUndefined()
          expect(resumed.result).toEqual(whole.result)
        }
      }),
      { numRuns: 25 },
    )
  })

  it.each([
    [1, 'an older release wrote it: go on with a release that reads version 1'],
    [2, 'an older release wrote it: go on with a release that reads version 2'],
    [4, 'a newer release wrote it: update `@x/agent`'],
    ['3', 'that is not a version: restore it from a copy'],
  ])('of version %j is refused by its number, and says how to go on', (version, advice) => {
    expect(() => ChatJournal.load({ version, kind: 'chat', entries: [] })).toThrow(
      expect.objectContaining({
        code: 'unknown-state-version',
        details: { version, known: [3] },
        message: expect.stringContaining(advice) as string,
      }),
    )
  })

  it('grows with what changes of context variables, not with all of them', async () => {
    const journal = new ChatJournal()
    const user = agent('user')
    const assistant = agent('assistant')
    let calls = 0
    assistant.registerReply(
      () => true,
      () => [
        true,
        {
          content: null,
          tool_calls: [{ id: `c${++calls}`, type: 'function', function: { name: 'note', arguments: '{}' } }],
        },
      ],
    )
    user.registerFunction({
      note: () => {
        user.setContext(`k${calls}`, 'z'.repeat(200))
        return 'noted'
      },
    })
    await user.initiateChat(assistant, { message: 'hi', maxTurns: 101, journal })
    expect(calls).toBeGreaterThan(100)
    const { entries } = journal.saveState()
    expect(JSON.stringify(entries).length).toBeLessThan(200_000)
    const [again, other] = [agent('user'), agent('assistant')]
    other.registerReply(
      () => true,
      () => [true, 'never asked'],
    )
    again.registerFunction({ note: () => 'never called' })
    await again.initiateChat(other, { message: 'hi', maxTurns: 101, journal: load(entries) })
    expect(again.saveState().contextVariables).toEqual(user.saveState().contextVariables)
  })
})

describe('a journal that fails', () => {
  /** A tool that goes on whatever becomes of what it starts. */
  const careless = async ({ run }: ToolContext): Promise<unknown> => {
    const start = async (): Promise<unknown> =>
      (
        await agent('clerk').initiateChat(agent('expert', { defaultAutoReply: 'well' }), {
          message: 'x',
          maxTurns: 1,
          run,
        })
      ).summary
    return await start().catch(() => 'went on')
  }

  it.each(['at once', 'later'])('ends the run though a tool catches, at every entry: %s', async (when) => {
    const whole = new ChatJournal()
    await toolChat(careless, { journal: whole })
    const error = new Error('the disk is full')
    for (let failing = 0; failing < whole.length; failing++) {
      let written = 0
      const onEntry = (): Promise<void> | undefined => {
        if (written++ !== failing) return undefined
        if (when === 'at once') throw error
        return Promise.reject(error)
      }
      const journal = new ChatJournal({ onEntry })
      const failed = await toolChat(careless, { journal })
      expect(failed.error).toBe(error)
      expect(journal.length).toBe(failing)
      const next = await toolChat(careless, { journal: load(journal.saveState().entries) })
      expect(next.answer).toBe('well')
    }
  })
})

describe('what waits', () => {
  it('is found and decided on among entries alone', async () => {
    const chat = async (entries: JournalEntry[]): Promise<{ result: ChatResult | undefined; answer: string }> => {
      const journal = load(entries)
      const asking = async ({ run }: ToolContext): Promise<unknown> => {
        const clerk = agent('clerk', { beforeToolCall: () => 'ask' })
        const expert = agent('expert')
        expert.registerReply(
          () => true,
          () => [
            true,
            { content: null, tool_calls: [{ id: 'd', type: 'function', function: { name: 'do', arguments: '{}' } }] },
          ],
        )
        clerk.registerFunction({ do: ({ n = 1 }: { n?: number }) => `done ${n}` })
        return (await clerk.initiateChat(expert, { message: 'go', maxTurns: 2, run })).chatHistory.at(2)?.content
      }
      const ended = await toolChat(asking, { journal })
      entries.splice(0, Infinity, ...json(journal.saveState().entries))
      return ended
    }
    const entries: JournalEntry[] = []
    expect((await chat(entries)).result?.terminationReason).toBe('suspended')
    const [pending] = pendingIn(entries)
    expect(pending).toMatchObject({ agent: 'clerk', action: { type: 'toolCall', name: 'do' } })
    expect(() => decisionEntry(pending!, {} as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    entries.push(decisionEntry(pending!, { allow: true, arguments: { n: 7 } }))
    expect(pendingIn(entries)).toEqual([])
    expect((await chat(entries)).answer).toContain('done 7')
  })
})

describe('a fork', () => {
  it('keeps all entries with null, takes another version, and refuses a place that is none', async () => {
    const journal = new ChatJournal()
    await toolChat(() => 1, { journal, runId: 'first', version: '1' })
    const { entries } = journal.saveState()
    const whole = fork(entries, null, { runId: 'second', version: '2' })
    expect(whole.slice(1)).toEqual(entries.slice(1))
    expect(whole[0]!.value).toMatchObject({ runId: 'second', version: '2' })
    for (const place of ['', '1.', 'end', '1.x']) {
      expect(() => fork(entries, place)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    }
  })

  it('goes on from every place as a run of its own', async () => {
    const keys: string[] = []
    const tool = async ({ run, key }: ToolContext): Promise<unknown> => {
      keys.push(key)
      const expert = agent('expert', { defaultAutoReply: 'well' })
      return (await agent('clerk').initiateChat(expert, { message: 'x', maxTurns: 2, run })).summary
    }
    const journal = new ChatJournal()
    const whole = await toolChat(tool, { journal, runId: 'first' })
    const { entries } = journal.saveState()
    for (const { place } of entries.slice(1)) {
      const runId = `second \0 ${place}`
      const forked = load(fork(entries, place, { runId }))
      expect(forked.length).toBeLessThan(entries.length)
      expect(JSON.stringify(forked.saveState())).not.toContain('\\u0000')
      keys.length = 0
      expect((await toolChat(tool, { journal: forked, runId })).result).toEqual(whole.result)
      expect(forked.runId).toBe(runId)
      for (const key of keys) expect(key.startsWith(`${runId}/`)).toBe(true)
      const cut = load(entries)
      cut.cut(place)
      expect(cut.runId).toBe('first')
      expect((await toolChat(tool, { journal: cut })).result).toEqual(whole.result)
      expect(cut.length).toBe(entries.length)
    }
  })
})

describe('a fork behind a hook', () => {
  it('has the result of the hook, and does not call it again', async () => {
    const hooked: unknown[] = []
    const chat = (journal: ChatJournal): Promise<unknown> => {
      const clerk = agent('clerk', {
        llmConfig: functionModel(({ messages }) =>
          messages.at(-1)?.role === 'tool'
            ? 'Done.'
            : { tool_calls: ['a', 'b'].map((id) => ({ id, function: { name: 'look', arguments: '{}' } })) },
        ),
      })
      clerk.registerHook('processMessageBeforeSend', ({ message }) => {
        hooked.push(message)
        return typeof message === 'string' ? message : { ...message, content: 'Marked.' }
      })
      const look = tool({ name: 'look', description: 'Looks.', parameters: { type: 'object' }, execute: () => 1 })
      return clerk.run('Look.', { tools: look, journal }).then(({ messages }) => messages[1]?.content)
    }
    const journal = new ChatJournal()
    expect(await chat(journal)).toBe('Marked.')
    const { entries } = journal.saveState()
    const { place } = entries.findLast(({ kind }) => kind === 'tool')!
    hooked.length = 0
    expect(await chat(load(fork(entries, place)))).toBe('Marked.')
    expect(hooked).toEqual(['Done.'])
  })
})
