import { createCatalogue, resolveName } from '../../packages/provider-kit/src/catalogue/catalogue.ts'
import type { CatalogueData } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import { decisionFor, type Decisions } from './decisions.ts'
import { flatten, TABLES, type Difference, type EndpointTables } from './merge.ts'

const COLUMNS = ['endpoint', 'model', 'field', ...TABLES, 'taken', 'why'] as const

/** Writes differences as lines of words with tabs between them, below a line of titles. */
export function writeDifferences(differences: readonly Difference[]): string {
  const lines = differences.map(({ endpoint, model, field, values, taken, why }) =>
    [endpoint, model, field, ...TABLES.map((table) => values[table] ?? ''), taken ?? '', why].join('\t'),
  )
  return [COLUMNS.join('\t'), ...lines, ''].join('\n')
}

/** Reads what `writeDifferences` wrote. */
export function readDifferences(text: string): readonly Difference[] {
  const [titles, ...lines] = text.trimEnd().split('\n')
  if (titles !== COLUMNS.join('\t')) throw new Error('cannot read the differences: the line of titles is another one')
  return lines.map((line) => {
    const [endpoint = '', model = '', field = '', ...rest] = line.split('\t')
    const said = TABLES.flatMap((table, place) => (rest[place] ? [[table, Number(rest[place])] as const] : []))
    const [taken = '', why = ''] = rest.slice(TABLES.length)
    return { endpoint, model, field, values: Object.fromEntries(said), taken: taken ? Number(taken) : null, why }
  })
}

/** Fields that are compared with the tables. */
const FIELDS = ['contextWindow', 'maxOutput', 'price.input', 'price.output', 'price.cached', 'price.cacheWrite']

/** A fact of a data file that no table states any more, or one that tables state and the file does not have. */
export interface Disagreement extends Omit<Difference, 'taken' | 'why'> {
  readonly what: 'wrong' | 'missing'
  readonly ours: number | undefined
}

/** Compares the facts that a program gets for names with those of the tables; what was settled before is no disagreement. */
export function compareWithTables(
  endpoint: string,
  data: CatalogueData,
  names: readonly string[],
  {
    tables,
    settled,
    decisions,
  }: {
    readonly tables: EndpointTables
    readonly settled: readonly Difference[]
    readonly decisions: Decisions
  },
): readonly Disagreement[] {
  const catalogue = createCatalogue(data)
  const keyOf = ({ model, field }: Pick<Difference, 'model' | 'field'>): string => `${model}\t${field}`
  const decided = new Set(settled.filter((each) => each.endpoint === endpoint).map(keyOf))
  const known = new Set(Object.keys(data.models))
  return names.flatMap((model) => {
    // A dated form of a name has the facts of the name.
    const usual = resolveName(known, model) ?? model
    const own = flatten(catalogue.factsOf(model))
    const stated = TABLES.map((table) => [table, flatten(tables[table].get(model) ?? {})] as const)
    return FIELDS.flatMap((field): Disagreement[] => {
      const said = stated.flatMap(([table, fields]) =>
        fields.has(field) ? [[table, fields.get(field)!] as const] : [],
      )
      const ours = own.get(field)
      if (said.length === 0 || said.some(([, value]) => value === ours)) return []
      if ([model, usual].some((name) => decided.has(keyOf({ model: name, field })))) return []
      if (decisionFor(decisions, endpoint, model, field)) return []
      const values = Object.fromEntries(said)
      return [{ what: ours === undefined ? 'missing' : 'wrong', endpoint, model, field, values, ours }]
    })
  })
}
