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

/** Numbers and names with what hangs together with them by points. */
const DOTTED = /[\w.]+/gu

/** A float that ends with its point, which the grammar does not have. */
const POINTED_FLOAT = /^\d[\d_]*\.$/u

/** A `yield`, and what stands behind it. */
const YIELD = /\byield([ \t]*)([^ \t]?)/gu

/** The signs behind a `yield` without a value, which the grammar does not have. */
const VALUE_ENDS = new Set(['', '\n', '\r', ')', ']', '}', ',', ';', '#'])

/** Returns code with the Python that the grammar lacks in another spelling; texts and comments may change with it. */
const inGrammar = (code: string): string =>
  code
    .replaceAll(DOTTED, (word) => (POINTED_FLOAT.test(word) ? `${word}0` : word))
    .replaceAll(YIELD, (all, blanks: string, next: string) => (VALUE_ENDS.has(next) ? `yield 0${blanks}${next}` : all))

/**
 * Returns true if code is a valid Python 3 module, nearly always in agreement with CPython. The grammar accepts more than
 * the language, so this also refuses statements outside their function, the old `print` statement, a value as the target
 * of an assignment, an item of a list with stars and an indented first line.
 */
function isPython(code: string): boolean {
  const first = code.split('\n').find((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))
  if (first !== undefined && /^[ \t]/u.test(first)) return false
  const tree = parse(inGrammar(code))
  if (!tree) return false
  let valid = true
  let functions = 0
  tree.iterate({
    enter: (at) => {
      const { name } = at
      if (name === 'PrintStatement' || STATEMENT_FAULTS[name]?.(namesOfChildren(at.node))) valid = false
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

/** Finds what CPython refuses in a statement of the grammar, given the names of its parts. */
const STATEMENT_FAULTS: Readonly<Record<string, (parts: readonly string[]) => boolean>> = {
  AssignStatement: (parts) => !parts.slice(0, parts.lastIndexOf('AssignOp')).every((part) => TARGET_PARTS.has(part)),
  UpdateStatement: ([target = '']) => !TARGETS.has(target),
  ExpressionStatement: (parts) => parts[0] === '*' && !parts.includes(','),
}

const TARGETS = new Set([
  'VariableName',
  'MemberExpression',
  'TupleExpression',
  'ArrayExpression',
  'ParenthesizedExpression',
])

const TARGET_PARTS = new Set([...TARGETS, 'AssignOp', 'TypeDef', ',', '*'])

function namesOfChildren(node: ReturnType<typeof parser.parse>['topNode']): string[] {
  const names: string[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) names.push(child.name)
  return names
}

const FUNCTION_ONLY_NODES = new Set(['ReturnStatement', 'YieldStatement', 'YieldExpression', 'AwaitExpression'])

function parse(code: string): ReturnType<typeof strict.parse> | undefined {
  try {
    return strict.parse(code)
  } catch {
    return undefined
  }
}
