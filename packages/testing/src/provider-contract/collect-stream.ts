import type { AnswerDetails, ModelAnswer, ModelCallOptions, ModelClient, ModelEvent, ModelParams } from '@x/interfaces'
import type { ProviderRecording } from './contract.ts'

/** A stream that was read to its end. */
export interface CollectedStream {
  readonly events: ModelEvent[]
  /** The answer; absent when it failed. */
  readonly answer?: ModelAnswer | undefined
  readonly error?: unknown
}

/** Reads a stream until it ends or fails. */
export async function collectStream(
  client: ModelClient,
  params: ModelParams,
  signal?: AbortSignal,
  warn?: ModelCallOptions['warn'],
): Promise<CollectedStream> {
  const events: ModelEvent[] = []
  try {
    const stream = client.stream!(params, { signal, warn })
    for (;;) {
      const next = await stream.next()
      if (next.done) return { events, answer: next.value }
      events.push(next.value)
    }
  } catch (error) {
    return { events, error }
  }
}

/** Adds events up to texts, calls and finish reasons, by choice. */
export function foldContent(events: readonly ModelEvent[]): object[] {
  const choices = new Map<number, { text: string; calls: { name: string; arguments: string }[]; finish: unknown }>()
  const at = (index: number): { text: string; calls: { name: string; arguments: string }[]; finish: unknown } => {
    let choice = choices.get(index)
    if (!choice) choices.set(index, (choice = { text: '', calls: [], finish: null }))
    return choice
  }
  for (const event of events) {
    if (event.type === 'textDelta') at(event.index).text += event.text
    else if (event.type === 'textWasReasoning') at(event.index).text = ''
    else if (event.type === 'toolCallStart') at(event.index).calls[event.call] = { name: event.name, arguments: '' }
    else if (event.type === 'toolCallDelta') at(event.index).calls[event.call]!.arguments += event.arguments
    else if (event.type === 'finish') at(event.index).finish = event.reason
  }
  return [...choices].sort(([a], [b]) => a - b).map(([, choice]) => choice)
}

/** Adds events up to the parts beside the messages, by choice. */
export function foldDetails(events: readonly ModelEvent[]): AnswerDetails[] {
  const choices: AnswerDetails[] = []
  const texts: string[] = []
  const think = (index: number, text: string): void => {
    const { reasoning = '' } = (choices[index] ??= {})
    choices[index] = { ...choices[index], reasoning: reasoning + text }
  }
  for (const event of events) {
    if (event.type === 'textDelta') texts[event.index] = (texts[event.index] ?? '') + event.text
    else if (event.type === 'textWasReasoning') {
      think(event.index, texts[event.index] ?? '')
      texts[event.index] = ''
    } else if (event.type === 'reasoningDelta') think(event.index, event.text)
    else if (event.type === 'details') choices[event.index] = { ...choices[event.index], ...event.details }
    else if (event.type === 'finish') choices[event.index] ??= {}
  }
  return choices.filter((choice) => choice !== undefined)
}

/** Returns the parts beside the messages of an answer, in the form of `foldDetails`. */
export function detailsOf({ choices }: ModelAnswer): AnswerDetails[] {
  return choices.map((choice) => {
    const details: Partial<ModelAnswer['choices'][number]> = { ...choice }
    for (const key of ['index', 'message', 'finish_reason'] as const) delete details[key]
    return details
  })
}

/** Summarises the content of a recording in the form of `foldContent`. */
export function recordedContent({ says: { text, calls = [], finish } }: ProviderRecording): object {
  return { text, calls: [...calls], finish }
}

/** Puts the pieces of visible reasoning together. */
export function reasoningOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'reasoningDelta' ? event.text : '')).join('')
}

/** Summarises an answer in the form of `foldContent`. */
export function contentOf({ choices }: ModelAnswer): object[] {
  return choices.map(({ message, finish_reason: finish }) => ({
    text: typeof message.content === 'string' ? message.content : '',
    calls: (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({ name, arguments: args })),
    finish,
  }))
}
