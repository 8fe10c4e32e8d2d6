import type * as Fs from 'node:fs'

/** Returns the time in milliseconds since 1970; default of the option `now`. */
export const platformNow = (): number => Date.now()

/** Makes an identifier of a run, or of a process that writes one. */
export const newId = (): string => crypto.randomUUID()

/** Loads the file system when a file is opened, so that other runtimes may load the package. */
export const fileSystem = (): typeof Fs => process.getBuiltinModule('node:fs')

/** Returns the digest of a text. */
export const digestOf = (text: string): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', text, 'base64url')

/** Returns the path of a file from the root of the file system. */
export const absolutePath = (file: string): string => process.getBuiltinModule('node:path').resolve(file)
