import type { Node } from 'oxc-parser'
import { childrenOf, lineOf, walk, type Source } from './source.ts'

const FUNCTIONS = new Set(['fetch'])
const MEMBERS = new Set([
  'Date.now',
  'Math.random',
  'crypto.randomUUID',
  'globalThis.fetch',
  'performance.now',
  'process.env',
])

/** Where a file reaches for what should be given to it (clock, random numbers, environment, network), as `line what`. */
export function ambientUses(source: Source): string[] {
  const own = boundNames(source)
  const found: string[] = []
  const visit = (node: Node): void => {
    const what = ambientName(node)
    if (what && !own.has(what)) found.push(`${lineOf(source, node)} ${what}`)
    // `typeof fetch` in a type reaches for nothing.
    if (!node.type.startsWith('TSType')) childrenOf(node).forEach(visit)
  }
  visit(source.program)
  return found
}

function ambientName(node: Node): string | undefined {
  if (node.type === 'NewExpression') {
    const bare = node.callee.type === 'Identifier' && node.callee.name === 'Date' && node.arguments.length === 0
    return bare ? 'new Date()' : undefined
  }
  if (node.type === 'CallExpression') {
    const { callee } = node
    return callee.type === 'Identifier' && FUNCTIONS.has(callee.name) ? callee.name : undefined
  }
  const name = dottedName(node)?.replace(/^globalThis\.process\b/u, 'process')
  return name && MEMBERS.has(name) ? name : undefined
}

/** A member of a variable as it is written, without its question marks: `globalThis.process.env`. */
function dottedName(node: Node): string | undefined {
  if (node.type !== 'MemberExpression' || node.computed || node.property.type !== 'Identifier') return undefined
  const object = node.object.type === 'Identifier' ? node.object.name : dottedName(node.object)
  return object && `${object}.${node.property.name}`
}

/** Names that a file gives to values of its own: variables, parameters, imports. */
function boundNames({ program }: Source): Set<string> {
  const names = new Set<string>()
  const bind = (pattern: Node): void => {
    if (pattern.type === 'Identifier') names.add(pattern.name)
    else if (pattern.type === 'Property') bind(pattern.value)
    // What else binds holds its names below: patterns, their defaults left aside, and parameters with types.
    else if (pattern.type === 'AssignmentPattern') bind(pattern.left)
    else if (/^(?:ObjectPattern|ArrayPattern|RestElement)$/.test(pattern.type)) childrenOf(pattern).forEach(bind)
  }
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator') bind(node.id)
    else if (node.type === 'ImportSpecifier') bind(node.local)
    else if (/Function/.test(node.type)) childrenOf(node).forEach(bind)
  })
  return names
}
