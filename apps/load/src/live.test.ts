import { setImmediate as tick } from 'node:timers/promises'
import { AssistantAgent, tool, UserProxyAgent, type ConversableAgent } from '@x/agent'
import type { Budget, ChatMessage, LlmConfig } from '@x/interfaces'
import { createBudget, llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI, type ChatRequest, type FakeOpenAI, type ServerReply } from '@x/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ends = ({ content }: ChatMessage): boolean => typeof content === 'string' && content.endsWith('TERMINATE')

/** Calls two tools at once, the second of which asks an expert, and reports their results. */
function replies({ messages }: ChatRequest): ServerReply {
  const system = messages[0]?.['content']
  const last = messages.at(-1)!
  if (system === 'You are an expert.') return { content: 'deep TERMINATE', usage: { prompt: 10, completion: 5 } }
  if (last['role'] === 'tool') return { content: 'grey and deep TERMINATE', usage: { prompt: 10, completion: 5 } }
  const call = (name: string, index: number) => ({
    id: `call_${messages.length}_${index}`,
    type: 'function' as const,
    function: { name, arguments: '{}' },
  })
  return { content: null, tool_calls: ['sky', 'fjord'].map(call), usage: { prompt: 10, completion: 5 } }
}

let server: FakeOpenAI
let model: LlmConfig
beforeAll(async () => {
  server = await startFakeOpenAI({ strict: true, replies })
  const configList = [{ model: 'gpt-4o-mini', apiKey: 'key', baseUrl: server.url, maxRetries: 0 }]
  model = llmConfig({ providers: [openai], cacheSeed: null, configList })
})
afterAll(() => server.close())

interface Cast {
  readonly user: ConversableAgent
  readonly assistant: ConversableAgent
}

function cast(): Cast {
  const assistant = new AssistantAgent({
    name: 'assistant',
    systemMessage: 'You help.',
    llmConfig: model,
    silent: true,
  })
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', isTerminationMsg: ends })
  const parameters = { type: 'object', properties: {} } as const
  const sky = tool({ name: 'sky', description: 'The sky.', parameters, execute: async () => await tick('grey') })
  const fjord = tool({
    name: 'fjord',
    description: 'Asks an expert.',
    parameters,
    async execute(_, { run }) {
      const systemMessage = 'You are an expert.'
      const expert = new AssistantAgent({ name: 'expert', systemMessage, llmConfig: model, silent: true })
      const clerk = new UserProxyAgent({ name: 'clerk', humanInputMode: 'NEVER', isTerminationMsg: ends })
      return (await clerk.initiateChat(expert, { message: 'How deep?', run })).summary
    },
  })
  for (const each of [sky, fjord]) {
    assistant.registerForLlm(each)
    user.registerForExecution(each)
  }
  return { user, assistant }
}

/** Runs a chat and stops it at an event; returns true if it came to that event. */
async function stoppedAt({ user, assistant }: Cast, at: number, leaves: boolean): Promise<boolean> {
  const stop = new AbortController()
  const stream = user.initiateChatStream(assistant, { message: 'How is Oslo?', signal: stop.signal })
  for (let index = 0; ; index++) {
    const item = await stream.next()
    if (item.done) return false
    if (index < at) continue
    if (leaves) {
      await stream.return(undefined as never)
      return true
    }
    // The chat continues to the next event.
    const next = stream.next()
    stop.abort()
    await next.catch(() => {})
    return true
  }
}

it.each([false, true])(
  'a chat stopped at any event goes on, and a strict provider takes its history (left: %s)',
  async (leaves) => {
    for (let at = 0; ; at++) {
      const both = cast()
      if (!(await stoppedAt(both, at, leaves))) break
      const { summary, terminationReason } = await both.user.initiateChat(both.assistant, {
        message: 'And now?',
        clearHistory: false,
        emit: () => {},
      })
      expect({ summary, terminationReason }).toEqual({
        summary: 'grey and deep ',
        terminationReason: 'termination-message',
      })
    }
  },
)

it('50 chats at once never overspend a budget, and end properly', async () => {
  const { url } = server
  const failing = llmConfig({
    providers: [openai],
    cacheSeed: null,
    configList: [{ model: 'gpt-4o-mini', apiKey: 'key', baseUrl: `${url}/nowhere`, maxRetries: 0 }],
  })
  for (const limit of [{ calls: 77 }, { tokens: 77 * 15 }]) {
    const budget = createBudget(limit)
    const asked = server.requests.length
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => chat(index, budget, failing)))
    const chats = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    expect(chats.length).toBeGreaterThan(30)
    const answered = server.requests.slice(asked).filter(({ path }) => !path.includes('nowhere')).length
    expect(answered).toBeLessThanOrEqual(77)
    // Failed requests count as calls without tokens.
    if (limit.calls) expect(budget.spent.calls).toBeLessThanOrEqual(77)
    expect(budget.spent.tokens).toBeLessThanOrEqual(77 * 15)
    expect(chats.some(({ terminationReason }) => terminationReason === 'budget')).toBe(true)
    for (const { chatHistory } of chats) expect(chatHistory.at(-1)).not.toHaveProperty('tool_calls')
  }
})

async function chat(index: number, budget: Budget, failing: LlmConfig) {
  const { user, assistant } = cast()
  const other =
    index % 5 === 0 ? new AssistantAgent({ name: 'assistant', llmConfig: failing, silent: true }) : assistant
  return await user.initiateChat(other, { message: 'How is Oslo?', budget, emit: () => {} })
}
