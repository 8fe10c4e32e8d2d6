/** The arguments of a call as an object, or what is wrong with their text. */
export type CallArguments = { readonly value: Record<string, unknown> } | { readonly problem: string }

/**
 * Reads the JSON text of a call's arguments. Line ends and tabs inside texts, which models write, are read as escapes;
 * keys that would reach a prototype are left out.
 */
export function callArguments(text: unknown): CallArguments {
  const json = typeof text === 'string' ? text : text === undefined || text === null ? '{}' : JSON.stringify(text)
  let value: unknown
  try {
    value = JSON.parse(json.trim() === '' ? '{}' : escaped(json), guarded)
  } catch (error) {
    return { problem: (error as Error).message }
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { value: value as Record<string, unknown> }
  }
  return {
    problem: `the arguments are ${value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`}`,
  }
}

const guarded = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value)

/** Escapes line ends and tabs inside texts, and drops line ends outside, as the reference does. */
function escaped(json: string): string {
  let result = ''
  let inside = false
  let last = ' '
  for (const character of json) {
    if (last !== '\\' && character === '"') inside = !inside
    last = character
    if (character === '\n') result += inside ? '\\n' : ''
    else if (character === '\t' && inside) result += '\\t'
    else result += character
  }
  return result
}
