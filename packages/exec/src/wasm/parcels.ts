/** A description and bytes, as they travel to and from a process that runs code in WebAssembly. */
export interface Parcel {
  readonly header: unknown
  readonly body: Uint8Array
}

const LENGTHS = 8

/** Lengths of both parts, the header as JSON, the body. */
export function packed(header: object, body: Uint8Array = new Uint8Array()): Uint8Array[] {
  const text = new TextEncoder().encode(JSON.stringify(header))
  const lengths = new DataView(new ArrayBuffer(LENGTHS))
  lengths.setUint32(0, text.length)
  lengths.setUint32(4, body.length)
  return [new Uint8Array(lengths.buffer), text, body]
}

/** Takes parcels apart again; ends at one that is cut short, throws at a header that is not JSON. */
export function* unpacked(bytes: Uint8Array): Generator<Parcel, void> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at + LENGTHS <= bytes.length;) {
    const header = at + LENGTHS
    const body = header + view.getUint32(at)
    const end = body + view.getUint32(at + 4)
    if (end > bytes.length) return
    const text = new TextDecoder().decode(bytes.subarray(header, body))
    yield { header: JSON.parse(text) as unknown, body: bytes.subarray(body, end) }
    at = end
  }
}

/** The last thing that such a process says before the code runs. */
export const READY: Uint8Array = Buffer.concat(packed({ ready: true }))

/** Hears out what a process says; `begins` resolves when the last it said was that it is ready. */
export function untilReady(): { begins: Promise<void>; hear: (data: Uint8Array) => void } {
  const { promise: begins, resolve } = Promise.withResolvers<void>()
  let tail: Uint8Array = new Uint8Array()
  return {
    begins,
    hear(data) {
      tail = Buffer.concat([tail, data.subarray(-READY.length)]).subarray(-READY.length)
      if (Buffer.compare(tail, READY) === 0) resolve()
    },
  }
}
