import { parser } from '@lezer/python'

const SHELL_PREFIXES = ['python ', 'pip', 'python3 ']

/** Characters of one message that are parsed to infer a language; parsing more would block the program. */
export const MAX_INFERRED_CHARACTERS = 65_536

/**
 * Infers the language of code without a label: `sh` by its first word, `python` if it parses, else `unknown`. Code of more
 * than 65,536 characters is not parsed.
 */
export function inferLang(code: string): string {
  if (SHELL_PREFIXES.some((start) => code.startsWith(start))) return 'sh'
  return code.length <= MAX_INFERRED_CHARACTERS && isPython(code) ? 'python' : 'unknown'
}

/** Returns an {@link inferLang} for the blocks of one message, which together share the size limit. */
export function inferLangOfMessage(): (code: string) => string {
  let charactersLeft = MAX_INFERRED_CHARACTERS
  return (code) => {
    charactersLeft -= code.length
    return charactersLeft >= 0 ? inferLang(code) : 'unknown'
  }
}

// Stops at the first error, since error recovery takes many times as long.
const strict = parser.configure({ strict: true })

const FUNCTION_NODES = new Set(['FunctionDefinition', 'LambdaExpression'])

/**
 * Returns true if code is a valid Python 3 module, nearly always in agreement with CPython. The grammar accepts more than
 * the language, so this also refuses statements outside their function, the old `print` statement and an indented first line.
 */
function isPython(code: string): boolean {
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
