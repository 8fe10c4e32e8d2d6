import type { Io, XEvent } from '@x/interfaces'

/** An `io` that keeps what is sent and types prepared lines; one asked for more fails. */
export function recordingIo(
  lines: readonly string[] = [],
): Io & { readonly events: XEvent[]; readonly prompts: string[] } {
  const left = [...lines]
  const events: XEvent[] = []
  const prompts: string[] = []
  return {
    events,
    prompts,
    send: (event) => void events.push(event),
    input(prompt) {
      prompts.push(prompt)
      const line = left.shift()
      if (line === undefined) throw new Error(`no line is left for \`${prompt}\``)
      return line
    },
  }
}

/** The types of events of the pieces of an answer. */
const PIECE_TYPES: ReadonlySet<XEvent['type']> = new Set<XEvent['type']>([
  'answerBegin',
  'textDelta',
  'reasoningDelta',
  'textWasReasoning',
  'toolInputDelta',
])

/**
 * Events without what differs between faces: a model's pieces, times and numbers, and the order of starts and ends, which is that of
 * the work where it is done at once.
 */
export function comparable(events: readonly XEvent[]): { told: unknown[]; spans: string[] } {
  const told = events.filter(({ type }) => !PIECE_TYPES.has(type))
  const isSpan = ({ type }: XEvent): boolean => /(?:Start|End)$/u.test(type)
  return {
    told: told.filter((event) => !isSpan(event)).map(unnumbered),
    spans: told.filter(isSpan).map(timeless).toSorted(),
  }
}

const unnumbered = (event: XEvent): object => ({ ...event, runId: undefined, seq: undefined, time: undefined })

/** An event as text, without what differs from process to process: numbers, times, and marks of an earlier process. */
export function timeless(event: XEvent): string {
  // A journal keeps the reply of a model and what it cost, and no more of the answer.
  const answer = event.type === 'modelCallEnd' && { details: undefined, configId: undefined, finishReason: undefined }
  return JSON.stringify({ ...unnumbered(event), ...answer, ms: undefined, resumed: undefined, recalled: undefined })
}
