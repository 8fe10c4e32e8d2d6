/** Returns the time in milliseconds since 1970; default of the option `now`. */
export const platformNow = (): number => Date.now()

/** Makes an identifier for a run without a `runId`. */
export const newRunId = (): string => crypto.randomUUID()

/** Returns a random number in [0, 1); default of the option `random`. */
export const platformRandom = (): number => Math.random()
