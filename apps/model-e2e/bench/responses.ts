import type { ToolSchema } from '@x/interfaces'
import { openai } from '@x/provider-openai'
import { measure, report } from './measure.ts'

const messages = [{ role: 'user' as const, content: 'Say hello.' }]

/** Ten tools as agents declare them. */
const tools = Array.from({ length: 10 }, (_, n): ToolSchema => ({
  type: 'function',
  function: {
    name: `tool_${n}`,
    description: 'Looks something up and returns what it is.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'Name of a city.' }, days: { type: 'number' } },
      required: ['city'],
    },
  },
}))

/** Calls and streams by the Responses API beside those by chat completions, with the same client. */
export async function benchResponses(baseUrl: string): Promise<void> {
  const [chat, responses] = (['chat', 'responses'] as const).map((api) =>
    openai.createClient({ model: 'gpt-4o-mini', apiKey: 'key-for-the-bench', baseUrl, api }),
  ) as [ReturnType<typeof openai.createClient>, ReturnType<typeof openai.createClient>]
  for (const [name, params, goal] of [
    ['without tools', { messages }, '<= 1.10'],
    ['with ten tools', { messages, tools }, '<= 1.30'],
  ] as const) {
    const calls = async (client: typeof chat): Promise<void> => {
      for (let i = 0; i < 100; i++) await client.create(params, {})
    }
    const one = await measure({ chat: () => calls(chat), responses: () => calls(responses) }, { units: 100 })
    report(
      `responses, call ${name} / chat`,
      one.responses.cpu / one.chat.cpu,
      goal,
      us(one.responses.cpu, one.chat.cpu),
    )
  }
  const streams = async (client: typeof chat): Promise<void> => {
    for (let i = 0; i < 5; i++) for await (const _ of client.stream!({ messages }, {}));
  }
  const chunk = await measure({ chat: () => streams(chat), responses: () => streams(responses) }, { units: 5 * 502 })
  report(
    'responses, streamed event / chunk',
    chunk.responses.cpu / chunk.chat.cpu,
    '<= 1.10',
    us(chunk.responses.cpu, chunk.chat.cpu),
  )
}

const us = (ours: number, chat: number): string => `${ours.toFixed(2)} µs, chat ${chat.toFixed(2)} µs`
