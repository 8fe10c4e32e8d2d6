import type { ModelAnswer, ModelClient, ModelEvent } from '@x/interfaces'
import { type Steps, wait } from '@x/kernel'
import { ReceivedContent } from '../usage/token-estimate.ts'
import { withShortName } from './answer-fields.ts'
import type { StreamBuffer } from './config-call.ts'

/** Types of events with content. */
const CONTENT_TYPES: ReadonlySet<ModelEvent['type']> = new Set([
  'textDelta',
  'reasoningDelta',
  'toolCallStart',
  'toolCallDelta',
])

/** Sends the events of an answer from its first content on. On an early exit, the source is closed without waiting. */
export function* streamAnswer(
  source: ReturnType<NonNullable<ModelClient['stream']>>,
  buffer: StreamBuffer,
  what: string,
): Steps<ModelAnswer, ModelEvent> {
  let ended = false
  // What an earlier request has told is gone.
  if (!buffer.open) buffer.held = []
  try {
    for (;;) {
      const item = yield* wait(source.next(), what)
      if (item.done) {
        ended = true
        return item.value
      }
      // The events that came with it need no wait.
      const rest = source.takeReady?.() ?? NO_EVENTS
      for (let at = -1; at < rest.length; at++) {
        const event = withShortName(at === -1 ? item.value : rest[at]!)
        const isContent = CONTENT_TYPES.has(event.type)
        if (isContent) noteContent(buffer, event)
        if (buffer.open) yield event
        else {
          buffer.held.push(event)
          if (isContent && !buffer.hold) yield* releaseEvents(buffer)
        }
      }
    }
  } finally {
    if (!ended) source.return(undefined as never).then(undefined, () => {})
  }
}

const NO_EVENTS: readonly ModelEvent[] = []

function noteContent(buffer: StreamBuffer, event: ModelEvent): void {
  if (!buffer.received) buffer.firstTokenAt = buffer.clock?.now() ?? null
  ;(buffer.received ??= new ReceivedContent()).add(event)
}

/** Sends the held events; from now on events are sent at once. */
export function* releaseEvents(buffer: StreamBuffer): Steps<void, ModelEvent> {
  buffer.open = true
  const { held } = buffer
  buffer.held = []
  yield* held
}

/** Returns the events of a complete answer: one piece of reasoning and of text per choice. */
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
