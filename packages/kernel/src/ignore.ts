/** Does nothing: for a rejection that somebody else hears of. */
export const ignore = (): void => {}
