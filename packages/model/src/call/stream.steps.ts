import type { ModelAnswer, ModelEvent, Usage } from '@x/interfaces'
import { wait, type Steps } from '@x/kernel'
import { ReceivedContent } from '../usage/received-content.ts'

/** The events of a streamed answer that were not sent yet. */
export interface StreamBuffer {
  /** Whether everything waits until the filter has accepted the answer. */
  readonly hold: boolean
  /** Events that wait: those before the first content, or all. */
  held: ModelEvent[]
  /** Whether content was sent: a failure is then final. */
  open: boolean
  /** Content that arrived; null before the first. */
  received: ReceivedContent | null
  /** What an answer that did not come whole has used, as an estimate; null where none was broken off. */
  used: { readonly usage: Usage; readonly cost: number | null } | null
}

const CONTENT: ReadonlySet<ModelEvent['type']> = new Set([
  'textDelta',
  'reasoningDelta',
  'toolCallStart',
  'toolCallDelta',
])

/** Sends the events of an answer, from its first content on. A source that is left early is closed and not awaited. */
export function* streamAnswer(
  source: AsyncGenerator<ModelEvent, ModelAnswer>,
  buffer: StreamBuffer,
  what: string,
): Steps<ModelAnswer, ModelEvent> {
  let ended = false
  try {
    for (;;) {
      const item = yield* wait(source.next(), what)
      if (item.done) {
        ended = true
        return item.value
      }
      const event = item.value
      if (CONTENT.has(event.type)) (buffer.received ??= new ReceivedContent()).add(event)
      if (buffer.open) yield event
      else {
        buffer.held.push(event)
        if (!buffer.hold && CONTENT.has(event.type)) yield* releaseEvents(buffer)
      }
    }
  } finally {
    if (!ended) source.return(undefined as never).then(undefined, () => {})
  }
}

/** Sends the events that wait; from now on events are sent at once. */
export function* releaseEvents(buffer: StreamBuffer): Steps<void, ModelEvent> {
  buffer.open = true
  const { held } = buffer
  buffer.held = []
  yield* held
}

/** The events of an answer that came whole: one piece of reasoning and of text per choice. */
export function eventsOf(answer: ModelAnswer): ModelEvent[] {
  const events: ModelEvent[] = [{ type: 'start', id: answer.id, model: answer.model }]
  for (const { index, message, finish_reason, reasoning, ...details } of answer.choices) {
    if (reasoning) events.push({ type: 'reasoningDelta', index, text: reasoning })
    if (typeof message.content === 'string' && message.content !== '') {
      events.push({ type: 'textDelta', index, text: message.content })
    }
    for (const [call, { id, function: called }] of (message.tool_calls ?? []).entries()) {
      events.push({ type: 'toolCallStart', index, call, id: id ?? null, name: called.name })
      if (called.arguments !== '') events.push({ type: 'toolCallDelta', index, call, arguments: called.arguments })
      events.push({ type: 'toolCallEnd', index, call })
    }
    if (Object.keys(details).length > 0) events.push({ type: 'details', index, details })
    events.push({ type: 'finish', index, reason: finish_reason ?? 'stop' })
  }
  if (answer.usage) events.push({ type: 'usage', usage: answer.usage })
  return events
}
