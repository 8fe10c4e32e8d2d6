import type * as Fs from 'node:fs'

/** Returns the time in milliseconds since 1970; default of the option `now`. */
export const platformNow = (): number => Date.now()

/** Makes an identifier of a run. */
export const newId = (): string => crypto.randomUUID()

/** Loads the file system when a file is opened, so that other runtimes may load the package. */
export const fileSystem = (): typeof Fs => process.getBuiltinModule('node:fs')

/** Returns the digest of a text, as 43 characters. */
export const digestOf = (text: string): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', text, 'base64url')

/** Longest time of a timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Calls a function after some milliseconds; returns a function that cancels the call. */
export function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, Math.min(ms, MAX_TIMER_MS))
  return () => clearTimeout(timer)
}
