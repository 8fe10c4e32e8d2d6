/** The time in milliseconds since 1970, where no `now` is given. */
export const platformNow = (): number => Date.now()

/** A text that nothing else has: it names a claim, or a change. */
export const newToken = (): string => process.getBuiltinModule('node:crypto').randomUUID()

/** Tells of an error that ends nothing, where nobody else hears it. */
export function warnOfError(error: unknown): void {
  const text = error instanceof Error ? error.message || error.name : String(error)
  process.emitWarning(`a connection of hosted chats goes on after an error: ${text}`)
}
