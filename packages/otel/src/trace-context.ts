import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api'
import type { TraceContext } from '@x/interfaces'

/** Version 0 of the recommendation; a later version may have more fields behind these. */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/u

/** The flags that the recommendation knows. */
const KNOWN_FLAGS = 0x03

/** Characters of a `tracestate` that are read: the recommendation asks for 512 at least. */
const MAX_STATE_LENGTH = 8192

/** Writes the context of a span as the W3C recommendation has it; undefined for a span of no SDK. */
export function writeTraceContext(span: SpanContext | undefined): TraceContext | undefined {
  if (!span || !isSpanContextValid(span)) return undefined
  const { traceId, spanId, traceFlags, traceState } = span
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  const tracestate = traceState?.serialize()
  return tracestate ? { traceparent, tracestate } : { traceparent }
}

/** Reads the context of a span in another process; undefined for what is none, since it may come from anywhere. */
export function readTraceContext({ traceparent, tracestate }: TraceContext): SpanContext | undefined {
  const match = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent) : null
  if (!match || traceparent.startsWith('ff')) return undefined
  const [, traceId = '', spanId = '', flags = ''] = match
  const isState = typeof tracestate === 'string' && tracestate.length <= MAX_STATE_LENGTH
  const span: SpanContext = {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: Number.parseInt(flags, 16) & KNOWN_FLAGS,
    ...(isState && { traceState: createTraceState(tracestate) }),
  }
  return isSpanContextValid(span) ? span : undefined
}
