import { writeFrame, type PlainReply, type WireFormat } from '../wire/wire-format.ts'
import type { ProviderRecording } from './contract.ts'

/** Builds a recording of an answer in a wire format. */
export function createRecording(format: WireFormat, name: string, reply: PlainReply): ProviderRecording {
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
