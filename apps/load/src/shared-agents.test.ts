import { setImmediate as tick } from 'node:timers/promises'
import { ag2Run, AssistantAgent, tool, UserProxyAgent, type ConversableAgent } from '@x/agent'
import type { ChatMessage, LlmConfig } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI, type ChatRequest, type FakeOpenAI, type ServerReply } from '@x/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** Returns the secrets in a request, which must all be of one chat. */
const mixed: string[] = []

const secretsIn = (text: string): Set<string> => new Set(text.match(/secret-\d+/gu))

/** A model that calls a number of tools at once, a number of times, as the first message says, and then repeats the secret. */
function replies({ messages }: ChatRequest): ServerReply {
  const usage = { prompt: 10, completion: 5 }
  const text = JSON.stringify(messages)
  const secrets = [...secretsIn(text)]
  if (secrets.length !== 1) mixed.push(text)
  const [, rounds = '0', calls = '0'] = /rounds (\d) calls (\d)/u.exec(text) ?? []
  const done = messages.filter((message) => message['tool_calls']).length
  if (done >= Number(rounds)) return { content: `${secrets[0]} TERMINATE`, usage }
  const call = (_: unknown, index: number) => ({
    id: `call_${done}_${index}`,
    type: 'function' as const,
    function: { name: 'look', arguments: '{}' },
  })
  return { content: null, tool_calls: Array.from({ length: Number(calls) }, call), usage }
}

let server: FakeOpenAI
let model: LlmConfig
beforeAll(async () => {
  server = await startFakeOpenAI({ strict: true, replies })
  const configList = [{ model: 'gpt-4o-mini', apiKey: 'key', baseUrl: server.url, maxRetries: 0 }]
  model = llmConfig({ providers: [openai], cacheSeed: null, configList })
})
afterAll(() => server.close())

const ends = ({ content }: ChatMessage): boolean => typeof content === 'string' && content.endsWith('TERMINATE')
const io = { send: () => {}, input: (): string => 'exit' }
const look = tool({
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: {} },
  execute: async () => await tick('seen'),
})

function pair(): readonly [ConversableAgent, ConversableAgent] {
  const assistant = new AssistantAgent({ name: 'assistant', systemMessage: 'You help.', llmConfig: model, io })
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', isTerminationMsg: ends, io })
  assistant.registerForLlm(look)
  user.registerForExecution(look)
  return [user, assistant]
}

/** A chat that starts while others are running: its delay, its way, and its question. */
const chat = fc.record({
  after: fc.nat(6),
  way: fc.constantFrom('own', 'shared', 'run', 'stopped'),
  rounds: fc.nat(2),
  calls: fc.integer({ min: 1, max: 3 }),
})

it('a strict provider accepts all concurrent requests of chats of one pair, and each chat has only its own text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(chat, { minLength: 2, maxLength: 12 }), async (chats) => {
      const [user, assistant] = pair()
      const outcomes = chats.map(async ({ after, way, rounds, calls }, index) => {
        for (let ticks = 0; ticks < after; ticks++) await tick()
        const message = `secret-${index} rounds ${rounds} calls ${calls}`
        const stop = new AbortController()
        const own = { conversation: 'own', signal: stop.signal } as const
        try {
          const started =
            way === 'run'
              ? assistant.run(message, {
                  ...ag2Run,
                  userInput: false,
                  maxTurns: 4,
                  executorKwargs: { io },
                  tools: look,
                  ...own,
                })
              : user.initiateChat(assistant, { message, ...(way !== 'shared' && own) })
          if (way === 'stopped') void tick().then(() => stop.abort())
          const { chatHistory, summary } = await started
          expect(secretsIn(JSON.stringify(chatHistory))).toEqual(new Set([`secret-${index}`]))
          expect(summary).toBe(`secret-${index} `)
        } catch (error) {
          const expected = way === 'shared' ? 'conversation-busy' : way === 'stopped' ? 'aborted' : undefined
          if (!expected || (error as { code?: string }).code !== expected) throw error
        }
      })
      await Promise.all(outcomes)
      expect(mixed).toEqual([])
      // Only a chat that the agents keep leaves messages, and these can be sent again.
      const kept = user.chatMessages.get(assistant) ?? []
      expect(secretsIn(JSON.stringify(kept)).size).toBe(Math.min(1, chats.filter(({ way }) => way === 'shared').length))
    }),
    { numRuns: 25 },
  )
}, 60_000)
