/** The time in milliseconds since 1970, where no `now` is given. */
export const platformNow = (): number => Date.now()

/** Milliseconds of a clock that nobody sets. */
export const platformTicks = (): number => performance.now()

/** An identifier that nothing else has. */
export const newId = (): string => crypto.randomUUID()

/** A short text that another text does not have. */
export const digestOf = (text: string): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64url').slice(0, 27)

/** Makes a warning of the process of an error with which something goes on. */
export const warnThat =
  (what: string) =>
  (error: unknown): void =>
    process.emitWarning(`${what}: ${error instanceof Error ? error.message : String(error)}`)
