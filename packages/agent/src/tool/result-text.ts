/** What a function gave, as text: a text as it is, nothing as an empty one, everything else as JSON. */
export function textOfResult(result: unknown): string {
  if (typeof result === 'string') return result
  if (result === null || result === undefined) return ''
  try {
    return JSON.stringify(result) ?? ''
  } catch {
    // A cycle or a BigInt: JSON knows neither, and a message needs a text.
    return typeof result === 'bigint' ? result.toString() : Object.prototype.toString.call(result)
  }
}
