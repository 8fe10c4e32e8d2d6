import type { Expression, Node, TSType } from 'oxc-parser'
import type { FileGraph } from './file-graph.ts'
import { childrenOf, lineOf, type Source } from './source.ts'

/** Lines that a source file may have. */
export const MAX_FILE_LINES = 600
/** Lines that the body of a function may have. */
const MAX_FUNCTION_LINES = 60
/** Lines up to which a file is a fragment if only one other file imports it. */
const MAX_FRAGMENT_LINES = 50

/** Counts the lines of a file. */
export function countLines({ text }: Source): number {
  return text.split('\n').length - 1
}

/** Finds functions and methods with a body of more than 60 lines, from `{` to `}`. A callback has the name of the function around it. */
export function findLongFunctions(source: Source): string[] {
  const found = new Set<string>()
  const visit = (node: Node, name: string): void => {
    const own = nameOf(node) ?? name
    if (isFunction(node) && node.body) {
      const lines = source.text.slice(node.body.start, node.body.end).split('\n').length
      if (lines > MAX_FUNCTION_LINES) found.add(own)
    }
    for (const child of childrenOf(node)) visit(child, own)
  }
  visit(source.program, 'module')
  return [...found]
}

function isFunction(node: Node): node is Extract<Node, { type: 'FunctionDeclaration' | 'ArrowFunctionExpression' }> {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/u.test(node.type)
}

/** The name that a declaration, a variable, a property or a method gives to the function in it. */
function nameOf(node: Node): string | undefined {
  const key = 'key' in node ? node.key : 'id' in node ? node.id : undefined
  if (key?.type === 'Identifier') return key.name
  return key?.type === 'PrivateIdentifier' ? `#${key.name}` : undefined
}

/**
 * Finds files of at most 50 lines that exactly one other file of their package imports. An entry may be small, and so
 * may a file that only an entry exports: entries hold nothing but exports.
 */
export function findSmallFiles(
  graph: FileGraph,
  entries: readonly string[],
  lines: (file: string) => number,
): string[] {
  const importers = Map.groupBy(
    [...graph].flatMap(([importer, imported]) => [...new Set(imported)].map((file) => ({ file, importer }))),
    ({ file }) => file,
  )
  return [...graph.keys()].filter((file) => {
    const [only, ...others] = importers.get(file) ?? []
    if (!only || others.length > 0 || lines(file) > MAX_FRAGMENT_LINES) return false
    return !entries.includes(file) && !entries.includes(only.importer)
  })
}

/** Finds constants of a module that hold a number, or a list of numbers, under one bare word (`PATIENCE`). */
export function findBareConstants({ program }: Source): string[] {
  return program.body.flatMap((statement) => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declaration?.type !== 'VariableDeclaration') return []
    return declaration.declarations.flatMap(({ id, init }) => {
      if (id.type !== 'Identifier' || !/^[A-Z][A-Z0-9]*$/u.test(id.name)) return []
      return isNumberType(id.typeAnnotation?.typeAnnotation) || (init && isNumeric(init)) ? [id.name] : []
    })
  })
}

function isNumberType(type: TSType | undefined): boolean {
  return type?.type === 'TSNumberKeyword' || type?.type === 'TSBigIntKeyword'
}

function isNumeric(node: Expression): boolean {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'number' || typeof node.value === 'bigint'
    case 'Identifier':
      return node.name === 'Infinity'
    case 'MemberExpression':
      return node.object.type === 'Identifier' && /^(?:Math|Number)$/u.test(node.object.name)
    case 'CallExpression':
      return node.callee.type !== 'Super' && isNumeric(node.callee)
    case 'UnaryExpression':
      return node.operator === '-' || node.operator === '+'
    case 'BinaryExpression':
      if (node.operator === '+') return isNumeric(node.right) && isNumeric(node.left)
      return /^(?:[-*/%]|\*\*|<<|>>>?|[&|^])$/u.test(node.operator)
    case 'ArrayExpression':
      return (
        node.elements.length > 0 &&
        node.elements.every((each) => each !== null && each.type !== 'SpreadElement' && isNumeric(each))
      )
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return isNumeric(node.expression)
    default:
      return false
  }
}

/** Finds doc comments that begin with a relative clause ("What …", "Whether it …") in place of a subject, as `file:line`. */
export function findRelativeComments(source: Source): string[] {
  return source.comments
    .filter(
      ({ type, value }) =>
        type === 'Block' && /^\*\s*(?:\*\s*)?(?:What|Which|Who|Whom|Whose|Whether it)\b/u.test(value),
    )
    .map((comment) => `${source.file}:${lineOf(source, comment)}`)
}
