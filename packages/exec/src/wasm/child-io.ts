/** Input and output of a child process that runs code in WebAssembly. */
import { readSync, writeSync } from 'node:fs'
import { decodeHeader, LENGTH_PREFIX_BYTES, decodeLengths, encodeFrame, type TransferFrame } from './transfer-frames.ts'

/** Descriptor for frames to the parent; nothing reads the standard output. */
const WIRE_DESCRIPTOR = 3

/** Waits for the next frame; returns null at the end of the input, when the parent is gone. */
export function readFrame(): TransferFrame | null {
  const lengths = readBytes(LENGTH_PREFIX_BYTES)
  if (!lengths) return null
  const { header, body } = decodeLengths(lengths)
  const [first, second] = [readBytes(header), readBytes(body)]
  return first && second ? { header: decodeHeader(first), body: second } : null
}

/** Writes a whole frame; blocks while the parent is slower. The bytes may come from code, which may have redefined their properties. */
export function writeFrame(header: object, body: Uint8Array = EMPTY_BYTES): void {
  const bytes = new Uint8Array(
    realProperty('buffer', body) as ArrayBuffer,
    Number(realProperty('byteOffset', body)),
    Number(realProperty('byteLength', body)),
  )
  for (const piece of encodeFrame(header, bytes)) writeBytes(piece)
}

const EMPTY_BYTES = new Uint8Array()
const TYPED_ARRAY_PROTOTYPE: object = Object.getPrototypeOf(Uint8Array.prototype) as object

/** Reads a property of bytes as the language defines it, even if an own property hides it; throws for anything but bytes. */
const realProperty = (name: string, view: Uint8Array): unknown => Reflect.get(TYPED_ARRAY_PROTOTYPE, name, view)

function readBytes(length: number): Uint8Array | null {
  const data = new Uint8Array(length)
  for (let from = 0; from < length;) {
    const more = retryWhileBusy(() => readSync(0, data, from, length - from, null))
    if (more === 0) return null
    from += more
  }
  return data
}

function writeBytes(data: Uint8Array): void {
  for (let from = 0; from < data.length;) from += retryWhileBusy(() => writeSync(WIRE_DESCRIPTOR, data, from))
}

function retryWhileBusy(work: () => number): number {
  for (;;) {
    try {
      return work()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Windows reports the end of a pipe as this error.
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}
