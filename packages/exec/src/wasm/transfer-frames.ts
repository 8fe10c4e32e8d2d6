import { Buffer } from 'node:buffer'

/** A description and bytes, as they travel to and from a process that runs code in WebAssembly. */
export interface TransferFrame {
  readonly header: Readonly<Record<string, unknown>>
  readonly body: Uint8Array
}

/** Bytes that tell how long both parts are. */
export const LENGTH_PREFIX_BYTES = 8

/** Bytes of the longest header. */
const MAX_HEADER_BYTES = 2 ** 20

/** Lengths of both parts, the header as JSON, the body. */
export function encodeFrame(header: object, body: Uint8Array = new Uint8Array()): Uint8Array[] {
  const text = Buffer.from(JSON.stringify(header))
  const lengths = new DataView(new ArrayBuffer(LENGTH_PREFIX_BYTES))
  lengths.setUint32(0, text.length)
  lengths.setUint32(4, body.length)
  return [new Uint8Array(lengths.buffer), text, body]
}

/** Reads the lengths of both parts. */
export function decodeLengths(bytes: Uint8Array): { header: number; body: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { header: view.getUint32(0), body: view.getUint32(4) }
}

/** Reads a header; throws when it is not a JSON object. */
export function decodeHeader(bytes: Uint8Array): TransferFrame['header'] {
  const header = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as
    | TransferFrame['header']
    | null
  if (typeof header !== 'object' || header === null) throw new Error('a header must be an object')
  return header
}

/** Takes parcels out of what a process says, as it comes. The process may say anything. */
export class FrameReader {
  readonly #most: number
  #pieces: Uint8Array[] = []
  #bytes = 0
  /** Bytes of the parcel that is coming, as far as they are known. */
  #wanted = LENGTH_PREFIX_BYTES

  /** Refuses bodies longer than `most` bytes. */
  constructor(most: number) {
    this.#most = most
  }

  /** Adds what came and gives the parcels that are whole; throws at one that is too long or has no header. */
  *take(data: Uint8Array): Generator<TransferFrame, void> {
    this.#pieces.push(data)
    this.#bytes += data.length
    while (this.#bytes >= this.#wanted) {
      const all = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces)
      const { header, body } = decodeLengths(all)
      if (header > MAX_HEADER_BYTES || body > this.#most) throw new Error('a parcel is too long')
      this.#wanted = LENGTH_PREFIX_BYTES + header + body
      this.#pieces = [all]
      if (all.length < this.#wanted) return
      const start = LENGTH_PREFIX_BYTES + header
      yield { header: decodeHeader(all.subarray(LENGTH_PREFIX_BYTES, start)), body: all.subarray(start, this.#wanted) }
      this.#pieces = [all.subarray(this.#wanted)]
      this.#bytes = all.length - this.#wanted
      this.#wanted = LENGTH_PREFIX_BYTES
    }
  }
}
