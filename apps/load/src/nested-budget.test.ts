import { AssistantAgent, ChatJournal, tool, UserProxyAgent } from '@x/agent'
import type { Budget, JournalEntry, RunOptions, ToolCall, ToolContext } from '@x/interfaces'
import { createBudget, llmConfig } from '@x/model'
import { scriptedProvider, type ScriptedReply } from '@x/testing'
import { describe, expect, test } from 'vitest'

const TREE_DEPTH = 3
const TREE_WIDTH = 3
/** Calls of all chats: two of each, for its tools and its end; one of each innermost. */
const CALL_COUNT = 2 * (1 + TREE_WIDTH + TREE_WIDTH ** 2) + TREE_WIDTH ** 3

type Operation = 'initiateChat' | 'initiateChatStream'

const io = { send: () => {}, input: (): string => 'exit' }

const callOf = (id: string, name: string): ToolCall => ({ id, type: 'function', function: { name, arguments: '{}' } })

/** Calls in flight: now, and the maximum so far. */
const inFlight = { now: 0, most: 0 }
let wanted = { count: 0, reached: Promise.withResolvers<void>() }

/** Starts counting; the innermost calls are answered only when a number of them is in flight at once. */
function countFrom(count: number): void {
  inFlight.most = 0
  wanted = { count, reached: Promise.withResolvers() }
}

/** A model that gives its replies in order, each after a delay. */
function slowModel(replies: readonly object[], level = 0) {
  let next = 0
  const reply = () => {
    inFlight.most = Math.max(inFlight.most, ++inFlight.now)
    if (inFlight.most >= wanted.count) wanted.reached.resolve()
    const turn = level === TREE_DEPTH ? wanted.reached.promise : new Promise<void>((resolve) => setImmediate(resolve))
    const delay = turn.then(() => void inFlight.now--)
    return { delay, reply: replies[next++] as ScriptedReply }
  }
  return llmConfig({
    providers: [scriptedProvider(reply)],
    configList: [{ model: 'm', apiType: 'scripted' }],
    cacheSeed: null,
    max_tokens: 100,
  })
}

/** Runs a chat with a tool that starts `TREE_WIDTH` chats at once, down to `TREE_DEPTH`. */
async function chat(
  level: number,
  operation: Operation,
  options: RunOptions & { budget?: Budget; journal?: ChatJournal },
) {
  const calls = Array.from({ length: TREE_WIDTH }, (_, index) => callOf(`call_${index}`, 'delve'))
  const done = { content: 'done TERMINATE' }
  const llm = slowModel(level === TREE_DEPTH ? [done] : [{ content: null, tool_calls: calls }, done], level)
  const delve = tool({
    name: 'delve',
    description: 'Starts a chat.',
    parameters: { type: 'object', properties: {} },
    execute: async (_: unknown, { run }: ToolContext) => (await chat(level + 1, operation, { run })).terminationReason,
  })
  const assistant = new AssistantAgent({ name: `assistant${level}`, llmConfig: llm, io })
  const user = new UserProxyAgent({ name: `user${level}`, humanInputMode: 'NEVER', codeExecutionConfig: false, io })
  assistant.registerForLlm(delve)
  user.registerForExecution(delve)
  const how = { message: 'go', maxTurns: 3, ...options }
  return operation === 'initiateChatStream'
    ? await user.initiateChatStream(assistant, how).result
    : await user.initiateChat(assistant, how)
}

/** A budget for all calls, with room for two at once. */
const tight = (): Budget => createBudget({ tokens: CALL_COUNT * 15 + 2000, perCall: { tokens: 1000 } })

describe.each(['initiateChat', 'initiateChatStream'] as const)('%s', (operation) => {
  test('nested chats with room for two calls at once do not wait for themselves', async () => {
    const budget = tight()
    countFrom(2)
    const { terminationReason } = await chat(0, operation, { budget })
    expect(terminationReason).not.toBe('budget')
    expect(budget.spent.calls).toBe(CALL_COUNT)
    expect(inFlight).toEqual({ now: 0, most: 2 })
    countFrom(TREE_WIDTH + 1)
    await chat(0, operation, { budget: createBudget({ calls: CALL_COUNT }) })
    expect(inFlight.most).toBeGreaterThan(TREE_WIDTH)
  })

  test('a budget inside that of the chat around waits as well', async () => {
    countFrom(0)
    const outer = tight()
    const own = tight()
    const inner = tool({
      name: 'inner',
      description: 'Starts a chat with a budget of its own.',
      parameters: { type: 'object', properties: {} },
      execute: async (_: unknown, { run }: ToolContext) =>
        (await chat(1, operation, { run, budget: own })).terminationReason,
    })
    const calls = ['a', 'b'].map((id) => callOf(id, 'inner'))
    const llm = slowModel([{ content: null, tool_calls: calls }, { content: 'done TERMINATE' }])
    const assistant = new AssistantAgent({ name: 'assistant', llmConfig: llm, io })
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false, io })
    assistant.registerForLlm(inner)
    user.registerForExecution(inner)
    const { terminationReason } = await user.initiateChat(assistant, { message: 'go', maxTurns: 3, budget: outer })
    expect(terminationReason).not.toBe('budget')
    expect(own.spent.calls).toBe(2 * (2 * (1 + TREE_WIDTH) + TREE_WIDTH ** 2))
    expect(outer.spent.calls).toBe(own.spent.calls + 2)
  })

  test('a wait is no entry of a journal: the places are those of a chat that never waited', async () => {
    countFrom(0)
    const placesOf = async (budget: Budget): Promise<string[]> => {
      const entries: JournalEntry[] = []
      const journal = new ChatJournal({ onEntry: (entry) => void entries.push(entry) })
      await chat(0, operation, { budget, journal })
      return entries.map(({ kind, place }) => `${kind} ${place}`).toSorted()
    }
    expect(await placesOf(tight())).toEqual(await placesOf(createBudget({ calls: CALL_COUNT })))
  })
})
