import { ChatJournal, UserProxyAgent } from '@x/agent'
import { fit, limitTokens, pin, summarize, type FittedHistory } from '@x/history'
import type { ChatMessage, ChatResult, JournalEntry, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { ReasoningAgent, type ReasoningAgentOptions } from '@x/reasoning'
import { functionModel, type FunctionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'

type Config = NonNullable<ReasoningAgentOptions['reasonConfig']>

const words = (count: number): string => 'word '.repeat(count).trim()

const summarizer = (): FunctionModel => functionModel(() => ({ content: 'They counted.', usage: [100, 10], cost: 0.5 }))

/** A model that answers, and writes questions again; a request of more characters than `most` is refused. */
const thinker = (most = Infinity): FunctionModel =>
  functionModel(({ agent, messages }) =>
    JSON.stringify(messages).length > most
      ? { error: new XError('model-failed', 'too long', { kind: 'context-overflow' }) }
      : { content: agent === 'prompt_rewriter' ? 'What is next?' : words(40), usage: [10, 1], cost: 0.25 },
  )

interface Stage {
  readonly history?: FittedHistory
  readonly llmConfig?: FunctionModel
  readonly rewriter?: Config['rewriter']
  readonly entries?: readonly JournalEntry[]
  readonly turns?: number
  readonly blocking?: boolean
}

/** Lets somebody ask a reasoning agent again and again. */
async function talk({ history, llmConfig = thinker(), rewriter = 'model', entries = [], turns = 14, blocking }: Stage) {
  const events: XEvent[] = []
  const io = { send: (event: XEvent) => void events.push(event), input: () => '' }
  const reasonConfig: Config = { method: 'best_of_n', nsim: 1, rewriter }
  const reasoner = new ReasoningAgent({ name: 'reasoner', llmConfig, io, reasonConfig, history, silent: true })
  const user = new UserProxyAgent({
    name: 'user',
    humanInputMode: 'NEVER',
    defaultAutoReply: `next ${words(40)} GROUND_TRUTH: ${words(30)} canary`,
    io,
  })
  const journal =
    entries.length > 0
      ? ChatJournal.load({ version: 3, kind: 'chat', entries: structuredClone([...entries]) })
      : new ChatJournal()
  const options = { message: 'begin', maxTurns: turns, journal }
  const chat: ChatResult = blocking
    ? user.initiateChatSync(reasoner, options)
    : await user.initiateChat(reasoner, options)
  return {
    chat,
    entries: JSON.parse(JSON.stringify(journal.saveState().entries)) as JournalEntry[],
    // Another process of the chat has other numbers and times.
    cuts: events.flatMap((event) => (event.type === 'historyCut' ? [{ ...event, runId: null, seq: 0, time: 0 }] : [])),
    cost: chat.cost.usageIncludingCachedInference.totalCost,
    questions: llmConfig.calls.filter(({ agent }) => agent === 'prompt_rewriter').map(({ messages }) => messages),
    stored: reasoner.chatMessages.get(user)!,
  }
}

const longest = (requests: readonly (readonly ChatMessage[])[]): number =>
  Math.max(...requests.map((messages) => JSON.stringify(messages).length))

describe('the rewriter of a reasoning agent', () => {
  it('sees what the history of the agent leaves; each cut is told, and what is stored is untouched', async () => {
    const all = await talk({})
    expect(longest(all.questions)).toBeGreaterThan(5000)
    expect(all.cuts).toEqual([])
    const cut = await talk({ history: fit(limitTokens(600)) })
    expect(longest(cut.questions)).toBeLessThan(4000)
    expect(cut.cuts.length).toBeGreaterThan(1)
    expect(cut.cuts[0]).toMatchObject({ agent: 'reasoner', reason: 'tokens', chatId: '1', agentPath: ['reasoner'] })
    expect(JSON.stringify(cut.questions.at(-1))).toContain('Earlier messages were left out here.')
    expect(cut.stored).toEqual(all.stored)
  })

  it('does the same blocking', async () => {
    const one = await talk({ history: fit(limitTokens(600)) })
    const two = await talk({ history: fit(limitTokens(600)), blocking: true })
    expect(two.questions).toEqual(one.questions)
    expect(two.cuts).toEqual(one.cuts)
  })

  it('gets it as messages, if it is a function', async () => {
    const seen: (readonly ChatMessage[])[] = []
    const rewriter: Config['rewriter'] = (messages) => {
      seen.push(messages)
      return 'What is next?'
    }
    const { cuts, stored } = await talk({ history: fit(limitTokens(600)), rewriter })
    expect(cuts.length).toBeGreaterThan(1)
    expect(Math.max(...seen.map(({ length }) => length))).toBeLessThan(stored.length)
    expect(seen.at(-1)!.at(-1)!.content).toMatch(/^next .*word$/u)
    expect(JSON.stringify(seen)).not.toContain('canary')
  })

  it('pays for a summary once for each cut, and no summary has what only the grader may know', async () => {
    const model = summarizer()
    const { cuts, cost, questions } = await talk({ history: fit(limitTokens(600), summarize({ model })) })
    expect(cuts.length).toBeGreaterThan(1)
    expect(model.calls.length).toBe(cuts.length)
    // One answer for each question, and all questions but the first are written again.
    expect(cost).toBeCloseTo(cuts.length * 0.5 + (14 + 13) * 0.25)
    expect(JSON.stringify([questions, model.calls.map(({ messages }) => messages)])).not.toContain('canary')
  })

  it('sees less when the provider refuses, and is asked again', async () => {
    const { cuts, questions, chat } = await talk({ history: fit(), llmConfig: thinker(3000) })
    expect(cuts.map(({ reason }) => reason)).toContain('overflow')
    // It has learned how much is too much.
    expect(questions.filter((each) => longest([each]) > 3000).length).toBe(1)
    expect(chat.chatHistory.length).toBe(28)
  })

  it('reads the last message alone when nothing can be cut', async () => {
    const refuses = functionModel(({ agent }) =>
      agent === 'prompt_rewriter'
        ? { error: new XError('model-failed', 'too long', { kind: 'context-overflow' }) }
        : 'fine',
    )
    const { cuts, chat } = await talk({ history: fit(pin(100)), llmConfig: refuses, turns: 2 })
    expect(cuts).toEqual([])
    expect(chat.chatHistory.length).toBe(4)
  })
})

describe('a journal of a chat with a reasoning agent', () => {
  it.each<[string, () => FittedHistory, number]>([
    ['which its own models sum up', () => fit(limitTokens(600), summarize()), Infinity],
    ['which is cut after refusals', () => fit(), 3000],
  ])('keeps cuts of its history, %s: resumed anywhere, it pays for nothing twice', async (_, view, most) => {
    const whole = await talk({ history: view(), llmConfig: thinker(most) })
    expect(whole.cuts.length).toBeGreaterThan(1)
    const { entries, questions, cost, chat } = whole
    const kept = entries.filter(({ name }) => name === 'history' || name === 'history-again').length
    expect(kept).toBe(whole.cuts.length)
    for (let count = 1; count <= entries.length; count++) {
      const resumed = await talk({ history: view(), llmConfig: thinker(most), entries: entries.slice(0, count) })
      expect(resumed.chat.chatHistory).toEqual(chat.chatHistory)
      expect(resumed.questions).toEqual(questions.slice(questions.length - resumed.questions.length))
      expect(resumed.cost).toBeCloseTo(cost)
      expect(resumed.entries).toEqual(entries)
      // What was told before the end of the journal is not told again.
      expect(resumed.cuts).toEqual(whole.cuts.slice(whole.cuts.length - resumed.cuts.length))
      if (count === entries.length) expect(resumed.cuts.length).toBeLessThan(2)
    }
  })
})
