/** Size of a header of a tar archive, and of the blocks that files fill. */
const BLOCK_BYTES = 512

/** Changes the text of one file in a tar archive, whose other bytes stay; throws if the file is not there. */
export function editInTar(archive: Buffer, path: string, edit: (text: string) => string): Buffer {
  for (let at = 0; at + BLOCK_BYTES <= archive.length;) {
    const header = archive.subarray(at, at + BLOCK_BYTES)
    const size = Number.parseInt(textAt(header, 124, 12), 8) || 0
    const end = at + BLOCK_BYTES + padded(size)
    if (textAt(header, 0, 100) === path) {
      const content = Buffer.from(edit(archive.toString('utf8', at + BLOCK_BYTES, at + BLOCK_BYTES + size)))
      const padding = Buffer.alloc(padded(content.length) - content.length)
      const parts = [archive.subarray(0, at), resized(header, content.length), content, padding, archive.subarray(end)]
      return Buffer.concat(parts)
    }
    at = end
  }
  throw new Error(`cannot edit \`${path}\` in an archive: it is not there`)
}

/** A copy of a header with another size and the checksum of that. */
function resized(header: Buffer, size: number): Buffer {
  const copy = Buffer.from(header)
  copy.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  // The checksum is taken of a header that has blanks in its place.
  copy.fill(' ', 148, 156)
  const sum = copy.reduce((total, byte) => total + byte, 0)
  copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return copy
}

function textAt(header: Buffer, at: number, length: number): string {
  return header.toString('latin1', at, at + length).replace(/\0[^]*$/u, '')
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
}
