import { XError } from '@x/kernel'
import { InvalidArgumentError } from 'commander'

/** Reads a number; NaN for a text without one, such as that of an unset shell variable. */
const numberIn = (text: string): number => (text.trim() === '' ? NaN : Number(text))

/** Reads a port; 0 takes a free one. */
export function portOf(text: string): number {
  const port = numberIn(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('Give a number up to 65535.')
}

/** Returns a reader of whole numbers from the lowest on. */
export const wholeFrom =
  (lowest: number) =>
  (text: string): number => {
    const number = numberIn(text)
    if (Number.isSafeInteger(number) && number >= lowest) return number
    throw new InvalidArgumentError(`Give a whole number from ${lowest} on.`)
  }

/** Reads seconds, of which there may be a part of one. */
export function secondsOf(text: string): number {
  const seconds = numberIn(text)
  if (seconds > 0 && Number.isFinite(seconds)) return seconds
  throw new InvalidArgumentError('Give seconds, such as 30 or 0.5.')
}

/** Reads US dollars. */
export function dollarsOf(text: string): number {
  const dollars = numberIn(text)
  if (dollars >= 0 && Number.isFinite(dollars)) return dollars
  throw new InvalidArgumentError('Give US dollars, such as 2.50.')
}

/** Reads a share: a number from 0 to 1. */
export function shareOf(text: string): number {
  const share = numberIn(text)
  if (share >= 0 && share <= 1) return share
  throw new InvalidArgumentError('Give a number from 0 to 1.')
}

/** Awaits a server that begins to listen on a port, and says what to do where another program has that. */
export async function listening<T>(port: number, begun: Promise<T>): Promise<T> {
  try {
    return await begun
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    const next = 'give `--port` another one, or 0 for a free one'
    throw new XError('invalid-argument', `cannot listen on port ${port}: another program does; ${next}`, {
      cause: error,
    })
  }
}
