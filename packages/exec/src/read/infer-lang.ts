import { isPython } from './python-syntax.ts'

const SHELL_STARTS = ['python ', 'pip', 'python3 ']

/** Guesses the language of code without a label: `sh` by how it starts, `python` if it parses, else `unknown`. */
export function inferLang(code: string): string {
  if (SHELL_STARTS.some((start) => code.startsWith(start))) return 'sh'
  return isPython(code) ? 'python' : 'unknown'
}
