import type { ChatMessage, ConfigEntry, ModelParams } from '@x/interfaces'
import { fakeWire, type FakeWire } from '../wire.fake.ts'

/** A whole answer of the Responses API with some output items. */
export const response = (output: readonly object[] = [said('hi')], rest: object = {}): object => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5-mini-2025-08-07',
  status: 'completed',
  error: null,
  incomplete_details: null,
  output,
  usage: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 15,
  },
  ...rest,
})

/** A message item. */
export const said = (text: string, more: object = {}): object => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
})

/** A reasoning item, by default a sealed one. */
export const thought = (id: string, more: object = { encrypted_content: `sealed ${id}` }): object => ({
  id,
  type: 'reasoning',
  summary: [],
  ...more,
})

/** A call of a function. */
export const call = (id: string, args: string = '{"a":1}', more: object = {}): object => ({
  id: `fc_${id}`,
  type: 'function_call',
  status: 'completed',
  call_id: id,
  name: 'f',
  arguments: args,
  ...more,
})

/** Frames of a stream, each an event with its type. */
export const eventsOf = (events: readonly { readonly type: string; readonly [key: string]: unknown }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

/** A client of the Responses API whose endpoint answers with a body or a stream. */
export const responsesWire = (answer: object | string = response(), config: ConfigEntry = {}): FakeWire =>
  fakeWire(answer, { model: 'gpt-5-mini', api: 'responses', ...config })

/** A request as it is sent, with the warnings. */
export interface SentBody extends Record<string, unknown> {
  readonly input: Record<string, unknown>[]
  readonly warnings: string[]
}

/** Sends one request and returns its body. */
export async function bodyOf(params: Partial<ModelParams>, config: ConfigEntry = {}): Promise<SentBody> {
  const wire = responsesWire(undefined, config)
  await wire.create(params)
  return { ...wire.sent[0]!.body, warnings: wire.warnings } as unknown as SentBody
}

/** Returns the input items of a conversation. */
export const inputOf = async (messages: ChatMessage[], config: ConfigEntry = {}): Promise<Record<string, unknown>[]> =>
  (await bodyOf({ messages }, config)).input

/** Returns the message of an answer that is made of some items. */
export async function answerOf(output: readonly object[]): Promise<ChatMessage> {
  return (await responsesWire(response(output)).create()).choices[0]!.message
}
