import { createLineReader } from './text-lines.ts'

/** One event of a stream. */
export interface StreamEvent {
  /** Its type; `message` when it names none. */
  readonly event: string
  readonly data: string
}

/** Reads events from bytes, however they are cut. */
export interface EventReader {
  /** Takes bytes and gives the events that are complete now. */
  push(chunk: Uint8Array): StreamEvent[]
  /** Returns the events that were still open at the end. */
  end(): StreamEvent[]
}

/** Creates a reader of server-sent events by the rules of the standard: any line ending, comments, several data lines, a byte order mark. */
export function createSseReader(): EventReader {
  const decoder = new TextDecoder()
  let event = ''
  let data: string | undefined
  let out: StreamEvent[] = []

  const lines = createLineReader((line) => {
    if (line === '') {
      if (data !== undefined) out.push({ event: event || 'message', data })
      event = ''
      data = undefined
      return
    }
    if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (line.startsWith('event:')) event = line.slice(line[6] === ' ' ? 7 : 6)
    else if (line === 'data') data = data === undefined ? '' : `${data}\n`
  })

  const read = (text: string): StreamEvent[] => {
    out = []
    lines.push(text)
    return out
  }

  return {
    push: (chunk) => read(decoder.decode(chunk, { stream: true })),
    end: () => read(`${decoder.decode()}\n\n`),
  }
}

/** Creates a reader of newline-delimited JSON: each line that is not empty is an event. */
export function createJsonLineReader(): EventReader {
  const decoder = new TextDecoder()
  let out: StreamEvent[] = []
  const lines = createLineReader((line) => {
    if (line.trim() !== '') out.push({ event: 'message', data: line })
  })
  const read = (text: string): StreamEvent[] => {
    out = []
    lines.push(text)
    return out
  }
  return {
    push: (chunk) => read(decoder.decode(chunk, { stream: true })),
    end: () => read(`${decoder.decode()}\n`),
  }
}
