/** A name of the reference as ours: `max_turns` is `maxTurns`; a leading underscore is dropped. */
export function camelCase(name: string): string {
  return name.replace(/^_+/u, '').replaceAll(/_+([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase())
}

/** One of our names as the reference's: `maxTurns` is `max_turns`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
}

/** The same object with other keys. */
export function withKeys<V>(object: Readonly<Record<string, V>>, rename: (key: string) => string): Record<string, V> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [rename(key), value]))
}
