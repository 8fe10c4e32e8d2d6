import type { OutputChunk } from '../run/job.ts'

/**
 * Takes an engine's multiplexed output apart: frames of a byte for the stream, three of nothing, four of length, and the
 * data, cut anywhere. The function it gives is called with each piece that arrives.
 */
export function frameReader(
  onData: (stream: OutputChunk['stream'], data: Uint8Array) => void,
): (piece: Uint8Array) => void {
  let header = Buffer.alloc(0)
  let stream: OutputChunk['stream'] = 'stdout'
  let left = 0
  return (piece) => {
    let rest = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    while (rest.length > 0) {
      if (left > 0) {
        const data = rest.subarray(0, left)
        onData(stream, data)
        left -= data.length
        rest = rest.subarray(data.length)
        continue
      }
      const needed = 8 - header.length
      header = Buffer.concat([header, rest.subarray(0, needed)])
      rest = rest.subarray(needed)
      if (header.length < 8) return
      stream = header[0] === 2 ? 'stderr' : 'stdout'
      left = header.readUInt32BE(4)
      header = Buffer.alloc(0)
    }
  }
}
