import type { FramedRecording } from './contract.ts'

/** Tells newline-delimited JSON from server-sent events. */
const isLines = (stream: string): boolean => /^\s*[[{]/u.test(stream)

/** Returns the frames of a recorded stream: those that are known, or else its events or lines of JSON. */
export function framesOf({ stream, frames }: Pick<FramedRecording, 'stream' | 'frames'>): readonly string[] {
  return frames ?? stream.split(isLines(stream) ? /(?<=\n)/u : /(?<=\n\n)/u).filter((frame) => frame.trim() !== '')
}

/** Returns the content type of a stream. */
export function typeOf(stream: string): string {
  return isLines(stream) ? 'application/x-ndjson' : 'text/event-stream'
}
