import { parser } from '@lezer/python'

// Ends at the first error: to go on from one, and to guess what was meant, takes many times as long.
const strict = parser.configure({ strict: true })

const FUNCTIONS = new Set(['FunctionDefinition', 'LambdaExpression'])

/**
 * Tells whether code is a valid Python 3 module, nearly always as CPython does. The grammar is wider than the language,
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
      if (functions === 0 && FUNCTION_ONLY.has(name)) valid = false
      if (FUNCTIONS.has(name)) functions++
      return valid
    },
    leave: ({ name }) => {
      if (FUNCTIONS.has(name)) functions--
    },
  })
  return valid
}

const FUNCTION_ONLY = new Set(['ReturnStatement', 'YieldStatement', 'YieldExpression', 'AwaitExpression'])

function parse(code: string): ReturnType<typeof strict.parse> | undefined {
  try {
    return strict.parse(code)
  } catch {
    return undefined
  }
}
