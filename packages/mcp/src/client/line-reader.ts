/** Cuts a stream of bytes into lines, of which none may have more than `longest` bytes. */
export class LineReader {
  readonly #longest: number
  #parts: Uint8Array[] = []
  #bytes = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  /** Takes the next bytes, and gives the lines that they end; false when a line is too long. */
  take(chunk: Uint8Array): string[] | false {
    const lines: string[] = []
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      if (!this.#keep(chunk.subarray(from, end))) return false
      lines.push(this.#flush())
      from = end + 1
    }
    return this.#keep(chunk.subarray(from)) && lines
  }

  #keep(part: Uint8Array): boolean {
    this.#bytes += part.length
    if (this.#bytes > this.#longest) return false
    if (part.length > 0) this.#parts.push(part)
    return true
  }

  #flush(): string {
    const decoder = new TextDecoder()
    const line = this.#parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
    this.#parts = []
    this.#bytes = 0
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
}
