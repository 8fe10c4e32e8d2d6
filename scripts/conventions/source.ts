import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, visitorKeys, type Comment, type Node, type Program } from 'oxc-parser'
import { filesBelow, isTestFile, root } from '../workspace.ts'

/** A parsed source file. */
export interface Source {
  /** Path from the root. */
  readonly file: string
  readonly text: string
  readonly program: Program
  readonly comments: readonly Comment[]
}

/** Parses a file; throws with its name when it has a syntax error. */
export function parseFile(file: string): Source {
  return parseText(file, readFileSync(join(root, file), 'utf8'))
}

/** Parses a text as if it stood in a file of this name. */
export function parseText(file: string, text: string): Source {
  const { program, comments, errors } = parseSync(file, text)
  if (errors[0]) throw new SyntaxError(`${file}: ${errors[0].message}`)
  return { file, text, program, comments }
}

/** The sources that a package ships: all but tests and fakes. */
export function shippedFiles(folder: string): string[] {
  return filesBelow(`${folder}/src`).filter((file) => file.endsWith('.ts') && !isTestFile(file))
}

/** Calls `visit` for a node and all nodes below it, parents first; skips the children of a node for which it returns `false`. */
export function walk(node: Node, visit: (node: Node) => boolean | void): void {
  if (visit(node) === false) return
  for (const child of childrenOf(node)) walk(child, visit)
}

/** The nodes directly below a node. */
export function childrenOf(node: Node): Node[] {
  const fields = node as unknown as Readonly<Record<string, unknown>>
  return (visitorKeys[node.type] ?? []).flatMap((key) => fields[key]).filter(isNode)
}

/** The line on which a node or a comment begins, from 1. */
export function lineOf({ text }: Source, { start }: { readonly start: number }): number {
  return text.slice(0, start).split('\n').length
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
