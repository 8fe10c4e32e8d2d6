import type { Declaration, Node } from 'oxc-parser'
import { lineOf, type Source } from './source.ts'

/** Finds exported declarations without a sentence above them, as `file:line name`. */
export function undocumented(source: Source): string[] {
  const missing: string[] = []
  for (const node of source.program.body) {
    if (node.type !== 'ExportNamedDeclaration' || !node.declaration) continue
    if (hasSentence(source, node)) continue
    // The implementation of an overloaded function is explained at its first signature.
    const names = namesOf(node.declaration).filter((name) => !isLaterOverload(source, node, name))
    missing.push(...names.map((name) => `${source.file}:${lineOf(source, node)} ${name}`))
  }
  return missing
}

function hasSentence({ text, comments }: Source, { start }: Node): boolean {
  const comment = comments.findLast(({ end }) => end <= start)
  if (comment?.type !== 'Block' || !comment.value.startsWith('*')) return false
  if (text.slice(comment.end, start).trim() !== '') return false
  const sentence = comment.value.replaceAll(/^\s*\* ?/gm, '').trim()
  return /^[\p{Lu}`"'\d].+[.:)]/su.test(sentence)
}

function isLaterOverload({ program }: Source, node: Node, name: string): boolean {
  const first = program.body.find(
    (each) =>
      each.type === 'ExportNamedDeclaration' && each.declaration !== null && namesOf(each.declaration).includes(name),
  )
  return first !== node && first?.type === 'ExportNamedDeclaration' && first.declaration?.type === 'TSDeclareFunction'
}

function namesOf(declaration: Declaration): string[] {
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : id.type))
  }
  if (!('id' in declaration) || declaration.id?.type !== 'Identifier') return [declaration.type]
  return [declaration.id.name]
}
