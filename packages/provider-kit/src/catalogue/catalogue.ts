import { type CatalogueData, type ModelFacts, type ModelRules, parseFacts } from './model-facts.ts'

/** Facts about models by their names. */
export interface Catalogue {
  /** Returns the known facts of a model; an unknown name may have the limits of its family, without a price. */
  factsOf(model: string): ModelFacts
  /** Returns what a model allows: its own rules, and those of the families that its name fits. */
  rulesOf(model: string): ModelRules
}

/** Names with remembered facts; servers choose the names of answers, so the number has a limit. */
const MAX_REMEMBERED_NAMES = 200

/** Characters of a name that is looked up: servers choose the names of answers. */
const MAX_NAME_LENGTH = 256

const NO_FACTS: ModelFacts = Object.freeze({})

/** Makes a catalogue of data; each fact of a name comes from the first data that has it. */
export function createCatalogue(...layers: readonly CatalogueData[]): Catalogue {
  // Read with the first name that is looked up: a program that only imports an adapter needs none.
  let read: readonly NamedTable[] | undefined
  const tablesOnce = (): readonly NamedTable[] =>
    (read ??= layers.map(({ models }) => ({ models, names: new Set(Object.keys(models)) })))
  const remembered = new Map<string, ModelFacts>()
  const rememberedRules = new Map<string, ModelRules>()
  let ruled: readonly RuledTable[] | undefined

  const lookUp = (model: string): ModelFacts => {
    const tables = tablesOnce()
    for (const { models, names } of tables) {
      const name = resolveName(names, model)
      const facts = name !== undefined && factsAt(models, name)
      // A row may have rules alone.
      if (facts && (facts.price ?? facts.contextWindow ?? facts.maxOutput ?? facts.abilities)) return facts
    }
    return familyLimits(tables, bareName(model))
  }

  const lookUpRules = (model: string): ModelRules => {
    // Nearly all rows are texts, which have no rules.
    ruled ??= tablesOnce().map(ruledTable).toReversed()
    const bare = bareName(model)
    const found: ModelRules = {}
    for (const { models, families, names } of ruled) {
      for (const family of fittingFamilies(families, bare)) Object.assign(found, rulesAt(models, family))
      const name = resolveName(names, model)
      if (name !== undefined) Object.assign(found, rulesAt(models, name))
    }
    return Object.freeze(found)
  }

  return {
    factsOf: (model) => (model.length > MAX_NAME_LENGTH ? NO_FACTS : remember(remembered, model, lookUp)),
    rulesOf: (model) => (model.length > MAX_NAME_LENGTH ? NO_FACTS : remember(rememberedRules, model, lookUpRules)),
  }
}

function remember<T>(known: Map<string, T>, model: string, lookUp: (model: string) => T): T {
  const before = known.get(model)
  if (before) return before
  const found = lookUp(model)
  if (known.size < MAX_REMEMBERED_NAMES) known.set(model, found)
  return found
}

/** Reads the facts of a name; `=name` refers to the facts of another name. */
function factsAt(models: CatalogueData['models'], name: string): ModelFacts | undefined {
  const facts = rowAt(models, name)
  return typeof facts === 'string' ? parseFacts(facts) : facts
}

function rowAt(models: CatalogueData['models'], name: string): ModelFacts | string | undefined {
  const row = Object.hasOwn(models, name) ? models[name] : undefined
  return typeof row === 'string' && row.startsWith('=') ? models[row.slice(1)] : row
}

/** The rows of data, with their names. */
interface NamedTable {
  readonly models: CatalogueData['models']
  readonly names: ReadonlySet<string>
}

/** Rows of one table that have rules. */
interface RuledTable extends NamedTable {
  readonly families: readonly string[]
}

function ruledTable({ models, names }: NamedTable): RuledTable {
  const ruled = [...names].filter((name) => typeof rowAt(models, name) === 'object')
  return { models, families: ruled.filter(isFamily), names: new Set(ruled.filter((name) => !isFamily(name))) }
}

/** Returns the rules of a row that has any. */
function rulesAt(models: CatalogueData['models'], name: string): ModelRules {
  const {
    contextWindow: _,
    maxOutput: _most,
    price: _price,
    abilities: _abilities,
    source: _source,
    ...rules
  } = rowAt(models, name) as ModelFacts
  return rules
}

/** Returns the limits that an unknown name has from the families that it fits. */
function familyLimits(tables: readonly NamedTable[], bare: string): ModelFacts {
  let limits: ModelFacts = NO_FACTS
  for (const { models, names } of tables.toReversed()) {
    for (const family of fittingFamilies([...names].filter(isFamily), bare)) {
      const { contextWindow = limits.contextWindow, maxOutput = limits.maxOutput } = factsAt(models, family) ?? {}
      limits = { contextWindow, maxOutput }
    }
  }
  return limits
}

const isFamily = (name: string): boolean => name.includes('*') || name.includes('#')

/** Returns the families that a name fits, the one that says most about it last. */
function fittingFamilies(families: readonly string[], bare: string): readonly string[] {
  const weightOf = (family: string): number => family.length - (family.match(/[*#]/gu)?.length ?? 0)
  return families.filter((family) => fitsFamily(family, bare)).toSorted((a, b) => weightOf(a) - weightOf(b))
}

/** Returns a name in lower case without path and host, and without the mark of a tuned model. */
const bareName = (model: string): string =>
  model
    .slice(model.lastIndexOf('/') + 1)
    .replace(HOST_PREFIX_PATTERN, '')
    .toLowerCase()
    .replace(/^ft:/u, '')

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9'

/**
 * True if a name fits a family such as `gpt-*-pro`: `*` stands for any text, `#` for a number of one or two digits, and `.`
 * fits `-`, too. A number before `*` is whole: `gpt-5*` is not `gpt-50`.
 */
export function fitsFamily(family: string, name: string): boolean {
  const [first = '', ...pieces] = family.split('*')
  let at = endOfPiece(first, name, 0)
  if (at === undefined) return false
  let before = first
  for (const [index, piece] of pieces.entries()) {
    if (isDigit(before.at(-1)) && isDigit(name[at])) return false
    if (index === pieces.length - 1 && piece === '') return true
    let end: number | undefined
    for (; at <= name.length; at++) {
      end = endOfPiece(piece, name, at)
      if (end !== undefined && (index < pieces.length - 1 || end === name.length)) break
    }
    if (at > name.length) return false
    at = end!
    before = piece
  }
  return at === name.length
}

/** Digits of the number that `#` stands for: more are a date. */
const MAX_VERSION_DIGITS = 2

/** Returns the place behind a piece of a family in a name; undefined where the name does not have it there. */
function endOfPiece(piece: string, name: string, from: number): number | undefined {
  let at = from
  for (const char of piece) {
    if (char === '#') {
      const start = at
      while (isDigit(name[at]) && at - start <= MAX_VERSION_DIGITS) at++
      if (at === start || at - start > MAX_VERSION_DIGITS) return undefined
    } else if (name[at] === char || (char === '.' && name[at] === '-')) at++
    else return undefined
  }
  return at
}

/** Parts of the suffix of a name: dates, versions, regions and tags of hosts. Each matches at one place, with one length. */
const SUFFIX_PARTS: readonly RegExp[] = [
  /[-@]\d{4}-\d{2}-\d{2}/uy,
  ...[4, 5, 6, 7, 8].map((digits) => new RegExp(`[-@]\\d{${digits}}`, 'uy')),
  /-latest/uy,
  /-\d{3}/uy,
  /[@-]default/uy,
  /-v\d[:.]\d+/uy,
  /-v\d/uy,
  /-preview-\d{2}-\d{4}/uy,
  /-\d{2}-\d{4}/uy,
  /-preview/uy,
  /-exp/uy,
]

const TAG_CHARACTER = /[\w.:-]/u

/**
 * True if the rest of a name is a suffix: parts in any order, then a tag such as `:free`. A part may end where another one
 * could too, so that all places that parts reach are followed at once: the time grows with the length of the name.
 */
export function isNameSuffix(rest: string): boolean {
  let tagFrom = rest.length
  while (tagFrom > 0 && TAG_CHARACTER.test(rest[tagFrom - 1]!)) tagFrom--
  const reached = new Set([0])
  // The iteration of a set includes places that are added meanwhile.
  for (const at of reached) {
    if (at === rest.length || (rest[at] === ':' && at + 1 >= tagFrom)) return true
    for (const part of SUFFIX_PARTS) {
      part.lastIndex = at
      const match = part.exec(rest)
      if (match) reached.add(at + match[0].length)
    }
  }
  return false
}

/** Prefixes of hosts before the name of a model. */
const HOST_PREFIX_PATTERN = /^(?:[a-z-]+\.)?(?:anthropic|google|openai|mistral|meta)\./u

/**
 * Finds the name in a table for the name of a model: the same name, or the longest that it extends by a date, a version or a
 * tag; then without path and host; then in any case and with versions in any form (`4.5`, `4-5`, `45`).
 */
export function resolveName(names: ReadonlySet<string>, model: string): string | undefined {
  const bare = model.slice(model.lastIndexOf('/') + 1).replace(HOST_PREFIX_PATTERN, '')
  return (
    findExtended(names, model) ??
    findExtended(names, bare) ??
    findExtended(names, bare.toLowerCase()) ??
    findNormalized(names, normalizeVersions(bare.toLowerCase()))
  )
}

function findExtended(names: ReadonlySet<string>, model: string): string | undefined {
  if (names.has(model)) return model
  let longest: string | undefined
  for (const name of names) {
    if (name.length <= (longest?.length ?? 0) || !model.startsWith(name)) continue
    if (isNameSuffix(model.slice(name.length))) longest = name
  }
  return longest
}

/** Returns a name with each version as one number: hosts write them with dots, dashes or neither. */
export const normalizeVersions = (name: string): string => name.replaceAll(/(?<=\d)[.-](?=\d(?!\d{3}))/gu, '')

function findNormalized(names: ReadonlySet<string>, model: string): string | undefined {
  let longest: string | undefined
  let length = 0
  for (const name of names) {
    const other = normalizeVersions(name.slice(name.lastIndexOf('/') + 1).toLowerCase())
    if (other.length <= length || !model.startsWith(other) || !isNameSuffix(model.slice(other.length))) continue
    longest = name
    length = other.length
  }
  return longest
}
