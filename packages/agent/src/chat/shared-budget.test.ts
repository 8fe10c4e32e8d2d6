import type { Budget, ChatResult, RunOptions, Spending, ToolContext, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { functionModel, type ScriptedReply } from '@x/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ConversableAgent, initiateChats, tool } from '../index.ts'

const io = { send: () => {}, input: (): string => 'exit' }

/** A budget of a number of calls, that knows how many were set aside at once and given back. */
function callsOf(limit: number): Budget & { open: number } {
  const spent: Spending = { cost: 0, tokens: 0, calls: 0 }
  const its = {
    spent,
    open: 0,
    reserve() {
      if (spent.calls >= limit) throw new XError('budget-exceeded', `the budget of ${limit} calls is used up`)
      spent.calls++
      its.open++
      let open = true
      const close = (back: number): void => {
        if (!open) return
        open = false
        its.open--
        spent.calls -= back
      }
      return { settle: () => close(0), release: () => close(1) }
    },
  }
  return its
}

interface Asked {
  calls: number
}

function mind(asked: Asked, reply: ScriptedReply = 'well'): object {
  const llmConfig = functionModel(() => {
    asked.calls++
    return reply
  })
  return { llmConfig }
}

const agent = (name: string, options: object = {}): ConversableAgent =>
  new ConversableAgent({ name, io, humanInputMode: 'NEVER', ...options })

const drained = async <T>(stream: AsyncGenerator<XEvent, T>): Promise<T> => {
  for (;;) {
    const item = await stream.next()
    if (item.done) return item.value
  }
}

type Inside = (asked: Asked, context: Pick<RunOptions, 'run'>) => Promise<unknown>

/** What a tool may start, and how many calls of a model that is without a limit. */
const starts: Record<string, [calls: number, Inside]> = {
  initiateChat: [
    1,
    async (asked, run) => await agent('a').initiateChat(agent('b', mind(asked)), { message: 'x', maxTurns: 1, ...run }),
  ],
  'a summary by a model': [
    2,
    async (asked, run) =>
      await agent('a').initiateChat(agent('b', mind(asked)), {
        message: 'x',
        maxTurns: 1,
        summaryMethod: 'reflection_with_llm',
        ...run,
      }),
  ],
  'a stream that is told whose part it is': [
    1,
    async (asked, run) =>
      await drained(agent('a').initiateChatStream(agent('b', mind(asked)), { message: 'x', maxTurns: 1, ...run })),
  ],
  generateReply: [
    1,
    async (asked, run) => await agent('b', mind(asked)).generateReply({ messages: [{ content: 'x' }], ...run }),
  ],
  generateReplyStream: [
    1,
    async (asked, run) =>
      await drained(agent('b', mind(asked)).generateReplyStream({ messages: [{ content: 'x' }], ...run })),
  ],
  run: [1, async (asked, run) => await agent('b', mind(asked)).run('x', { maxTurns: 1, userInput: false, ...run })],
  'a result that is asked for again': [
    3,
    async (asked, run) =>
      await agent('b', mind(asked, 'no JSON')).run('x', {
        maxTurns: 1,
        userInput: false,
        result: z.object({ a: z.number() }),
        ...run,
      }),
  ],
  initiateChats: [
    3,
    async (asked, run) =>
      await initiateChats(
        [0, 1, 2].map((chatId) => ({
          chatId,
          sender: agent(`a${chatId}`),
          recipient: agent(`b${chatId}`, mind(asked)),
          message: 'x',
          maxTurns: 1,
          prerequisites: chatId === 2 ? [0, 1] : [],
        })),
        run,
      ),
  ],
  'an `emit` that somebody wraps': [
    1,
    async (asked, { run }) =>
      await agent('a').initiateChat(agent('b', mind(asked)), {
        message: 'x',
        maxTurns: 1,
        run,
        emit: (event) => run?.emit(event),
      }),
  ],
}

/** A chat whose assistant asks one tool and then says something: two calls beside those of the tool. */
async function chat(inside: Inside, asked: Asked, budget: Budget): Promise<ChatResult & { whole: boolean }> {
  const user = agent('user')
  const assistant = agent('assistant', {
    llmConfig: functionModel(({ messages }) => {
      asked.calls++
      return messages.at(-1)!.role === 'tool'
        ? 'done'
        : { content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'ask', arguments: '{}' } }] }
    }),
  })
  const execute = async (_: unknown, { run }: ToolContext): Promise<string> => typeof (await inside(asked, { run }))
  user.registerForExecution(tool({ name: 'ask', description: 'asks', parameters: { type: 'object' }, execute }))
  const result = await user.initiateChat(assistant, { message: 'hi', maxTurns: 2, budget })
  const last = result.chatHistory.at(-1)!
  return { ...result, whole: !last.tool_calls }
}

it.each(Object.entries(starts))('a budget holds for what a tool starts by %s', async (_, [most, inside]) => {
  const whole: Asked = { calls: 0 }
  const { terminationReason } = await chat(inside, whole, callsOf(Infinity))
  expect(whole.calls).toBe(most + 2)
  expect(terminationReason).not.toBe('budget')
  for (let limit = 0; limit < whole.calls; limit++) {
    const asked: Asked = { calls: 0 }
    const budget = callsOf(limit)
    const result = await chat(inside, asked, budget)
    expect(asked.calls).toBe(limit)
    expect(budget.open).toBe(0)
    expect(result).toMatchObject({ terminationReason: 'budget', whole: true })
  }
})

it('gives back what failed and stopped calls had set aside', async () => {
  const budget = callsOf(60)
  const stop = new AbortController()
  const hung = new Promise<never>(() => {})
  const chats = Array.from({ length: 50 }, async (_, index) => {
    const reply: ScriptedReply = index % 2 === 0 ? { error: 'server' } : { delay: hung, reply: 'never' }
    const other = agent('b', { llmConfig: functionModel(() => reply) })
    await agent('a').initiateChat(other, { message: 'x', maxTurns: 1, budget, signal: stop.signal })
  })
  const settled = Promise.allSettled(chats)
  await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  const ended = await settled
  expect(ended.every(({ status }) => status === 'rejected')).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  expect(budget).toMatchObject({ open: 0 })
})
