import { assertValidName } from '../memory/names.ts'
import type { MappedFunction } from '../options/operations.ts'
import { warn, type State } from '../memory/state.ts'

/** Adds functions that calls can name; null takes one out. */
export function addFunctions(
  state: State,
  functions: Readonly<Record<string, MappedFunction | null>>,
  tell: typeof warn = warn,
): void {
  const known = (state.functionMap ??= new Map())
  for (const name of Object.keys(functions)) assertValidName(name)
  for (const [name, each] of Object.entries(functions)) {
    if (each === null && !known.has(name))
      tell(state, `the function \`${name}\` cannot be removed: it is not registered`)
    if (known.has(name)) tell(state, `the function \`${name}\` is replaced`)
    if (each === null) known.delete(name)
    else known.set(name, each)
  }
}
