import type { ChatMessage } from '@x/interfaces'
import type { CheckedParams } from './read-params.ts'
import { fingerprint, type IdentifierRule } from './tool-ids.ts'

/** Names as a provider takes them, and back. */
export interface NameMap {
  /** The legal name for one of ours. */
  to(name: string): string
  /** Our name for a legal one; itself when it was not renamed. */
  from(name: string): string
}

/** Makes a map for the tools of one request; names that are legal keep theirs, two never become one. */
export function createNameMap(names: readonly string[], { maxLength, forbidden }: IdentifierRule): NameMap {
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

/** Lists the names of all tools that a request and its history mention. */
export function toolNamesOf({ tools, messages }: Pick<CheckedParams, 'tools' | 'messages'>): string[] {
  return [...tools.flatMap((tool) => tool.function?.name ?? []), ...messages.flatMap(namesIn)]
}

const NONE: readonly string[] = []

function namesIn({ tool_calls: calls, function_call: call }: ChatMessage): readonly string[] {
  // Most messages of a long history call nothing, and every request looks through all of it.
  if (!calls && !call) return NONE
  return [...(calls ?? []).flatMap((each) => each.function?.name ?? []), ...(call?.name ? [call.name] : [])]
}
