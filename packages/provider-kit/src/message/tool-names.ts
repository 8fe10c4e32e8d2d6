import { fingerprint } from './tool-ids.ts'

/** What a provider takes as the name of a tool. */
export interface NameRule {
  readonly maxLength: number
  /** Matches each character that is not allowed; global. */
  readonly forbidden: RegExp
}

/** Names as a provider takes them, and back. */
export interface NameMap {
  /** The legal name for one of ours. */
  to(name: string): string
  /** Our name for a legal one; itself when it was not renamed. */
  from(name: string): string
}

/** Makes a map for the tools of one request; names that are legal keep theirs, two never become one. */
export function createNameMap(names: readonly string[], { maxLength, forbidden }: NameRule): NameMap {
  const there = new Map<string, string>()
  const back = new Map<string, string>()
  const legal = (name: string): boolean => name !== '' && name.length <= maxLength && name.search(forbidden) === -1
  const add = (name: string): string => {
    let short = name
    if (!legal(name)) {
      const mark = `_${fingerprint(name)}`
      short = name.replaceAll(forbidden, '_').slice(0, maxLength - mark.length) + mark
    }
    there.set(name, short)
    back.set(short, name)
    return short
  }
  for (const name of names) if (legal(name)) add(name)
  return {
    to: (name) => there.get(name) ?? add(name),
    from: (name) => back.get(name) ?? name,
  }
}
