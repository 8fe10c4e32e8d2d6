import { parseJson } from '../json/wire-values.ts'

/** One event of a stream. */
export interface StreamEvent {
  /** Type of the event; default `message`. */
  readonly event: string
  readonly data: string
}

/** Reads events from bytes, however they are cut. */
export interface EventReader {
  /** Takes bytes and returns the events that are complete now. */
  push(chunk: Uint8Array): StreamEvent[]
  /** Returns the events that were still open at the end. */
  end(): StreamEvent[]
}

/**
 * Creates a reader of server-sent events by the rules of the standard: any line ending, comments, several data lines, a byte
 * order mark. Beside them it reads objects without a field, as which Gemini and Ollama tell an error within a stream.
 */
export function createSseReader(): EventReader {
  let event = ''
  let data: string | undefined
  /** Lines of an object without a field. */
  let bare: string | undefined
  const reader = createLineEventReader('\n\n', (line, out) => {
    if (bare !== undefined && (line === '' || line.startsWith('data'))) {
      if (parseJson(bare) !== undefined) out.push({ event: 'message', data: bare })
      bare = undefined
    }
    if (line === '') {
      if (data !== undefined) out.push({ event: event || 'message', data })
      event = ''
      data = undefined
      return
    }
    // Older servers of llama.cpp tell an error in a field `error`.
    if (line.startsWith('data:') || line.startsWith('error:')) {
      const start = line.indexOf(':') + 1
      const value = line.slice(line[start] === ' ' ? start + 1 : start)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (line.startsWith('event:')) event = line.slice(line[6] === ' ' ? 7 : 6)
    else if (line === 'data') data = data === undefined ? '' : `${data}\n`
    else if (bare !== undefined || line.startsWith('{')) bare = bare === undefined ? line : `${bare}\n${line}`
  })

  return {
    ...reader,
    // The beginning of an object is none: the events before it tell whether the answer is whole.
    end: () => reader.end().filter(({ data: text }) => !text.startsWith('{') || parseJson(text) !== undefined),
  }
}

/** Creates a reader of newline-delimited JSON: each line with text is an event. */
export const createJsonLineReader = (): EventReader =>
  createLineEventReader('\n', (line, out) => {
    if (line.trim() !== '') out.push({ event: 'message', data: line })
  })

/** Creates a reader of events that `onLine` makes of lines; `ending` closes the last line and event. */
function createLineEventReader(ending: string, onLine: (line: string, out: StreamEvent[]) => void): EventReader {
  const decoder = new TextDecoder()
  let out: StreamEvent[] = []
  const cut = createLineCutter((line) => onLine(line, out))
  const read = (text: string): StreamEvent[] => {
    out = []
    cut(text)
    return out
  }
  return {
    push: (chunk) => read(decoder.decode(chunk, { stream: true })),
    end: () => read(decoder.decode() + ending),
  }
}

/**
 * Creates a function that takes a text in pieces and reports its lines, with any line ending, when they are complete. It
 * searches only the new piece: a line may come in very many pieces.
 */
function createLineCutter(onLine: (line: string) => void): (piece: string) => void {
  let rest = ''
  /** A carriage return at the end of a piece may be half of a line ending. */
  let afterReturn = false
  return (piece) => {
    const text = afterReturn && piece.startsWith('\n') ? piece.slice(1) : piece
    if (text !== '') afterReturn = false
    let start = 0
    let lineFeed = text.indexOf('\n')
    let carriageReturn = text.indexOf('\r')
    for (;;) {
      // Each of them is searched from the last one on, so that the piece is read once.
      if (lineFeed !== -1 && lineFeed < start) lineFeed = text.indexOf('\n', start)
      if (carriageReturn !== -1 && carriageReturn < start) carriageReturn = text.indexOf('\r', start)
      const end = carriageReturn === -1 || (lineFeed !== -1 && lineFeed < carriageReturn) ? lineFeed : carriageReturn
      if (end === -1) break
      const line = text.slice(start, end)
      onLine(rest === '' ? line : rest + line)
      rest = ''
      start = end + 1
      if (text[end] !== '\r') continue
      if (text[start] === '\n') start++
      else if (start === text.length) afterReturn = true
    }
    rest += start === 0 ? text : text.slice(start)
  }
}
