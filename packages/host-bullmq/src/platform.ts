/** Returns the time in milliseconds since 1970; the default of every `now` option. */
export const platformNow = (): number => Date.now()

/** Returns a random token that identifies a claim or change. */
export const newToken = (): string => process.getBuiltinModule('node:crypto').randomUUID()

/** Reports the error of a connection as a warning of the process. */
export function warnOfError(error: unknown): void {
  const text = error instanceof Error ? error.message || error.name : String(error)
  process.emitWarning(`a connection of hosted chats goes on after an error: ${text}`)
}
