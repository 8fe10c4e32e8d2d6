import type { Node } from 'oxc-parser'
import { childrenOf, lineOf, walk, type Source } from './source.ts'

const AMBIENT_FUNCTIONS = new Set(['fetch'])
const AMBIENT_MEMBERS = new Set([
  'Date.now',
  'Math.random',
  'crypto.randomUUID',
  'globalThis.fetch',
  'performance.now',
  'process.env',
])

/** Finds direct uses of the clock, random numbers, the environment or the network, as `line name`. */
export function ambientUses(source: Source): string[] {
  const own = boundNames(source)
  const found: string[] = []
  const visit = (node: Node): void => {
    const what = ambientName(node)
    if (what && !own.has(what)) found.push(`${lineOf(source, node)} ${what}`)
    // `typeof fetch` in a type uses nothing.
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
    return callee.type === 'Identifier' && AMBIENT_FUNCTIONS.has(callee.name) ? callee.name : undefined
  }
  const name = dottedName(node)?.replace(/^globalThis\.process\b/u, 'process')
  return name && AMBIENT_MEMBERS.has(name) ? name : undefined
}

/** The text of a member access without question marks: `globalThis.process.env`. */
function dottedName(node: Node): string | undefined {
  if (node.type !== 'MemberExpression' || node.computed || node.property.type !== 'Identifier') return undefined
  const object = node.object.type === 'Identifier' ? node.object.name : dottedName(node.object)
  return object && `${object}.${node.property.name}`
}

/** Collects the names that a file declares: variables, parameters, imports. */
function boundNames({ program }: Source): Set<string> {
  const names = new Set<string>()
  const bind = (pattern: Node): void => {
    if (pattern.type === 'Identifier') names.add(pattern.name)
    else if (pattern.type === 'Property') bind(pattern.value)
    // Patterns and typed parameters hold names in their children; defaults bind nothing.
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
