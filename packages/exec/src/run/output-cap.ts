import { StringDecoder } from 'node:string_decoder'
import type { OutputChunk } from './job.ts'

/** A block that prints more than this many times the cap is ended. */
const FLOOD_FACTOR = 16

/** Bytes of output that are decoded at once: head and tail are cut at the right place. */
const PIECE_BYTES = 4096

/** Keeps the head and the tail of one output stream, within a number of bytes. */
class CappedStream {
  readonly #limit: number
  #head = ''
  #headBytes = 0
  #tail: string[] = []
  #tailBytes = 0
  total = 0
  readonly decoder: StringDecoder = new StringDecoder('utf8')

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Free bytes of the head; none once something is in the tail. */
  get headLeft(): number {
    return this.#tailBytes > 0 ? 0 : this.#limit - this.#headBytes
  }

  /** Adds decoded text. Its bytes count, and not those of the code: what is no text takes three bytes for each of them. */
  add(text: string): void {
    const bytes = Buffer.byteLength(text)
    if (bytes === 0) return
    this.total += bytes
    if (this.#headBytes + bytes <= this.#limit && this.#tailBytes === 0) {
      this.#head += text
      this.#headBytes += bytes
      return
    }
    // Small pieces are joined: a long list takes long to shorten.
    const last = this.#tail.length - 1
    if (last >= 0 && this.#tail[last]!.length < PIECE_BYTES) this.#tail[last] += text
    else this.#tail.push(text)
    this.#tailBytes += bytes
    while (this.#tail.length > 1 && this.#tailBytes - this.#tail[0]!.length * 4 > this.#limit) {
      this.#tailBytes -= Buffer.byteLength(this.#tail.shift()!)
    }
  }

  end(): { text: string; truncated: number } {
    this.add(this.decoder.end())
    const tail = Buffer.from(this.#tail.join(''))
    const end = tail.subarray(Math.max(0, tail.length - this.#limit))
    const truncated = this.total - this.#headBytes - end.length
    if (tail.length === 0) return { text: this.#head, truncated: 0 }
    if (truncated <= 0) return { text: this.#head + tail.toString(), truncated: 0 }
    // The cut may be inside a character.
    const start = Math.max(
      0,
      end.findIndex((byte) => (byte & 0xc0) !== 0x80),
    )
    const leftOut = truncated + start
    return {
      text: `${this.#head}\n[… ${leftOut} bytes left out …]\n${end.subarray(start).toString()}`,
      truncated: leftOut,
    }
  }
}

/** Collects both output streams of a block: keeps the head and the tail of each, and passes on live pieces up to the cap. */
export class OutputCap {
  readonly #streams: Record<OutputChunk['stream'], CappedStream>
  readonly #bytes: number
  readonly #onOutput: ((chunk: OutputChunk) => void) | undefined
  #live = 0

  constructor(bytes: number, onOutput?: (chunk: OutputChunk) => void) {
    this.#bytes = bytes
    this.#onOutput = onOutput
    const half = Math.max(1, Math.floor(bytes / 4))
    this.#streams = { stdout: new CappedStream(half), stderr: new CappedStream(half) }
  }

  /** Adds a piece; returns false if the block has printed too much to go on. */
  add(stream: OutputChunk['stream'], data: Uint8Array): boolean {
    const capped = this.#streams[stream]
    for (let from = 0; from < data.length;) {
      const size = Math.min(PIECE_BYTES, capped.headLeft || PIECE_BYTES, data.length - from)
      const piece = Buffer.from(data.buffer, data.byteOffset + from, size)
      const text = capped.decoder.write(piece)
      capped.add(text)
      if (text !== '' && this.#live < this.#bytes) this.#onOutput?.({ stream, text })
      this.#live += size
      from += size
    }
    return this.#live <= this.#bytes * FLOOD_FACTOR
  }

  /** Returns the output, with a note in place of the omitted middle. */
  end(): { stdout: string; stderr: string; truncatedBytes: number } {
    const stdout = this.#streams.stdout.end()
    const stderr = this.#streams.stderr.end()
    return { stdout: stdout.text, stderr: stderr.text, truncatedBytes: stdout.truncated + stderr.truncated }
  }
}
