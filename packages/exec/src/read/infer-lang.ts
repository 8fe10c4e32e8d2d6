import { parser } from '@lezer/python'

const SHELL_PREFIXES = ['python ', 'pip', 'python3 ']

/** Characters of code in one message that are parsed to tell a language; parsing more would hold up the program. */
export const MAX_INFERRED_CHARACTERS = 65_536

/**
 * Guesses the language of code without a label: `sh` by how it starts, `python` if it parses, else `unknown`. Code of more
 * than 65,536 characters is not parsed.
 */
export function inferLang(code: string): string {
  if (SHELL_PREFIXES.some((start) => code.startsWith(start))) return 'sh'
  return code.length <= MAX_INFERRED_CHARACTERS && isPython(code) ? 'python' : 'unknown'
}

/** Makes an {@link inferLang} for the blocks of one message: together they are parsed up to the same size. */
export function inferenceOfMessage(): (code: string) => string {
  let left = MAX_INFERRED_CHARACTERS
  return (code) => {
    left -= code.length
    return left >= 0 ? inferLang(code) : 'unknown'
  }
}

// Ends at the first error: to go on from one, and to guess what was meant, takes many times as long.
const strict = parser.configure({ strict: true })

const FUNCTION_NODES = new Set(['FunctionDefinition', 'LambdaExpression'])

/**
 * Returns true if code is a valid Python 3 module, nearly always as CPython does. The grammar is wider than the language,
 * so that what may stand only inside a function, the old `print` statement and a first line that is indented are
 * refused beside it.
 */
export function isPython(code: string): boolean {
  const first = code.split('\n').find((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))
  if (first !== undefined && /^[ \t]/u.test(first)) return false
  const tree = parse(code)
  if (!tree) return false
  let valid = true
  let functions = 0
  tree.iterate({
    enter: ({ name }) => {
      if (name === 'PrintStatement') valid = false
      if (functions === 0 && FUNCTION_ONLY_NODES.has(name)) valid = false
      if (FUNCTION_NODES.has(name)) functions++
      return valid
    },
    leave: ({ name }) => {
      if (FUNCTION_NODES.has(name)) functions--
    },
  })
  return valid
}

const FUNCTION_ONLY_NODES = new Set(['ReturnStatement', 'YieldStatement', 'YieldExpression', 'AwaitExpression'])

function parse(code: string): ReturnType<typeof strict.parse> | undefined {
  try {
    return strict.parse(code)
  } catch {
    return undefined
  }
}
