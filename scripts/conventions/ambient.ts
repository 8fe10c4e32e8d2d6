import type { Node } from 'oxc-parser'
import { childrenOf, lineOf, type Source } from './source.ts'

const GLOBALS = new Set(['fetch', 'setInterval'])
const MEMBERS = new Set([
  'Date.now',
  'Math.random',
  'process.env',
  'crypto.randomUUID',
  'performance.now',
  'globalThis.fetch',
])

/** Where a file reaches for what should be given to it (clock, random numbers, environment, network), as `line what`. */
export function ambientUses(source: Source): string[] {
  const found: string[] = []
  const visit = (node: Node, parent?: Node): void => {
    const what = ambientName(node, parent)
    if (what) found.push(`${lineOf(source, node)} ${what}`)
    // `typeof fetch` in a type reaches for nothing.
    if (!node.type.startsWith('TSType')) for (const child of childrenOf(node)) visit(child, node)
  }
  visit(source.program)
  return found
}

function ambientName(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === 'NewExpression') {
    const bare = node.callee.type === 'Identifier' && node.callee.name === 'Date' && node.arguments.length === 0
    return bare ? 'new Date()' : undefined
  }
  if (node.type === 'MemberExpression') {
    const { object, property, computed } = node
    if (computed || object.type !== 'Identifier' || property.type !== 'Identifier') return undefined
    const name = `${object.name}.${property.name}`
    return MEMBERS.has(name) ? name : undefined
  }
  if (node.type !== 'Identifier' || !GLOBALS.has(node.name)) return undefined
  return parent?.type === 'CallExpression' && parent.callee === node ? node.name : undefined
}
