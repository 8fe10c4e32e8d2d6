import type { ModelFacts } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import { resolveName, normalizeVersions } from '../../packages/provider-kit/src/catalogue/catalogue.ts'
import { chooseValue, type Candidate } from './choose-value.ts'
import type { Decisions, TableName } from './decisions.ts'
import type { SourceFacts } from './source-facts.ts'

/** Models of one endpoint in each table. */
export type EndpointTables = Readonly<Record<TableName, ReadonlyMap<string, SourceFacts>>>

/** A difference between the tables, and how it was settled. */
export interface Difference {
  readonly endpoint: string
  readonly model: string
  readonly field: string
  readonly values: Readonly<Partial<Record<TableName, number>>>
  /** The value that counts; null if none does. */
  readonly taken: number | null
  readonly why: string
}

/** The merged models of one endpoint, and the differences between the tables. */
export interface Merged {
  readonly models: ReadonlyMap<string, ModelFacts>
  readonly differences: readonly Difference[]
  /** Differences that a person must decide. */
  readonly undecided: readonly Difference[]
}

/** The public tables in the order of the sources of a data file; what a person decides comes behind them. */
export const TABLES: readonly TableName[] = ['genaiPrices', 'litellm', 'modelsDev']

/** Merges the facts of all tables about the models of an endpoint, field by field. */
export function mergeTables(
  endpoint: string,
  names: readonly string[],
  tables: EndpointTables,
  decisions: Decisions,
): Merged {
  const differences: Difference[] = []
  const undecided: Difference[] = []
  const models = new Map<string, ModelFacts>()
  const known = new Set(names)
  for (const model of inOrder(names, tables)) {
    const flat = sameForms(TABLES.map((table) => [table, flatten(tables[table].get(model) ?? {})] as const))
    const base = baseOf(known, model, models)
    if (base && hasPriceOf(flat, base.facts) && hasLimitsOf(model, base, tables)) continue
    const valuesOf = (field: string): number[] => candidatesOf(flat, field).map(({ value }) => value)
    const chosen = new Map<string, number>()
    for (const field of new Set(flat.flatMap(([, fields]) => [...fields.keys()]))) {
      const candidates = candidatesOf(flat, field)
      const { value, by } = chooseValue(candidates, { endpoint, model, field, decisions, valuesOf })
      if (value !== undefined) chosen.set(field, value)
      if (by === undefined) continue
      const values = Object.fromEntries(candidates.map((each) => [each.table, each.value]))
      const difference = { endpoint, model, field, values, taken: value ?? null, why: by }
      ;(by === 'undecided' ? undecided : differences).push(difference)
    }
    const hand = decisions.limits[endpoint]?.[model]
    const abilities = [...new Set(TABLES.flatMap((table) => tables[table].get(model)?.abilities ?? []))]
    const facts = unflatten(chosen, abilities)
    const { contextWindow, maxOutput, abilities: inherited } = base?.facts ?? {}
    const limits = { ...(contextWindow && { contextWindow }), ...(maxOutput && { maxOutput }) }
    const family = familyOf(decisions, endpoint, model)
    const source = facts.price && { source: sourceOf(flat, chosen) }
    models.set(model, {
      ...family,
      ...limits,
      ...(inherited && { abilities: inherited }),
      ...facts,
      ...hand,
      ...source,
    })
  }
  return { models, differences, undecided }
}

/** Returns the word for the tables that state a price: a bit for each, or the one behind them where a person decided. */
function sourceOf(flat: Flat, chosen: ReadonlyMap<string, number>): string {
  const states = ([, fields]: Flat[number]): boolean =>
    ['price.input', 'price.output'].every((field) => fields.get(field) === chosen.get(field))
  const bits = flat.map((each, place) => (states(each) ? 2 ** place : 0)).reduce((sum, bit) => sum + bit, 0)
  return `~${bits || 2 ** TABLES.length}`
}

/** Sorts shorter names first, since longer names may be their dated forms; of two spellings the usual one first. */
function inOrder(names: readonly string[], tables: EndpointTables): readonly string[] {
  const count = (name: string): number => TABLES.filter((table) => tables[table].has(name)).length
  return names.toSorted(
    (a, b) => normalizeVersions(a).length - normalizeVersions(b).length || count(b) - count(a) || (a < b ? -1 : 1),
  )
}

/** Finds the limits of a model's family, for models without limits in any table. */
function familyOf({ families }: Decisions, endpoint: string, model: string): object | undefined {
  const patterns = Object.keys(families[endpoint] ?? {}).filter((each) => model.startsWith(each.slice(0, -1)))
  const longest = patterns.toSorted((a, b) => b.length - a.length)[0]
  return longest === undefined ? undefined : families[endpoint]![longest]
}

type Flat = readonly (readonly [TableName, ReadonlyMap<string, number>])[]

function candidatesOf(flat: Flat, field: string): Candidate[] {
  return flat.flatMap(([table, fields]) => {
    const value = fields.get(field)
    return value === undefined ? [] : [{ table, value }]
  })
}

/** One table has a factor for a tier, another has rates: keeps the factor if it yields these rates. */
function sameForms(flat: Flat): Flat {
  const factors = flat.flatMap(([, fields]) => [...fields].filter(([path]) => /^price\.tiers\.[^.]+$/u.test(path)))
  for (const [tier, factor] of factors) {
    const isMade = ([path, value]: readonly [string, number]): boolean => {
      if (!path.startsWith(`${tier}.`) || path.endsWith('.above')) return true
      const usual = `price${path.slice(tier.length)}`
      return flat.every(([, fields]) => Math.abs((fields.get(usual) ?? value / factor) * factor - value) < 1e-9)
    }
    const same = flat.every(([, fields]) => [...fields].every(isMade))
    flat = flat.map(([table, fields]) => [
      table,
      new Map([...fields].filter(([path]) => (same ? !path.startsWith(`${tier}.`) : path !== tier))),
    ])
  }
  return flat
}

/** The model of which a name is only a dated or versioned form. */
interface Base {
  readonly name: string
  readonly facts: ModelFacts
}

/** Finds the model of which a name is only a dated or versioned form. */
function baseOf(known: ReadonlySet<string>, model: string, models: ReadonlyMap<string, ModelFacts>): Base | undefined {
  const others = new Set([...known].filter((name) => name !== model && models.has(name)))
  const name = resolveName(others, model)
  const isSame =
    name !== undefined && model.slice(0, model.lastIndexOf('/') + 1) === name.slice(0, name.lastIndexOf('/') + 1)
  return isSame ? { name, facts: models.get(name)! } : undefined
}

/** True if no table has different prices for a name and for the model that it stands for. */
function hasPriceOf(flat: Flat, base: ModelFacts): boolean {
  const expected = flatten(base)
  const fields = ['price.input', 'price.output', 'price.cached', 'price.audioInput']
  return flat.every(([, own]) =>
    fields.every((field) => own.get(field) === undefined || own.get(field) === expected.get(field)),
  )
}

/** True if no table has limits for a name that differ from those of the model that it stands for, as the table counts them. */
function hasLimitsOf(model: string, base: Base, tables: EndpointTables): boolean {
  return TABLES.every((table) => {
    const own = tables[table].get(model) ?? {}
    const usual = tables[table].get(base.name) ?? base.facts
    return (['contextWindow', 'maxOutput'] as const).every(
      (field) => own[field] === undefined || own[field] === usual[field] || own[field] === base.facts[field],
    )
  })
}

/** Returns the numbers of a record by their paths, such as `price.long.above`. */
export function flatten(facts: object, prefix: string = ''): Map<string, number> {
  const fields = new Map<string, number>()
  for (const [key, value] of Object.entries(facts) as [string, unknown][]) {
    if (typeof value === 'number') fields.set(prefix + key, value)
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [path, number] of flatten(value, `${prefix}${key}.`)) fields.set(path, number)
  }
  return fields
}

function unflatten(fields: ReadonlyMap<string, number>, abilities: readonly string[]): ModelFacts {
  const facts: Record<string, unknown> = {}
  for (const [path, value] of fields) {
    const keys = path.split('.')
    let place = facts
    for (const key of keys.slice(0, -1)) place = (place[key] ??= {}) as Record<string, unknown>
    place[keys.at(-1)!] = value
  }
  return { ...facts, ...(abilities.length > 0 && { abilities }) } as ModelFacts
}
