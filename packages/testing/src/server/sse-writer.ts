/** Options of writing server-sent events. */
export interface SseOptions {
  /** The event's type; none by default. */
  readonly event?: string | undefined
  /** Line ending; default `\n`. */
  readonly eol?: '\n' | '\r\n' | '\r' | undefined
}

/** Writes one server-sent event: a text as it is, anything else as JSON. */
export function sseFrame(data: unknown, { event, eol = '\n' }: SseOptions = {}): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const lines = text.split('\n').map((line) => `data: ${line}`)
  return [...(event === undefined ? [] : [`event: ${event}`]), ...lines, '', ''].join(eol)
}

/** Cuts the bytes of a stream into packets of this size, or at these offsets. */
export type Splits = number | readonly number[]

/** Cuts texts, taken together as UTF-8, at chosen bytes: also in the middle of a line or of a character. */
export function splitBytes(texts: readonly string[], splits: Splits): Uint8Array[] {
  const bytes = new TextEncoder().encode(texts.join(''))
  const offsets =
    typeof splits === 'number'
      ? Array.from({ length: Math.ceil(bytes.length / splits) }, (_, index) => index * splits)
      : [0, ...splits.filter((offset) => offset > 0 && offset < bytes.length).toSorted((a, b) => a - b)]
  return offsets.map((offset, index) => bytes.subarray(offset, offsets[index + 1]))
}
