/** Returns the time in milliseconds since 1970; default of the option `now`. */
export const platformNow = (): number => Date.now()

/** Makes an identifier for a run without a `runId`. */
export const newRunId = (): string => crypto.randomUUID()

/** Returns a random number in [0, 1); default of the option `random`. */
export const platformRandom = (): number => Math.random()

/**
 * Returns the number of the first event of a process that resumes a run: microseconds since 1970. No process sends more than
 * an event in a microsecond, so that its numbers stay below those of later processes.
 */
export const firstSeqOfLaterProcess = (): number => Math.floor((performance.timeOrigin + performance.now()) * 1000)
