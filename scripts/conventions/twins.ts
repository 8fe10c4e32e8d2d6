import type { Node } from 'oxc-parser'
import { lineOf, walk, type Source } from './source.ts'

/** Finds operations `xSync` without an operation `x` beside them, as `file:line name`. */
export function blockingWithoutTwin(source: Source): string[] {
  const alone: string[] = []
  const compare = (names: ReadonlyMap<string, Node>): void => {
    for (const [name, node] of names) {
      const twin = /^([a-z]\w*)Sync$/.exec(name)?.[1]
      // The kernel's drivers are a triple of other names: `runSync`, `runAsync`, `runStream`.
      if (twin && !names.has(twin) && !names.has(`${twin}Async`))
        alone.push(`${source.file}:${lineOf(source, node)} ${name}`)
    }
  }
  walk(source.program, (node) => {
    if (node.type === 'ClassBody' || node.type === 'TSInterfaceBody') compare(membersOf(node.body))
    if (node.type === 'Program') compare(exportedFunctions(node.body))
  })
  return alone
}

function membersOf(members: readonly Node[]): Map<string, Node> {
  const names = new Map<string, Node>()
  for (const member of members) {
    if ('accessibility' in member && member.accessibility) continue
    if ('key' in member && member.key?.type === 'Identifier') names.set(member.key.name, member)
  }
  return names
}

function exportedFunctions(statements: readonly Node[]): Map<string, Node> {
  const names = new Map<string, Node>()
  for (const statement of statements) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    const { declaration, specifiers } = statement
    if (declaration?.type === 'FunctionDeclaration' && declaration.id) names.set(declaration.id.name, statement)
    for (const { exported } of specifiers) if (exported.type === 'Identifier') names.set(exported.name, statement)
  }
  return names
}
