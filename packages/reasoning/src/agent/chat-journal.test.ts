import { ChatJournal, UserProxyAgent } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import type { Budget, ChatResult, Io, Journal, JournalEntry, Spending, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { MemoryJournal } from '@x/kernel/run'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { bestOfN, modelParts, ReasoningAgent, search } from '../index.ts'

const io: Io = { send: () => {}, input: () => 'exit' }

/** A model that proposes, grades and answers; `asked` counts the calls. */
function chat(asked: string[], waits = true, maxDepth = 3) {
  const answer = ({ messages }: { readonly messages: readonly unknown[] }): string => {
    const text = JSON.stringify(messages.at(-1))
    asked.push(text)
    if (/rate|rating/iu.test(JSON.stringify(messages[0]))) return `Rating: ${(text.length % 9) + 1}`
    if (/option/iu.test(JSON.stringify(messages[0])))
      return 'Reflection: fine\n\nOption 1: left\nOption 2: right\nOption 3: TERMINATE with 42'
    return `the answer after ${asked.length > 0 ? 'thinking' : ''}`
  }
  const llmConfig = functionModel(
    waits
      ? async (request) => {
          await Promise.resolve()
          return answer(request)
        }
      : answer,
  )
  const user = new UserProxyAgent({
    name: 'user',
    io,
    humanInputMode: 'NEVER',
    codeExecutionConfig: false,
    maxConsecutiveAutoReply: 0,
  })
  const reasoner = new ReasoningAgent({
    name: 'reasoner',
    io,
    llmConfig,
    reasonConfig: { maxDepth, beamSize: 2, forestSize: 2 },
  })
  return { user, reasoner }
}

const options = { message: 'Which way?', maxTurns: 1 }
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe('a search in a chat', () => {
  it('continues in another process after a kill, repeats no call and counts the cost of all', async () => {
    const calls: string[] = []
    const whole = chat(calls)
    const journal = new ChatJournal()
    const result = await whole.user.initiateChat(whole.reasoner, { ...options, journal })
    expect(calls.length).toBeGreaterThan(10)
    const { entries } = json(journal.saveState())
    expect(entries.filter(({ kind }) => kind === 'job').length).toBe(calls.length)
    for (let length = 0; length <= entries.length; length += 3) {
      const again: string[] = []
      const next = chat(again)
      const loaded = ChatJournal.load({ version: 3, kind: 'chat', entries: entries.slice(0, length) })
      const resumed: ChatResult = await next.user.initiateChat(next.reasoner, { ...options, journal: loaded })
      expect(resumed).toEqual(result)
      const jobs = entries.slice(0, length).filter(({ kind }) => kind === 'job').length
      expect(again).toHaveLength(calls.length - jobs)
    }
  })

  it('tells every process that goes on by another method, and only once', async () => {
    const journal = new ChatJournal()
    const whole = chat([])
    await whole.user.initiateChat(whole.reasoner, { ...options, journal })
    const { entries } = json(journal.saveState())
    const loaded = ChatJournal.load({ version: 3, kind: 'chat', entries: entries.slice(0, 6) })
    const { user, reasoner } = chat([], true, 2)
    const told: string[] = []
    const emit = (event: XEvent): void => void (event.type === 'warning' && told.push(event.text))
    await user.initiateChat(reasoner, { ...options, journal: loaded, emit })
    expect(told).toEqual([expect.stringMatching(/^the method `forest-\w+` wrote the journal/)])
  })

  it.each(['at once', 'later', 'blocking'])('ends with the chat if a job cannot be stored: %s', async (when) => {
    const journal = new ChatJournal()
    const run = (its: ReturnType<typeof chat>, to: ChatJournal): ChatResult | Promise<ChatResult> =>
      when === 'blocking'
        ? its.user.initiateChatSync(its.reasoner, { ...options, journal: to })
        : its.user.initiateChat(its.reasoner, { ...options, journal: to })
    await run(chat([], when !== 'blocking'), journal)
    const error = new Error('the disk is full')
    const { entries } = json(journal.saveState())
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['begin', 'job', 'search']))
    for (let failing = 0; failing < entries.length; failing += 2) {
      let written = 0
      const onEntry = (): void | Promise<void> => {
        if (written++ !== failing) return undefined
        if (when === 'later') return Promise.reject(error)
        throw error
      }
      const failed = new ChatJournal({ onEntry })
      await expect((async () => await run(chat([], when !== 'blocking'), failed))()).rejects.toBe(error)
      expect(failed.length).toBe(failing)
    }
  })

  it('shares the budget of the chat, and ends with it', async () => {
    const calls: string[] = []
    const { user, reasoner } = chat(calls)
    const spent: Spending = { cost: 0, tokens: 0, calls: 0 }
    const budget: Budget = {
      spent,
      reserve() {
        if (spent.calls >= 7) throw new XError('budget-exceeded', 'seven calls are used up')
        spent.calls++
        return { settle: () => {}, release: () => {} }
      },
    }
    const result = await user.initiateChat(reasoner, { ...options, budget })
    expect(calls).toHaveLength(7)
    expect(result.terminationReason).toBe('budget')
  })
})

describe('a search of many jobs', () => {
  const JOBS = 400

  /** A journal that counts the entries that are looked at, and the names of jobs that are read when they are kept. */
  function counting(entries: Iterable<JournalEntry>) {
    let looks = 0
    const counted = <T extends object>(value: T, isLook: (key: string | symbol) => boolean): T =>
      new Proxy(value, { get: (of, key): unknown => (isLook(key) && looks++, Reflect.get(of, key)) })
    const named = (entry: JournalEntry): JournalEntry => counted(entry, (key) => key === 'name')
    const memory = new MemoryJournal([...entries].map(named))
    const journal: Journal = {
      recall: (place) => counted(memory.recall(place), (key) => typeof key === 'string' && /^\d+$/u.test(key)),
      recallJob: (place, name) => memory.recallJob(place, name),
      lastPlace: (place) => memory.lastPlace(place),
      end: (place) => memory.end(place),
      hasEnded: (place) => memory.hasEnded(place),
      keep: (entry) => memory.keep(named(entry)),
    }
    return { journal, entries: () => memory.entries, looks: () => looks }
  }

  it('looks for each of them in its journal by name, whether they are there or not', async () => {
    const model = functionModel(() => 'Rating: 5').createModel()
    const searchIn = async (entries: Iterable<JournalEntry>) => {
      const counts = counting(entries)
      await runRecorded(
        async (run) => await search('Why?', { ...modelParts({ model }), method: bestOfN({ n: JOBS }), run }),
        { journal: counts.journal, runId: 'a' },
      )
      return counts
    }
    const first = await searchIn([])
    expect(first.entries().length).toBeGreaterThan(JOBS)
    expect(first.looks()).toBeLessThan(20 * JOBS)
    const again = await searchIn(first.entries())
    expect(again.entries()).toHaveLength(first.entries().length)
    expect(again.looks()).toBeLessThan(20 * JOBS)
  })
})
