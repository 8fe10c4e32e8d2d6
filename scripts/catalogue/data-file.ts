import type { ModelFacts } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import type { Decisions } from './decisions.ts'
import { writeFacts } from './write-facts.ts'

/** Contents of a data file besides the models. */
export interface DataFile {
  readonly endpoint: string
  readonly date: string
  readonly sources: readonly string[]
}

/** Writes the data file of an endpoint: one line per model, `=name` if an earlier model has the same facts. */
export function writeDataFile(
  { endpoint, date, sources }: DataFile,
  models: ReadonlyMap<string, ModelFacts>,
  { families, aliases }: Decisions,
): string {
  const rows = new Map([...models].map(([name, facts]) => [name, writeFacts(facts)] as const))
  for (const [name, row] of rows) if (row === '') rows.delete(name)
  for (const [name, facts] of Object.entries(families[endpoint] ?? {})) rows.set(name, writeFacts(facts))
  for (const [name, other] of Object.entries(aliases[endpoint] ?? {})) rows.set(name, rows.get(other) ?? `=${other}`)
  const names = [...rows.keys()].toSorted()
  const first = new Map<string, string>()
  const lines = names.map((name) => {
    const row = rows.get(name)!
    const other = first.get(row)
    if (other !== undefined && other.length + 1 < row.length) return line(name, `=${other}`)
    first.set(row, name)
    return line(name, row)
  })
  const head = `{\n"date": ${JSON.stringify(date)},\n"sources": ${JSON.stringify(sources)},\n"models": {\n`
  return `${head}${lines.join(',\n')}\n}\n}\n`
}

const line = (name: string, row: string): string => `${JSON.stringify(name)}: ${JSON.stringify(row)}`

/** Digits that count the shared characters of two names: a longer prefix is not shared whole. */
const MAX_SHARED = 35

/** The mark of the sources of a row, which are for people who read the data file. */
const SOURCES_MARK = / ~\d+/u

/**
 * Packs the rows of a data file without their sources, as `unpackCatalogue` reads them. Fails for a row that it could not read.
 * Words that repeat those of the row before take less space than references to other rows, which are resolved.
 */
export function packRows(models: Readonly<Record<string, string>>): string {
  let before = ''
  let factsBefore: readonly string[] = []
  const lines = Object.entries(models).map(([name, row]) => {
    const whole = row.startsWith('=') ? (models[row.slice(1)] ?? row) : row
    const facts = whole.replace(SOURCES_MARK, '').split(' ')
    if (/[\s]/u.test(name) || row.includes('\n') || facts.includes(''))
      throw new Error(`cannot pack the row of \`${name}\`: it has a space too many or two lines`)
    let shared = 0
    while (shared < Math.min(MAX_SHARED, name.length) && name[shared] === before[shared]) shared++
    const words = facts.map((word, at) => (word === factsBefore[at] ? '' : word))
    before = name
    factsBefore = facts
    return `${shared.toString(36)}${name.slice(shared)} ${words.join(' ')}`
  })
  return lines.join('\n')
}
