import { setTimeout } from 'node:timers/promises'
import type { LlmConfig, ModelEvent } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from './scripted-model.ts'
import type { ScriptedReply } from './scripted-reply.ts'

/** A tool call of a simulated model: the pattern of the messages that cause it, and the call. */
interface SimulatedCall {
  readonly when: RegExp
  readonly name: string
  readonly arguments: (match: RegExpExecArray) => Readonly<Record<string, unknown>>
}

/** Options of {@link simulatedModel}. */
export interface SimulatedModelOptions {
  /** Calls of tools: the first whose pattern fits the last message is made; default: none. */
  readonly calls?: readonly SimulatedCall[] | undefined
  /** The reply to a message that no tool fits. */
  readonly about: string
  /** Milliseconds between two words; default 30. */
  readonly pace?: number | undefined
}

/**
 * Makes an `llmConfig` that plays a model, for people without a key: it calls the tool that fits a message, and streams
 * its result, or else `about`, word by word. Its name is `simulated`.
 */
export function simulatedModel(options: SimulatedModelOptions): LlmConfig {
  checkOptions(options ?? null, SIMULATED_MODEL_KINDS, 'make a simulated model')
  const { calls = [], about, pace = 30 } = options
  let callCount = 0
  return functionModel(
    ({ messages }) => {
      const last = messages.at(-1)
      const text = contentText(last?.content)
      if (last?.role === 'tool') return streamWords(`The tool says: ${text}`, pace)
      for (const { when, name, arguments: args } of calls) {
        const match = when.exec(text)
        if (!match) continue
        const id = `call_${messages.length}_${++callCount}`
        const call = { id, type: 'function', function: { name, arguments: JSON.stringify(args(match)) } } as const
        return { content: null, tool_calls: [call] }
      }
      return streamWords(about, pace)
    },
    { model: 'simulated' },
  )
}

const SIMULATED_MODEL_KINDS: OptionKinds<SimulatedModelOptions> = {
  calls: kind.list,
  about: kind.text,
  pace: kind.number(0),
}

/** Streams a text word by word, as a provider's model would. */
function streamWords(text: string, pace: number): ScriptedReply {
  if (pace === 0) return text
  const words = text.match(/\S+\s*/gu) ?? []
  const deltas = words.map((word): ModelEvent => ({ type: 'textDelta', index: 0, text: word }))
  const stream = deltas.flatMap((delta, index) => [setTimeout(index * pace), delta])
  return { stream: [...stream, { type: 'finish', index: 0, reason: 'stop' }] }
}
