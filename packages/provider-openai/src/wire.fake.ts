import type { ConfigEntry, ModelAnswer, ModelCallOptions, ModelClient, ModelEvent, ModelParams } from '@x/interfaces'
import { createOpenAI } from './openai.ts'

/** What an endpoint was sent. */
export interface Sent {
  readonly url: string
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

/** A client whose requests go to a function, and what was sent. */
export interface FakeWire {
  readonly client: ModelClient
  readonly sent: Sent[]
  readonly warnings: string[]
  create(params?: Partial<ModelParams>): Promise<ModelAnswer>
  stream(params?: Partial<ModelParams>): Promise<{ events: ModelEvent[]; answer: ModelAnswer }>
}

/** A whole answer of OpenAI's form. */
export const wholeAnswer = (message: object = { role: 'assistant', content: 'hi' }, rest: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-mini-2024-07-18',
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  ...rest,
})

/** Frames of a stream, each with the given parts. */
export const framesOf = (chunks: readonly object[]): string =>
  [...chunks.map((chunk) => JSON.stringify({ id: 'chatcmpl-1', created: 1, model: 'gpt-4o-mini', ...chunk })), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('')

export const delta = (part: object | undefined, finish: string | null = null): object => ({
  choices: [{ index: 0, ...(part && { delta: part }), finish_reason: finish }],
})

/** Makes a client of a config whose endpoint answers with a body: text is a stream, anything else JSON. */
export function fakeWire(answer: object | string = wholeAnswer(), config: ConfigEntry = {}): FakeWire {
  const sent: Sent[] = []
  const warnings: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push({
      url: input as string,
      headers: new Headers(init?.headers),
      body: JSON.parse(init?.body as string) as Record<string, unknown>,
    })
    const type = typeof answer === 'string' ? 'text/event-stream' : 'application/json'
    return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), {
      headers: { 'content-type': type },
    })
  }
  const client = createOpenAI().createClient({ model: 'gpt-4o-mini', apiKey: 'sk-test-key', fetch, ...config })
  const options: ModelCallOptions = { warn: (_, text) => void warnings.push(text) }
  const params = (given: Partial<ModelParams>): ModelParams => ({
    model: config.model ?? 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'hello' }],
    ...given,
  })
  return {
    client,
    sent,
    warnings,
    create: async (given = {}) => await client.create(params(given), options),
    async stream(given = {}) {
      const events: ModelEvent[] = []
      const source = client.stream!(params(given), options)
      for (;;) {
        const item = await source.next()
        if (item.done) return { events, answer: item.value }
        events.push(item.value)
      }
    },
  }
}
