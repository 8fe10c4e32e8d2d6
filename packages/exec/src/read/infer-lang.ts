import { isPython } from './python-syntax.ts'

const SHELL_STARTS = ['python ', 'pip', 'python3 ']

/** Characters of code in one message that are parsed to tell a language; parsing more would hold up the program. */
export const MOST_INFERRED = 65_536

/**
 * Guesses the language of code without a label: `sh` by how it starts, `python` if it parses, else `unknown`. Code of more
 * than 65,536 characters is not parsed.
 */
export function inferLang(code: string): string {
  if (SHELL_STARTS.some((start) => code.startsWith(start))) return 'sh'
  return code.length <= MOST_INFERRED && isPython(code) ? 'python' : 'unknown'
}

/** Makes an {@link inferLang} for the blocks of one message: together they are parsed up to the same size. */
export function inferenceOfMessage(): (code: string) => string {
  let left = MOST_INFERRED
  return (code) => {
    left -= code.length
    return left >= 0 ? inferLang(code) : 'unknown'
  }
}
