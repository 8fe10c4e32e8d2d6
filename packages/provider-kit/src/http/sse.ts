/** One server-sent event. */
export interface ServerSentEvent {
  /** Its type; `message` when it names none. */
  readonly event: string
  readonly data: string
}

/** Reads server-sent events from bytes, however they are cut. */
export interface SseReader {
  /** Takes bytes and gives the events that are complete now. */
  push(chunk: Uint8Array): ServerSentEvent[]
  /** Returns the events that were still open at the end. */
  end(): ServerSentEvent[]
}

/** Creates a reader by the rules of the standard: any line ending, comments, several data lines, a byte order mark. */
export function createSseReader(): SseReader {
  const decoder = new TextDecoder()
  let rest = ''
  let event = ''
  let data: string | undefined
  /** A carriage return at the end of a chunk may be half of a line ending. */
  let afterReturn = false

  const line = (text: string, out: ServerSentEvent[]): void => {
    if (text === '') {
      if (data !== undefined) out.push({ event: event || 'message', data })
      event = ''
      data = undefined
      return
    }
    if (text.startsWith('data:')) {
      const value = text.slice(text[5] === ' ' ? 6 : 5)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (text.startsWith('event:')) event = text.slice(text[6] === ' ' ? 7 : 6)
    else if (text === 'data') data = data === undefined ? '' : `${data}\n`
  }

  const read = (text: string, out: ServerSentEvent[]): void => {
    if (afterReturn && text.startsWith('\n')) text = text.slice(1)
    if (text !== '') afterReturn = false
    const all = rest + text
    let start = 0
    const carriage = all.includes('\r')
    for (;;) {
      let end = all.indexOf('\n', start)
      if (carriage) {
        const back = all.indexOf('\r', start)
        if (back !== -1 && (end === -1 || back < end)) end = back
      }
      if (end === -1) break
      line(all.slice(start, end), out)
      start = end + 1
      if (all[end] !== '\r') continue
      if (all[start] === '\n') start++
      else if (start === all.length) afterReturn = true
    }
    rest = all.slice(start)
  }

  return {
    push(chunk) {
      const out: ServerSentEvent[] = []
      read(decoder.decode(chunk, { stream: true }), out)
      return out
    },
    end() {
      const out: ServerSentEvent[] = []
      read(`${decoder.decode()}\n\n`, out)
      return out
    },
  }
}
