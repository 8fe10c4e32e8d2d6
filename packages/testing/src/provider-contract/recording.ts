import { writeFrame, type PlainReply, type WireFormat } from '../wire/wire-format.ts'
import type { ProviderRecording } from './contract.ts'

/** Answers in every format: a text, two calls after reasoning, and an answer cut short. */
const DEFAULT_REPLIES: Readonly<Record<string, PlainReply>> = {
  'a text': { text: 'Sunny – 22 °C ☀️.', usage: { prompt: 30, cached: 20, completion: 9 } },
  'two calls': {
    reasoning: { text: 'Two cities.', signature: 'c2lnbmF0dXJl' },
    text: 'I look.',
    calls: [{ name: 'weather', args: { city: 'Zürich' } }, { name: 'now' }],
    usage: { prompt: 30, completion: 25, reasoning: 8 },
  },
  'an answer cut short': { text: 'Sun', finish: 'length' },
}

/** Records answers in a wire format, by their names; default: a text, two calls, and an answer that was cut short. */
export const createRecordings = (
  format: WireFormat,
  replies: Readonly<Record<string, PlainReply>> = DEFAULT_REPLIES,
): ProviderRecording[] => Object.entries(replies).map(([name, reply]) => createRecording(format, name, reply))

function createRecording(format: WireFormat, name: string, reply: PlainReply): ProviderRecording {
  const { text = '', calls = [], finish = calls.length > 0 ? 'tool_calls' : 'stop', reasoning } = reply
  const { usage = { prompt: 12, completion: 6 } } = reply
  const counted = { ...reply, usage }
  return {
    name,
    whole: JSON.stringify(format.whole(counted)),
    stream: format.frames(counted).map(writeFrame).join(''),
    says: {
      text,
      calls: calls.map(({ name: called, args = {} }) => ({ name: called, arguments: JSON.stringify(args) })),
      finish,
      reasoning: reasoning?.text,
      usage,
    },
  }
}
