import { gunzipSync, inflateRawSync } from 'node:zlib'

/** Reads the files of a zip archive, such as a wheel, that a filter accepts. */
export function readZip(bytes: Uint8Array, takes: (name: string) => boolean): Map<string, string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = buffer.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  if (end < 0) throw new Error('cannot read the archive: it has no directory, so it is not a zip file')
  const files = new Map<string, string>()
  let at = buffer.readUInt32LE(end + 16)
  for (let left = buffer.readUInt16LE(end + 10); left > 0; left--) {
    const [size, nameLength, extra, comment] = [20, 28, 30, 32].map((offset) =>
      offset === 20 ? buffer.readUInt32LE(at + offset) : buffer.readUInt16LE(at + offset),
    ) as [number, number, number, number]
    const name = buffer.toString('utf8', at + 46, at + 46 + nameLength)
    if (takes(name)) {
      const local = buffer.readUInt32LE(at + 42)
      const start = local + 30 + buffer.readUInt16LE(local + 26) + buffer.readUInt16LE(local + 28)
      const packed = buffer.subarray(start, start + size)
      const isPacked = buffer.readUInt16LE(at + 10) === 8
      files.set(name, (isPacked ? inflateRawSync(packed) : packed).toString('utf8'))
    }
    at += 46 + nameLength + extra + comment
  }
  return files
}

/** Reads the files of a packed npm package that a filter accepts. */
export function readTarball(bytes: Uint8Array, takes: (name: string) => boolean): Map<string, string> {
  const buffer = gunzipSync(bytes)
  const files = new Map<string, string>()
  for (let at = 0; at + 512 <= buffer.length && buffer[at] !== 0;) {
    const text = (from: number, length: number): string =>
      buffer.toString('utf8', at + from, at + from + length).replace(/\0.*$/su, '')
    const prefix = text(345, 155)
    const name = prefix ? `${prefix}/${text(0, 100)}` : text(0, 100)
    const size = Number.parseInt(text(124, 12), 8)
    if (takes(name)) files.set(name, buffer.toString('utf8', at + 512, at + 512 + size))
    at += 512 + Math.ceil(size / 512) * 512
  }
  return files
}
