import type { ChatMessage } from '@x/interfaces'

/** Identifiers that a provider takes: ids of calls, or names of tools. */
export interface IdentifierRule {
  readonly maxLength: number
  /** Default 1; where it is equal to `maxLength`, ids are letters and digits. */
  readonly minLength?: number | undefined
  /** Matches each character that is not allowed; global. */
  readonly forbidden: RegExp
}

/**
 * Makes a function that gives ids a provider takes: the same for the same id, never the same for two. Of the ids that
 * are named beforehand, those that are legal keep their form.
 */
export function createIdMap(
  { maxLength, minLength = 1, forbidden }: IdentifierRule,
  ids: readonly string[] = [],
): (id: string) => string {
  const given = new Map<string, string>()
  const isLegal = (id: string): boolean =>
    id.length >= minLength && id.length <= maxLength && id.search(forbidden) === -1
  const taken = new Set<string>(ids.filter(isLegal))
  for (const id of taken) given.set(id, id)
  return (id) => {
    const known = given.get(id)
    if (known !== undefined) return known
    const clean = id.replaceAll(forbidden, '_')
    let legal = clean
    if (minLength === maxLength) {
      for (let n = 1; !isLegal(legal) || taken.has(legal); n++) legal = spread(`${n}/${id}`, maxLength)
    } else if (!isLegal(id) || taken.has(id)) {
      const mark = `_${fingerprint(id)}`
      legal = clean.slice(0, maxLength - mark.length) + mark
      for (let n = 2; taken.has(legal); n++) legal = `${clean.slice(0, maxLength - mark.length - 4)}${mark}_${n}`
    }
    given.set(id, legal)
    taken.add(legal)
    return legal
  }
}

/** Returns some letters and digits that depend on every character of a text. */
function spread(text: string, length: number): string {
  let out = ''
  for (let n = 0; out.length < length; n++) out += fingerprint(`${n}/${text}`)
  return out.slice(0, length)
}

/** Lists the ids of the calls and results of a conversation, each once. */
export function idsOf(messages: readonly ChatMessage[]): string[] {
  const ids = new Set<string>()
  for (const { tool_calls: calls, tool_call_id: result } of messages) {
    for (const { id } of calls ?? []) if (id !== undefined) ids.add(id)
    if (result !== undefined) ids.add(result)
  }
  return [...ids]
}

/** Eight letters and digits that depend on every character of a text (FNV-1a, twice 32 bits, cut). */
export function fingerprint(text: string): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193)
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b)
  }
  return ((a >>> 0).toString(36) + (b >>> 0).toString(36)).padStart(8, '0').slice(-8)
}
