import { XError } from '@x/kernel'
import { sameValue } from '../data/same-value.ts'

/** Refuses a list in which two different tools have one name: a call could mean either. */
export function refuseTwins(tools: unknown): void {
  if (!Array.isArray(tools) || tools.length < 2) return
  const known = new Map<string, unknown>()
  for (const tool of tools as readonly ({ readonly function?: { readonly name?: unknown } } | null)[]) {
    const name = tool?.function?.name
    if (typeof name !== 'string') continue
    const twin = known.get(name)
    if (twin !== undefined && !sameValue(twin, tool)) {
      throw new XError(
        'invalid-argument',
        `two different \`tools\` of the request are both named \`${name}\`, and a call could mean either: rename one of them`,
        { details: { name } },
      )
    }
    known.set(name, tool)
  }
}
