import { isXError } from '@x/kernel'

/** Returns the code of the error of a promise, undefined if it succeeds. */
export async function codeOf(failing: unknown): Promise<string | undefined> {
  try {
    await failing
  } catch (error) {
    if (isXError(error)) return error.code
    throw error
  }
  return undefined
}
