import { type CatalogueData, type ModelFacts, parseFacts } from './model-facts.ts'

/** Facts about models by their names. */
export interface Catalogue {
  /** Returns the known facts of a model; an unknown name may have the limits of its family, without a price. */
  factsOf(model: string): ModelFacts
}

/** Names with remembered facts; servers choose the names of answers, so the number has a limit. */
const MAX_REMEMBERED_NAMES = 200

/** Characters of a name that is looked up: servers choose the names of answers. */
const MAX_NAME_LENGTH = 256

const NO_FACTS: ModelFacts = Object.freeze({})

/** Makes a catalogue of data; the facts of a name come from the first data that has it. */
export function createCatalogue(...layers: readonly CatalogueData[]): Catalogue {
  const readTables = () => layers.map(({ models }) => ({ models, names: new Set(Object.keys(models)) }))
  let read: ReturnType<typeof readTables> | undefined
  const remembered = new Map<string, ModelFacts>()

  const lookUp = (model: string): ModelFacts => {
    const tables = (read ??= readTables())
    for (const { models, names } of tables) {
      const name = resolveName(names, model)
      const facts = name !== undefined && factsAt(models, name)
      if (facts) return facts
    }
    for (const { models, names } of tables) {
      const facts = familyFacts(models, names, model)
      if (facts) return facts
    }
    return NO_FACTS
  }

  return {
    factsOf(model) {
      if (model.length > MAX_NAME_LENGTH) return NO_FACTS
      const before = remembered.get(model)
      if (before) return before
      const facts = lookUp(model)
      if (remembered.size < MAX_REMEMBERED_NAMES) remembered.set(model, facts)
      return facts
    },
  }
}

/** Reads the facts of a name; `=name` refers to the facts of another name. */
function factsAt(models: CatalogueData['models'], name: string): ModelFacts | undefined {
  const facts = Object.hasOwn(models, name) ? models[name] : undefined
  if (typeof facts !== 'string') return facts
  if (!facts.startsWith('=')) return parseFacts(facts)
  const other = models[facts.slice(1)]
  return typeof other === 'string' ? parseFacts(other) : other
}

/** Returns the limits of the family of an unknown name: of the longest matching name with `*`. */
function familyFacts(
  models: CatalogueData['models'],
  names: ReadonlySet<string>,
  model: string,
): ModelFacts | undefined {
  const bare = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  let longest = ''
  for (const name of names) {
    if (name.endsWith('*') && name.length > longest.length && bare.startsWith(name.slice(0, -1))) longest = name
  }
  const facts = longest ? factsAt(models, longest) : undefined
  return facts && { contextWindow: facts.contextWindow, maxOutput: facts.maxOutput }
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
