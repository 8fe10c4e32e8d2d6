/** What the stack of an origin begins with, and frames of the driver, of steps and of generators: they say nothing to who called the operation. */
const PLUMBING = /^Error$|^ +at .*(.kernel.(src|dist).|\.steps\.|(next|Promise) \(<)/u

/**
 * Gives an error, with the frames of its caller in place of those of the driver and of generators, which would fill the
 * ten that Node keeps. Call it where the error passes the public operation: `at` has the caller's frames.
 */
export function showCaller<T>(error: T, at: { readonly stack?: string | undefined }): T {
  if (error instanceof Error && at.stack) {
    try {
      error.stack = [...new Set(`${error.stack}\n${at.stack}`.split('\n'))]
        .filter((line) => !PLUMBING.test(line))
        .join('\n')
    } catch {
      // A frozen error keeps its stack.
    }
  }
  return error
}
