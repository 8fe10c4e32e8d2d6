import { expect, test } from 'vitest'
import { anthropic } from './anthropic.ts'

const EVENTS = [
  { type: 'message_start', message: { id: 'm', model: 'claude', usage: { input_tokens: 7, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
]

/** Streams the first events of an answer; then the connection breaks. */
async function brokenAfter(count: number, events: readonly { readonly type: string }[] = EVENTS): Promise<unknown> {
  const text = events
    .slice(0, count)
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
  const pieces = [new TextEncoder().encode(text)]
  const body = new ReadableStream<Uint8Array>({
    pull(to) {
      const piece = pieces.shift()
      if (piece) to.enqueue(piece)
      else to.error(new TypeError('terminated'))
    },
  })
  const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const client = anthropic.createClient({ apiKey: 'key', fetch, maxRetries: 0 })
  const stream = client.stream!({ model: 'claude-haiku-4-5', messages: [{ role: 'user', content: 'Hi' }] }, {})
  for (;;) {
    const next = await stream.next()
    if (next.done) return next.value
  }
}

test.each([5, 6])(
  'an answer is whole after its stop reason, if the connection breaks after %i events',
  async (count) => {
    expect(await brokenAfter(count)).toMatchObject({
      choices: [{ finish_reason: 'stop', message: { content: 'Hello' } }],
      usage: { prompt_tokens: 7, completion_tokens: 3 },
    })
  },
)

test('an answer without a stop reason that breaks off is a failure', async () => {
  await expect(brokenAfter(4)).rejects.toMatchObject({ kind: 'connection', details: { received: true } })
})

test('a text without the beginning or the end of its block is read', async () => {
  const bare = EVENTS.filter(({ type }) => type !== 'content_block_start' && type !== 'content_block_stop')
  const thinking = { type: 'content_block_delta', index: 1, delta: { type: 'thinking_delta', thinking: 'Hm' } }
  expect(await brokenAfter(5, [bare[0]!, thinking, ...bare.slice(1)])).toMatchObject({
    choices: [{ finish_reason: 'stop', reasoning: 'Hm', message: { content: 'Hello' } }],
  })
})

test.each([{ message: 'Overloaded', type: 'overloaded_error' }, 'overloaded'])(
  'the error %j of a gateway, in an event without a type, is a failure',
  async (error) => {
    const event = { type: undefined as unknown as string, error }
    await expect(brokenAfter(4, [...EVENTS.slice(0, 3), event])).rejects.toMatchObject({ kind: 'overloaded' })
  },
)

test.each([
  ['zeros of a gateway', { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 3 }, 7],
  ['a correction', { input_tokens: 0, cache_read_input_tokens: 9, output_tokens: 3 }, 9],
])('the last event may have other counts of the input: %s', async (_, usage, prompt) => {
  const events = EVENTS.map((event) => (event.type === 'message_delta' ? { ...event, usage } : event))
  expect(await brokenAfter(6, events)).toMatchObject({ usage: { prompt_tokens: prompt, completion_tokens: 3 } })
})
