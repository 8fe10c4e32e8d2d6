/** Input and output of a process that runs code in WebAssembly. */
import { readSync, writeSync } from 'node:fs'
import { decodeHeader, LENGTH_PREFIX_BYTES, decodeLengths, encodeFrame, type TransferFrame } from './transfer-frames.ts'

/** Descriptor on which it says everything; nobody reads what it prints. */
const WIRE_DESCRIPTOR = 3

/** Waits for the next parcel; null at the end of the input, when nobody has anything to writeFrame any more. */
export function readFrame(): TransferFrame | null {
  const lengths = read(LENGTH_PREFIX_BYTES)
  if (!lengths) return null
  const { header, body } = decodeLengths(lengths)
  const [first, second] = [read(header), read(body)]
  return first && second ? { header: decodeHeader(first), body: second } : null
}

/** Says a parcel, all of it; the other end may be slower. Code may have made the bytes: they count for what they are. */
export function writeFrame(header: object, body: Uint8Array = EMPTY_BYTES): void {
  const bytes = new Uint8Array(
    own('buffer', body) as ArrayBuffer,
    Number(own('byteOffset', body)),
    Number(own('byteLength', body)),
  )
  for (const piece of encodeFrame(header, bytes)) write(piece)
}

const EMPTY_BYTES = new Uint8Array()
const TYPED_ARRAY_PROTOTYPE: object = Object.getPrototypeOf(Uint8Array.prototype) as object

/** Reads what a property of bytes is by the language, whatever was put in its place; throws for anything but bytes. */
const own = (name: string, view: Uint8Array): unknown => Reflect.get(TYPED_ARRAY_PROTOTYPE, name, view)

function read(length: number): Uint8Array | null {
  const data = new Uint8Array(length)
  for (let from = 0; from < length;) {
    const more = patiently(() => readSync(0, data, from, length - from, null))
    if (more === 0) return null
    from += more
  }
  return data
}

function write(data: Uint8Array): void {
  for (let from = 0; from < data.length;) from += patiently(() => writeSync(WIRE_DESCRIPTOR, data, from))
}

function patiently(work: () => number): number {
  for (;;) {
    try {
      return work()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // So Windows tells the end of a pipe.
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}
