import type { SpanEvent } from '@x/interfaces'

const TYPES = {
  chatStart: true,
  chatEnd: true,
  replyStart: true,
  replyEnd: true,
  modelCallStart: true,
  modelCallEnd: true,
  modelAttemptStart: true,
  modelAttemptEnd: true,
  toolStart: true,
  toolEnd: true,
  codeStart: true,
  codeEnd: true,
  humanInputStart: true,
  humanInputEnd: true,
} satisfies Record<SpanEvent['type'], true>

/** The types of the events that start and end something. */
export const SPAN_TYPES: readonly SpanEvent['type'][] = Object.keys(TYPES) as SpanEvent['type'][]
