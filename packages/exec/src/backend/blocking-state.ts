/** State of the thread while it starts, or while somebody waits for its answer. */
export const WAITING = 0

/** State of the thread when it has answered. */
export const READY = 1

/** State of the thread when it has ended. */
export const ENDED = 2
