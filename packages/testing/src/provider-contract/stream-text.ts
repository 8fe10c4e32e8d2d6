/** Tells newline-delimited JSON from server-sent events. */
const isLines = (stream: string): boolean => /^\s*[[{]/u.test(stream)

/** Splits the bytes of a stream into its frames: events, or lines of JSON. */
export function framesOf(stream: string): string[] {
  return stream.split(isLines(stream) ? /(?<=\n)/u : /(?<=\n\n)/u).filter((frame) => frame.trim() !== '')
}

/** Returns the content type of a stream. */
export function typeOf(stream: string): string {
  return isLines(stream) ? 'application/x-ndjson' : 'text/event-stream'
}
