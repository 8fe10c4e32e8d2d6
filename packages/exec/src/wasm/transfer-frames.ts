import { Buffer } from 'node:buffer'

/** Message to or from a process that runs code in WebAssembly: a header and bytes. */
export interface TransferFrame {
  readonly header: Readonly<Record<string, unknown>>
  readonly body: Uint8Array
}

/** Bytes of the lengths of both parts, which precede them. */
export const LENGTH_PREFIX_BYTES = 8

/** Bytes of the longest header. */
const MAX_HEADER_BYTES = 2 ** 20

/** Returns a frame in pieces: the lengths of both parts, the header as JSON, the body. */
export function encodeFrame(header: object, body: Uint8Array = new Uint8Array()): Uint8Array[] {
  const text = Buffer.from(JSON.stringify(header))
  const lengths = new DataView(new ArrayBuffer(LENGTH_PREFIX_BYTES))
  lengths.setUint32(0, text.length)
  lengths.setUint32(4, body.length)
  return [new Uint8Array(lengths.buffer), text, body]
}

/** Parses the lengths of both parts. */
export function decodeLengths(bytes: Uint8Array): { header: number; body: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { header: view.getUint32(0), body: view.getUint32(4) }
}

/** Parses a header; throws if it is not a JSON object. */
export function decodeHeader(bytes: Uint8Array): TransferFrame['header'] {
  const header = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as
    | TransferFrame['header']
    | null
  if (typeof header !== 'object' || header === null) throw new Error('a header must be an object')
  return header
}

/** Reads frames from the output of a process as it arrives. The process is not trusted. */
export class FrameReader {
  readonly #maxBodyBytes: number
  #pieces: Uint8Array[] = []
  #bytes = 0
  /** Bytes of the next frame, as far as they are known. */
  #frameBytes = LENGTH_PREFIX_BYTES

  /** Refuses bodies longer than `maxBodyBytes`. */
  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes
  }

  /** Adds output and yields the complete frames; throws if a frame is too long or has no valid header. */
  *read(data: Uint8Array): Generator<TransferFrame, void> {
    this.#pieces.push(data)
    this.#bytes += data.length
    while (this.#bytes >= this.#frameBytes) {
      const all = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces)
      const { header, body } = decodeLengths(all)
      if (header > MAX_HEADER_BYTES || body > this.#maxBodyBytes) throw new Error('a frame is too long')
      this.#frameBytes = LENGTH_PREFIX_BYTES + header + body
      this.#pieces = [all]
      if (all.length < this.#frameBytes) return
      const start = LENGTH_PREFIX_BYTES + header
      yield {
        header: decodeHeader(all.subarray(LENGTH_PREFIX_BYTES, start)),
        body: all.subarray(start, this.#frameBytes),
      }
      this.#pieces = [all.subarray(this.#frameBytes)]
      this.#bytes = all.length - this.#frameBytes
      this.#frameBytes = LENGTH_PREFIX_BYTES
    }
  }
}
