/** State of the thread while it starts, or while somebody waits for its answer. */
export const STATE_WAITING = 0

/** State of the thread when it has answered. */
export const STATE_READY = 1

/** State of the thread when it has ended. */
export const STATE_ENDED = 2
