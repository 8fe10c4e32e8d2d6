/** Tells the time in milliseconds, from some moment on. */
export const now = (): number => performance.now()

/** Returns a function that tells whether a number of milliseconds have passed. */
export function deadline(ms: number): () => boolean {
  const end = now() + ms
  return () => now() > end
}
