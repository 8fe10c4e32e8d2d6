import type { CatalogueData, ModelFacts } from './model-facts.ts'
import { parseFacts } from './parse-facts.ts'
import { resolveName } from './resolve-name.ts'

/** Facts about models by their names. */
export interface Catalogue {
  /** Returns what is known about a model; a name that is not known may have the limits of its family, without a price. */
  factsOf(model: string): ModelFacts
}

/** Most names whose facts are remembered; servers choose the names of answers. */
const MOST_NAMES = 200

const NOTHING: ModelFacts = Object.freeze({})

/** Makes a catalogue of data; what the first knows about a name wins, whole. */
export function createCatalogue(...layers: readonly CatalogueData[]): Catalogue {
  const tables = layers.map(({ models }) => ({ models, names: new Set(Object.keys(models)) }))
  const known = new Map<string, ModelFacts>()

  const look = (model: string): ModelFacts => {
    for (const { models, names } of tables) {
      const name = resolveName(names, model)
      const facts = name !== undefined && factsAt(models, name)
      if (facts) return facts
    }
    for (const { models, names } of tables) {
      const facts = familyFacts(models, names, model)
      if (facts) return facts
    }
    return NOTHING
  }

  return {
    factsOf(model) {
      const before = known.get(model)
      if (before) return before
      const facts = look(model)
      if (known.size < MOST_NAMES) known.set(model, facts)
      return facts
    },
  }
}

/** Reads the facts of a name; `=name` says that another has the same. */
function factsAt(models: CatalogueData['models'], name: string): ModelFacts | undefined {
  const facts = Object.hasOwn(models, name) ? models[name] : undefined
  if (typeof facts !== 'string') return facts
  if (!facts.startsWith('=')) return parseFacts(facts)
  const other = models[facts.slice(1)]
  return typeof other === 'string' ? parseFacts(other) : other
}

/** Limits of the family of a name that is not known: those of the longest name with `*` that it begins with. */
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
