import type { EventOptions, XEvent } from '@x/interfaces'

/** Returns an event as the options want it; null if it is not sent. */
export function shapeEvent(event: XEvent, options: EventOptions | undefined): XEvent | null {
  if (!options) return event
  const { redact } = options
  return redact ? redact(event) : event
}
