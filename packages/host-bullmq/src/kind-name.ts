import type { ChatKind } from '@x/interfaces'

/** Writes a program and its version as one text; neither has an `@`. */
export const kindName = ({ name, version }: ChatKind): string => `${name}@${version}`

/** Reads what {@link kindName} has written. */
export function readKindName(text: string): ChatKind {
  const [name = '', version = ''] = text.split('@')
  return { name, version }
}
