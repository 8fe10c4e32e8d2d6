import { XError } from '@x/kernel'

/** A value as plain JSON; what JSON leaves out is null. What is none fails with `invalid-argument`, for what is attempted. */
export function plainJson(value: unknown, attempt: string, what: string): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? null : (JSON.parse(text) as unknown)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message.split('\n', 1)[0] : 'it cannot be written'
    throw new XError('invalid-argument', `cannot ${attempt}: ${what} is not plain JSON: ${problem}`, { cause })
  }
}
