/** Returns the time in milliseconds since 1970; the default of every `now` option. */
export const platformNow = (): number => Date.now()

/** Returns a random token that identifies a claim or change. */
export const newToken = (): string => process.getBuiltinModule('node:crypto').randomUUID()
