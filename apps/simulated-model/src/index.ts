import { setTimeout } from 'node:timers/promises'
import type { LlmConfig, ModelEvent } from '@x/interfaces'
import { functionModel, type ScriptedReply } from '@x/testing'

/** A call of a tool by the simulated model: the words that cause it, and the call. */
export interface SimulatedCall {
  readonly when: RegExp
  readonly name: string
  readonly arguments: (matched: RegExpExecArray) => Readonly<Record<string, unknown>>
}

/** Options of the simulated model. */
export interface SimulatedModelOptions {
  readonly calls: readonly SimulatedCall[]
  /** What it says when no tool fits. */
  readonly about: string
  /** Milliseconds between two words; default 30. */
  readonly pace?: number | undefined
}

/** A model for those without a key: it knows when to call which tool, reports what the tool gave, and says so slowly. */
export function simulatedModel({ calls, about, pace = 30 }: SimulatedModelOptions): LlmConfig {
  let called = 0
  return functionModel(
    ({ messages }) => {
      const last = messages.at(-1)
      const said = typeof last?.content === 'string' ? last.content : ''
      if (last?.role === 'tool') return spoken(`The tool says: ${said}`, pace)
      for (const { when, name, arguments: args } of calls) {
        const matched = when.exec(said)
        if (!matched) continue
        const id = `call_${messages.length}_${++called}`
        const call = { id, type: 'function', function: { name, arguments: JSON.stringify(args(matched)) } } as const
        return { content: null, tool_calls: [call] }
      }
      return spoken(about, pace)
    },
    { model: 'simulated' },
  )
}

/** A text word by word, as a model behind a provider would stream it. */
function spoken(text: string, pace: number): ScriptedReply {
  if (pace === 0) return text
  const words = text.match(/\S+\s*/gu) ?? []
  const deltas = words.map((word): ModelEvent => ({ type: 'textDelta', index: 0, text: word }))
  const stream = deltas.flatMap((delta, index) => [setTimeout(index * pace), delta])
  return { stream: [...stream, { type: 'finish', index: 0, reason: 'stop' }] }
}
