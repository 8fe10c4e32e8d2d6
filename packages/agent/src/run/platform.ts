/** The time of events, in milliseconds since 1970, where no `now` is given. */
export const platformNow = (): number => Date.now()

/** An identifier for a run that is given none. */
export const newRunId = (): string => crypto.randomUUID()

/** A random number in [0, 1), where no `random` is given. */
export const platformRandom = (): number => Math.random()
