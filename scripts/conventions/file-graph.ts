import { posix } from 'node:path'
import { parseFile, shippedFiles } from './source.ts'

/** The imports of each file of a package, type-only imports included; all paths from the root. */
export type FileGraph = ReadonlyMap<string, readonly string[]>

/** Reads which files of a package import which. */
export function readFileGraph(folder: string): FileGraph {
  return new Map(
    shippedFiles(folder).map((file) => [
      file,
      parseFile(file).program.body.flatMap((node) => {
        if (
          node.type !== 'ImportDeclaration' &&
          node.type !== 'ExportNamedDeclaration' &&
          node.type !== 'ExportAllDeclaration'
        )
          return []
        const specifier = node.source?.value
        return specifier?.startsWith('.') ? [posix.join(posix.dirname(file), specifier)] : []
      }),
    ]),
  )
}

/** Finds files that import each other, directly or by others: one list of files for each cycle. */
export function findCycles(graph: FileGraph): string[][] {
  const cycles: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start !== -1) cycles.push(path.slice(start))
    if (start !== -1 || done.has(file)) return
    for (const imported of graph.get(file) ?? []) visit(imported, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return cycles
}

/**
 * Finds imports between folders of `src` against their order, as `file -> file`. A file may import from its own folder
 * and from those listed before; the files directly in `src` are entries, which no folder imports.
 */
export function findUpwardImports(graph: FileGraph, src: string, order: readonly string[]): string[] {
  const rank = (file: string): number => {
    const folder = posix.dirname(posix.relative(src, file)).split('/')[0]!
    if (folder === '.') return order.length
    const index = order.indexOf(folder)
    if (index === -1) throw new Error(`the folder of ${file} is not in the order: add it to FOLDER_ORDER`)
    return index
  }
  return [...graph].flatMap(([file, imported]) =>
    imported.filter((each) => rank(each) > rank(file)).map((each) => `${file} -> ${each}`),
  )
}
