import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { root } from '../workspace.ts'
import { lineOf, parseFile, type Source } from './source.ts'

/** Finds all modules outside the package that load together with a file, as `file -> module`. */
export function eagerImports(entry: string): string[] {
  const found: string[] = []
  const seen = new Set<string>()
  const pending = [entry]
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    // JSON files import nothing.
    if (seen.has(file) || file.endsWith('.json') || !existsSync(join(root, file))) continue
    seen.add(file)
    for (const specifier of loaded(parseFile(file))) {
      if (specifier.startsWith('.')) pending.push(posix.join(posix.dirname(file), specifier))
      else found.push(`${file} -> ${specifier}`)
    }
  }
  return found
}

/** The modules a file imports or exports from at run time, as written. */
function loaded({ program }: Source): string[] {
  return program.body.flatMap((node) => {
    if (node.type === 'ImportDeclaration') return node.importKind === 'type' ? [] : [node.source.value]
    if (node.type !== 'ExportNamedDeclaration' && node.type !== 'ExportAllDeclaration') return []
    return node.source && node.exportKind !== 'type' ? [node.source.value] : []
  })
}

/** Finds exports of an entry without a list of names, as `file:line`. */
export function starExports(source: Source): string[] {
  return source.program.body
    .filter((node) => !(node.type === 'ExportNamedDeclaration' && node.source))
    .map((node) => `${source.file}:${lineOf(source, node)} is not a re-export by name`)
}

/** True if a file contains more than types. */
export function hasRuntime({ program }: Source): boolean {
  return program.body.some((node) => {
    if (node.type === 'ImportDeclaration') return node.importKind !== 'type'
    if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration')
      return node.exportKind !== 'type'
    return node.type !== 'TSInterfaceDeclaration' && node.type !== 'TSTypeAliasDeclaration'
  })
}
