/** Cuts a text that arrives in pieces into lines. */
export interface LineReader {
  /** Takes a piece and hands on the lines that are complete now. */
  push(text: string): void
}

/** Creates a reader of lines with any line ending. Only what is new is searched: a line may come in very many pieces. */
export function createLineReader(onLine: (line: string) => void): LineReader {
  let rest = ''
  /** A carriage return at the end of a piece may be half of a line ending. */
  let afterReturn = false
  return {
    push(piece) {
      const text = afterReturn && piece.startsWith('\n') ? piece.slice(1) : piece
      if (text !== '') afterReturn = false
      let start = 0
      const carriage = text.includes('\r')
      for (;;) {
        let end = text.indexOf('\n', start)
        if (carriage) {
          const back = text.indexOf('\r', start)
          if (back !== -1 && (end === -1 || back < end)) end = back
        }
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
    },
  }
}
