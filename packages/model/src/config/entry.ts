import type { ConfigEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import { CLIENT_KEYS, EXTRA_KEYS, WIRE_KEYS } from './config-keys.ts'
import { checkEntryValue } from './entry-kinds.ts'
import { nearestName } from '@x/kernel/options'

const CAMEL_KEYS: ReadonlySet<string> = new Set([...CLIENT_KEYS, ...EXTRA_KEYS])

/**
 * Gives an entry with the spellings of this library: known keys in snake_case become camelCase, request parameters keep
 * the wire's names. Fails with `invalid-config` on an unknown camelCase key or a near miss, naming the nearest neighbour.
 */
export function checkEntry(
  entry: Readonly<ConfigEntry>,
  where: string,
  clientKeys: readonly string[] = [],
): ConfigEntry {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new XError(
      'invalid-config',
      `${where} is not an object: give keys and values such as { model: 'gpt-5-mini' }`,
    )
  }
  const checked: ConfigEntry = {}
  for (const key of Object.keys(entry)) {
    if (entry[key] === undefined) continue
    const name = spelling(key, where, clientKeys)
    if (name !== key && entry[name] !== undefined) {
      throw new XError('invalid-config', `${where} has both \`${key}\` and \`${name}\`: keep one of them`)
    }
    checkEntryValue(name, entry[key], where)
    checked[name] = entry[key]
  }
  return checked
}

/** Options beside the entries, which stand there and nowhere else; a misspelling is told apart from a request parameter. */
const BESIDE_ENTRIES: readonly string[] = ['configList', 'providers', 'defaultCache', 'io', 'logger', 'runtime']

/** Gives the spelling of one key, or fails as `checkEntry` does. */
export function spelling(key: string, where: string, clientKeys: readonly string[] = []): string {
  if (key === '__proto__') throw new XError('invalid-config', `${where} has a key \`__proto__\`: remove it`)
  if (CAMEL_KEYS.has(key) || WIRE_KEYS.has(key) || clientKeys.includes(key)) return key
  const camel = camelCase(key)
  if (CAMEL_KEYS.has(camel) || WIRE_KEYS.has(camel) || clientKeys.includes(camel)) return camel
  const near = nearestName(key, [...CAMEL_KEYS, ...clientKeys, ...WIRE_KEYS, ...BESIDE_ENTRIES])
  if (near === undefined && key === key.toLowerCase()) return key
  throw new XError(
    'invalid-config',
    `${where} has an unknown key \`${key}\`: ${near ? `did you mean \`${near}\`?` : "request parameters keep the wire's names"}`,
    { details: { key, nearest: near } },
  )
}

const camelCase = (key: string): string => key.replaceAll(/_([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase())
