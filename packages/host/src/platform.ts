/** The time in milliseconds since 1970, where no `now` is given. */
export const platformNow = (): number => Date.now()

/** Milliseconds of a clock that nobody sets. */
export const platformTicks = (): number => performance.now()

/** An identifier for a chat that is given none. */
export const newChatId = (): string => crypto.randomUUID()
