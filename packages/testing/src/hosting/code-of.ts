import { isXError } from '@x/kernel'

/** The code of the error that something fails with. */
export async function codeOf(failing: unknown): Promise<string | undefined> {
  try {
    await failing
  } catch (error) {
    if (isXError(error)) return error.code
    throw error
  }
  return undefined
}
