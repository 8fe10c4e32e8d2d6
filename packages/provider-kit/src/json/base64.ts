/** Joins texts of base64, each of which may stand for a number of bytes that is not a multiple of three. */
export function joinedBase64(pieces: readonly string[]): string {
  if (pieces.slice(0, -1).every((piece) => piece.length % 4 === 0 && !piece.endsWith('='))) return pieces.join('')
  try {
    return btoa(pieces.map((piece) => atob(piece)).join(''))
  } catch {
    return pieces.join('')
  }
}
