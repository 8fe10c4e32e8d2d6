/** The time of events, in milliseconds since 1970, where no `now` is given. */
export const platformNow = (): number => Date.now()

/** An identifier for a run that is given none. */
export const newRunId = (): string => crypto.randomUUID()
