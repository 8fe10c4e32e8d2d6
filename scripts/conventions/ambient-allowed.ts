/**
 * Files that may use the clock, random numbers, the environment or the network directly: where a default for something
 * injectable is set. Paths from the package's `src`, by package.
 */
export const AMBIENT: Readonly<Record<string, readonly string[]>> = {
  reasoning: ['clock.ts'],
}
