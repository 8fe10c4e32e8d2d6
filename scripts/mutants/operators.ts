/**
 * Makes mutants of a source: copies with one small fault each. The operators look at syntax alone and know no wire format
 * and no test, so that nobody chooses the faults that a suite has to catch.
 */
import type {
  ArrayExpression,
  Argument,
  CallExpression,
  Expression,
  IfStatement,
  Node,
  ObjectExpression,
  ObjectPropertyKind,
} from 'oxc-parser'
import { childrenOf, parseText } from '../conventions/source.ts'

/** One small change of a source. */
export interface Mutant {
  /** Name of the operator. */
  readonly operator: string
  /** Position of the first character that is replaced, and of the first one behind. */
  readonly start: number
  readonly end: number
  /** Text that stands there instead. */
  readonly instead: string
}

type Span = Pick<Node, 'start' | 'end'>

/** Proposes changes for one node. */
type Operator = (node: Node, source: string, parent: Node | undefined) => readonly Omit<Mutant, 'operator'>[]

const replace = ({ start, end }: Span, instead: string): Omit<Mutant, 'operator'> => ({ start, end, instead })

const textAt = (source: string, { start, end }: Span): string => source.slice(start, end)

/** Removes an item of a list with the comma behind it. */
function withoutItem(source: string, { start, end }: Span): Omit<Mutant, 'operator'> {
  const comma = /^\s*,/u.exec(source.slice(end))?.[0].length ?? 0
  return { start, end: end + comma, instead: '' }
}

const isCallTo = (node: Node, names: ReadonlySet<string>): node is CallExpression =>
  node.type === 'CallExpression' &&
  node.callee.type === 'MemberExpression' &&
  node.callee.property.type === 'Identifier' &&
  names.has(node.callee.property.name)

const LIST_CALLS: ReadonlySet<string> = new Set(['map', 'flatMap', 'filter', 'flat', 'slice', 'concat'])
const FILTER_CALLS: ReadonlySet<string> = new Set(['filter', 'slice', 'flat', 'trim', 'toLowerCase', 'toUpperCase'])

const COMPARISONS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
}

const conditionOf = (node: Node): Expression | undefined =>
  node.type === 'IfStatement' || node.type === 'ConditionalExpression' || node.type === 'WhileStatement'
    ? node.test
    : undefined

/** Returns the values of neighbouring properties that may change places. */
function neighbours({ properties }: ObjectExpression): [Expression, Expression][] {
  const valueOf = (property: ObjectPropertyKind | undefined): Expression | undefined =>
    property?.type === 'Property' && !property.shorthand && !property.method ? property.value : undefined
  return properties.flatMap((property, at) => {
    const pair = [valueOf(property), valueOf(properties[at + 1])] as const
    return pair[0] && pair[1] ? [[pair[0], pair[1]] as [Expression, Expression]] : []
  })
}

const elementsOf = (node: ArrayExpression): Span[] => node.elements.filter((element) => element !== null)

/** Returns the texts of two nodes in the place of each other. */
function swapped(source: string, first: Span, second: Span): Omit<Mutant, 'operator'> {
  const between = source.slice(first.end, second.start)
  return { start: first.start, end: second.end, instead: textAt(source, second) + between + textAt(source, first) }
}

const isTypeOrImport = ({ type }: Node): boolean =>
  type === 'ImportDeclaration' || (type.startsWith('TS') && !TRANSPARENT.has(type))

/** Nodes of types around values. */
const TRANSPARENT: ReadonlySet<string> = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])

function isListType(annotation: Node | null | undefined): boolean {
  const type = annotation?.type === 'TSTypeAnnotation' ? annotation.typeAnnotation : annotation
  return type?.type === 'TSArrayType' || (type?.type === 'TSTypeOperator' && type.typeAnnotation.type === 'TSArrayType')
}

const isFunction = ({ type }: Node): boolean =>
  type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'

/** Returns the empty list in place of all that a function does that returns a list. */
function emptyList(node: Node): Omit<Mutant, 'operator'>[] {
  if (!isFunction(node) || !('returnType' in node) || !isListType(node.returnType)) return []
  const { body } = node as unknown as { readonly body: Node | null }
  if (!body) return []
  return [body.type === 'BlockStatement' ? replace(body, '{ return [] }') : replace(body, '[]')]
}

const branchesOf = (source: string, { consequent, alternate, ...node }: IfStatement): Omit<Mutant, 'operator'>[] =>
  alternate
    ? [replace(node, textAt(source, consequent)), replace(node, textAt(source, alternate))]
    : [replace(node, ';'), replace(node, textAt(source, consequent))]

const changedText = (text: string): string => (text === '' ? "'mutant'" : "''")

const argumentsOf = (node: Node): readonly Argument[] =>
  node.type === 'CallExpression' || node.type === 'NewExpression' ? node.arguments : []

/** All operators by name. This list was fixed before the suite that is judged by it was written. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  'drop-property': (node, source) =>
    node.type === 'ObjectExpression' ? node.properties.map((property) => withoutItem(source, property)) : [],
  'drop-element': (node, source) =>
    node.type === 'ArrayExpression' ? elementsOf(node).map((element) => withoutItem(source, element)) : [],
  'swap-values': (node, source) =>
    node.type === 'ObjectExpression' ? neighbours(node).map(([one, two]) => swapped(source, one, two)) : [],
  'reverse-list': (node, source) => {
    if (node.type === 'ArrayExpression') {
      const [one, two] = elementsOf(node)
      return one && two ? [swapped(source, one, two)] : []
    }
    return isCallTo(node, LIST_CALLS) ? [replace(node, `${textAt(source, node)}.toReversed()`)] : []
  },
  'first-only': (node, source) =>
    isCallTo(node, LIST_CALLS) ? [replace(node, `${textAt(source, node)}.slice(0, 1)`)] : [],
  'drop-first': (node, source) =>
    isCallTo(node, LIST_CALLS) ? [replace(node, `${textAt(source, node)}.slice(1)`)] : [],
  'empty-list': emptyList,
  'drop-call': (node, source) =>
    isCallTo(node, FILTER_CALLS) && node.callee.type === 'MemberExpression'
      ? [replace(node, textAt(source, node.callee.object))]
      : [],
  'swap-arguments': (node, source) => {
    const [one, two] = argumentsOf(node)
    return one && two && one.type === 'Identifier' && two.type === 'Identifier' ? [swapped(source, one, two)] : []
  },
  'drop-argument': (node) => {
    const last = argumentsOf(node).at(-1)
    return last && argumentsOf(node).length > 1 ? [replace(last, 'undefined')] : []
  },
  'change-text': (node, _, parent) => {
    const isKey = parent?.type === 'Property' && !parent.computed && parent.key === node
    return node.type === 'Literal' && typeof node.value === 'string' && !isKey
      ? [replace(node, changedText(node.value))]
      : []
  },
  'change-template': (node, source) => {
    if (node.type !== 'TemplateElement' || node.value.raw === '') return []
    const start = source.indexOf(node.value.raw, node.start)
    return [replace({ start, end: start + node.value.raw.length }, '')]
  },
  'change-number': (node) =>
    node.type === 'Literal' && typeof node.value === 'number' ? [replace(node, String(node.value + 1))] : [],
  'change-flag': (node) =>
    node.type === 'Literal' && typeof node.value === 'boolean' ? [replace(node, String(!node.value))] : [],
  'change-pattern': (node) => (node.type === 'Literal' && 'regex' in node ? [replace(node, '/(?!)/gu')] : []),
  'change-operator': (node, source) => {
    if (node.type !== 'BinaryExpression') return []
    const instead = COMPARISONS[node.operator]
    return instead ? [replace(node, `${textAt(source, node.left)} ${instead} ${textAt(source, node.right)}`)] : []
  },
  'negate-condition': (node, source) => {
    const condition = conditionOf(node)
    return condition ? [replace(condition, `!(${textAt(source, condition)})`)] : []
  },
  'one-side': (node, source) =>
    node.type === 'LogicalExpression'
      ? [replace(node, `(${textAt(source, node.left)})`), replace(node, `(${textAt(source, node.right)})`)]
      : [],
  'drop-negation': (node, source) =>
    node.type === 'UnaryExpression' && node.operator === '!' ? [replace(node, textAt(source, node.argument))] : [],
  'drop-chain': (node, source) =>
    (node.type === 'MemberExpression' || node.type === 'CallExpression') && node.optional
      ? [
          replace(
            node,
            textAt(source, node).replace('?.', node.type === 'MemberExpression' && !node.computed ? '.' : ''),
          ),
        ]
      : [],
  'one-branch': (node, source) => {
    if (node.type === 'IfStatement') return branchesOf(source, node)
    return node.type === 'ConditionalExpression'
      ? [replace(node, `(${textAt(source, node.consequent)})`), replace(node, `(${textAt(source, node.alternate)})`)]
      : []
  },
  'drop-case': (node) => (node.type === 'SwitchCase' ? [replace(node, '')] : []),
  'drop-statement': (node) =>
    node.type === 'ExpressionStatement' || node.type === 'ThrowStatement' ? [replace(node, ';')] : [],
  'drop-result': (node) =>
    node.type === 'ReturnStatement' && node.argument ? [replace(node, 'return undefined')] : [],
  'drop-loop': (node) => (node.type === 'ForOfStatement' || node.type === 'ForStatement' ? [replace(node, ';')] : []),
  'loop-once': (node, source) =>
    node.type === 'ForOfStatement' ? [replace(node.right, `[...${textAt(source, node.right)}].slice(0, 1)`)] : [],
  'drop-await': (node, source) =>
    node.type === 'AwaitExpression' ? [replace(node, `(${textAt(source, node.argument)})`)] : [],
}

/** Returns all mutants of a TypeScript source, in the order of their places. */
export function mutantsOf(source: string): Mutant[] {
  const mutants: Mutant[] = []
  const visit = (node: Node, parent: Node | undefined): void => {
    if (isTypeOrImport(node)) return
    for (const [operator, propose] of Object.entries(OPERATORS)) {
      for (const change of propose(node, source, parent)) mutants.push({ operator, ...change })
    }
    for (const child of childrenOf(node)) visit(child, node)
  }
  visit(parseText('plugin.ts', source).program, undefined)
  const texts = new Set([source])
  // Two operators may make the same text, which is one mutant.
  return mutants
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .filter((mutant) => {
      const text = applied(source, mutant)
      const isNew = !texts.has(text)
      texts.add(text)
      return isNew
    })
}

/** Returns the source with the change of a mutant. */
export const applied = (source: string, { start, end, instead }: Mutant): string =>
  source.slice(0, start) + instead + source.slice(end)
