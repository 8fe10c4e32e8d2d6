import type { ConfigEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { checkEntry, spellKeys, withoutEndSlashes } from './entry.ts'

/** Options of `configListFromJson`. */
export interface ConfigListOptions {
  /** Folder of the file; default: the working directory. */
  readonly fileLocation?: string | undefined
  /** Keeps only entries with one of these values for each key: `{ model: ['gpt-5', 'gpt-5-mini'] }`. */
  readonly filterDict?: Readonly<Record<string, readonly unknown[]>> | undefined
  /** Config keys of further providers. */
  readonly clientKeys?: readonly string[] | undefined
  /** Environment variables; default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Reads a text file and throws if there is none; default: from the file system. */
  readonly readFile?: ((path: string) => string) | undefined
}

const CONFIG_LIST_KINDS: OptionKinds<ConfigListOptions> = {
  fileLocation: kind.text,
  filterDict: kind.object,
  clientKeys: kind.list,
  env: kind.object,
  readFile: kind.call,
}

/**
 * Reads a config list from the environment variable `envOrFile`, which holds JSON or a file name, or else from the file of
 * that name. Keys may be snake_case or camelCase; a single object counts as a list of one. Errors name the source, the
 * position and the key, never a value.
 */
export function configListFromJson(envOrFile: string, options: ConfigListOptions = {}): ConfigEntry[] {
  checkOptions(options, CONFIG_LIST_KINDS, 'run `configListFromJson`')
  const { env = globalThis.process?.env ?? {}, filterDict, clientKeys } = options
  const value = env[envOrFile]
  const { text, source } =
    value === undefined ? fromFile(envOrFile, options, '') : fromVariable(envOrFile, value, options)
  const data = parseJson(text, source)
  const entries = (Array.isArray(data) ? data : [data]) as ConfigEntry[]
  if (entries.length === 0)
    throw new XError('invalid-config', `${source} is an empty list: add an entry with a \`model\``)
  const checked = entries.map((entry, index) => checkEntry(entry, `entry ${index} of ${source}`, clientKeys))
  return filterDict ? filterEntries(checked, filterDict, source) : checked
}

/** A text, and the name of its source in errors. */
interface Source {
  readonly text: string
  readonly source: string
}

function fromVariable(name: string, value: string, options: ConfigListOptions): Source {
  const source = `the environment variable \`${name}\``
  if (/^\s*[[{]/u.test(value)) return { text: value, source }
  if (value.trim() === '') throw new XError('invalid-config', `${source} is empty: set it to a JSON list of configs`)
  return fromFile(value, options, `${source} names `)
}

function fromFile(file: string, { fileLocation = '', readFile = readText }: ConfigListOptions, via: string): Source {
  const path = fileLocation ? `${withoutEndSlashes(fileLocation)}/${file}` : file
  const hint = via
    ? 'write the file, or put the JSON itself into the variable'
    : 'write the file, or set an environment variable of that name'
  // The variable may hold an API key by mistake, so only a text that looks like a file name is shown, or as `OAI_CONFIG_LIST`.
  const shown = /^[\w./\\:~ -]+\.\w+$|(?:^|[/\\])[A-Z]+_[A-Z_]+$/u.test(path) ? `the file \`${path}\`` : 'a file'
  try {
    return { text: readFile(path), source: via ? `${via}${shown}, which` : shown }
  } catch (error) {
    const reason = (error as { code?: string } | null)?.code ?? 'not readable'
    throw new XError('invalid-config', `${via}${shown}, which cannot be read (${reason}): ${hint}`)
  }
}

function readText(path: string): string {
  const files = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!files) throw Object.assign(new Error('this runtime has no files'), { code: 'this runtime has no files' })
  return files.readFileSync(path, 'utf8')
}

/** Parses JSON. The error of the platform is not shown, because it quotes the text, which holds keys. */
function parseJson(text: string, source: string): unknown {
  try {
    // Some editors put a byte order mark before the text.
    return JSON.parse(text.replace(/^\uFEFF/u, ''))
  } catch (error) {
    const position = /position (\d+)/u.exec(error instanceof Error ? error.message : '')?.[1]
    const before = text.slice(0, position === undefined ? text.length : Number(position)).split('\n')
    const at = `line ${before.length}, column ${before.at(-1)!.length + 1}`
    throw new XError(
      'invalid-config',
      `${source} is not JSON (${at}): correct it there; strings and keys need double quotes`,
    )
  }
}

function filterEntries(
  entries: readonly ConfigEntry[],
  filter: Readonly<Record<string, readonly unknown[]>>,
  source: string,
): ConfigEntry[] {
  const matches = (value: unknown, wanted: readonly unknown[]): boolean =>
    Array.isArray(value) ? value.some((item) => wanted.includes(item)) : wanted.includes(value)
  const wanted = Object.entries(spellKeys(filter, 'the filter')) as [string, readonly unknown[]][]
  const matching = entries.filter((entry) => wanted.every(([key, values]) => matches(entry[key], values)))
  if (matching.length > 0) return matching
  const names = wanted.map(([key]) => `\`${key}\``).join(', ')
  const models = entries.map(({ model }) => `\`${String(model)}\``).join(', ')
  throw new XError('invalid-config', `no entry of ${source} passes the filter on ${names}: it has the models ${models}`)
}
