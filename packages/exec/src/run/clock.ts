/** Returns the time in milliseconds since an arbitrary moment. */
export const now = (): number => performance.now()

/** Returns the time of an event, in milliseconds since 1970. */
export const eventTime = (): number => Date.now()

/** Returns a function that returns true once a number of milliseconds have passed. */
export function deadline(ms: number): () => boolean {
  const end = now() + ms
  return () => now() > end
}
