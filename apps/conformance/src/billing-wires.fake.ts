import type { ConfigEntry } from '@x/interfaces'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import type { PlainReply, WireFormat, WireFrame } from '@x/testing/wire'
import { WIRES } from './wires.fake.ts'

const chatFrame = (part: object): WireFrame => ({
  data: JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', ...part }),
})

const chatUsage = ({ usage: { prompt, completion } = { prompt: 12, completion: 6 } }: PlainReply): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
})

/** Wire format of OpenAI's chat completions, for answers of text. */
const chatFormat: WireFormat = {
  name: 'openai chat',
  isStream: ({ body }) => body['stream'] === true,
  refusal: () => undefined,
  whole: (reply) => ({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', usage: chatUsage(reply) },
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: reply.text ?? '' } }],
  }),
  frames: (reply) => {
    const { text = '' } = reply
    const middle = text.length >> 1
    const delta = (part: object, finish: string | null = null): WireFrame =>
      chatFrame({ choices: [{ index: 0, delta: part, finish_reason: finish }] })
    return [
      delta({ role: 'assistant', content: '' }),
      delta({ content: text.slice(0, middle) }),
      delta({ content: text.slice(middle) }),
      delta({}, 'stop'),
      chatFrame({ choices: [], usage: chatUsage(reply) }),
      { data: '[DONE]' },
    ]
  },
  errorBody: (_, message) => ({ error: { message, type: 'invalid_request_error', param: 'messages', code: null } }),
  overloaded: { data: '{"error":{"message":"overloaded","code":503}}' },
  unknown: { data: '{"weather":"fine"}' },
}

/** A wire over which the billing server is asked. */
export interface BilledWire {
  readonly name: string
  readonly create: (typeof WIRES)[number][1]
  readonly entry: ConfigEntry
  readonly format: WireFormat
}

/** Every wire with the format of its answers. */
export const BILLED_WIRES: readonly BilledWire[] = WIRES.map(([name, create, entry]) => ({
  ...{ name, create, entry },
  format: formatOf(entry),
}))

function formatOf({ apiType, api }: ConfigEntry): WireFormat {
  if (apiType === 'anthropic') return anthropicFormat
  if (apiType === 'google') return googleFormat
  return api === 'responses' ? responsesFormat : chatFormat
}
