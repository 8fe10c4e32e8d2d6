/**
 * Updates the data files of models from public tables. With `--check` it writes nothing and lists what the files have wrong or
 * not at all. Tests and CI never run it. `catalogue/decisions.json` settles differences between the tables.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDataFile } from './catalogue/data-file.ts'
import type { CatalogueData } from '../packages/provider-kit/src/catalogue/model-facts.ts'
import type { Decisions } from './catalogue/decisions.ts'
import { compareWithTables, readDifferences, writeDifferences, type Disagreement } from './catalogue/differences.ts'
import { downloadNpm, downloadWheel } from './catalogue/download.ts'
import { readGenaiPrices } from './catalogue/genai-prices.ts'
import { isAnswering, isEmbedding } from './catalogue/is-answering.ts'
import { readLitellm } from './catalogue/litellm.ts'
import { mergeTables, type Difference } from './catalogue/merge.ts'
import { readModelsDev, readModelsDevApi } from './catalogue/models-dev.ts'
import type { SourceFacts } from './catalogue/source-facts.ts'
import { ENDPOINTS, type PublicTable } from './catalogue/sources.ts'
import { resolveName } from '../packages/provider-kit/src/catalogue/catalogue.ts'
import { root } from './workspace.ts'

const FOLDER = join(root, 'scripts/catalogue')
const today = new Date().toISOString().slice(0, 10)

/** Data files by endpoint, where it is not one file of the endpoint's name; Gemini's compatible endpoint serves Google's models. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['packages/provider-anthropic/src/catalogue.json'],
  google: ['packages/provider-google/src/catalogue.json', 'packages/provider-openai/src/catalogue/gemini.json'],
}

const [genai, litellm, modelsDev] = await Promise.all([
  downloadWheel('genai-prices', (file) => file === 'genai_prices/data.py'),
  downloadWheel('litellm', (file) => file === 'litellm/model_prices_and_context_window_backup.json'),
  downloadModelsDev(),
])

/** Reads models.dev, or, if it cannot be reached, an npm package that copies it every few days. */
async function downloadModelsDev(): Promise<PublicTable> {
  try {
    const response = await fetch('https://models.dev/api.json', { signal: AbortSignal.timeout(20_000) })
    if (response.ok) return readModelsDevApi(await response.text())
  } catch {
    // Falls back on the package.
  }
  const { files, origin } = await downloadNpm('@earendil-works/pi-ai', (file) =>
    /^package\/dist\/providers\/data\/[\w-]+\.json$/u.test(file),
  )
  const byName = [...files].map(([file, text]) => [file.replace(/^.*\/|\.json$/gu, ''), text] as const)
  return readModelsDev(new Map(byName), `${origin} (models.dev)`)
}

const only = ({ files }: { files: ReadonlyMap<string, string> }): string => [...files.values()][0] ?? ''
const tables = {
  genaiPrices: readGenaiPrices(only(genai), genai.origin, today),
  litellm: readLitellm(only(litellm), litellm.origin),
  modelsDev,
}
const sources = [
  ...Object.values(tables).map(({ origin }) => `${origin}, ${today}`),
  `scripts/catalogue/decisions.json, ${today}`,
]
const decisions = JSON.parse(readFileSync(join(FOLDER, 'decisions.json'), 'utf8')) as Decisions

const DIFFERENCES = join(FOLDER, 'differences.tsv')
const isCheck = process.argv.includes('--check')
const settled = isCheck ? readDifferences(readFileSync(DIFFERENCES, 'utf8')) : []
const disagreements: Disagreement[] = []
const differences: Difference[] = []
const undecided: Difference[] = []
const names: Record<string, string[]> = {}
const written = new Map<string, string>()
for (const endpoint of Object.keys(ENDPOINTS)) {
  const path = ENDPOINTS[endpoint]!.path ?? /^(?!)/u
  const modelsOf = ({ models }: PublicTable): ReadonlyMap<string, SourceFacts> =>
    new Map([...models.get(endpoint)!].map(([name, facts]) => [name.replace(path, ''), facts]))
  const own = {
    genaiPrices: modelsOf(tables.genaiPrices),
    litellm: modelsOf(tables.litellm),
    modelsDev: modelsOf(tables.modelsDev),
  }
  const isNamed = (name: string): boolean => isAnswering(name) || isEmbedding(name)
  const named = [...new Set(Object.values(own).flatMap((table) => [...table.keys()]))].filter(isNamed)
  // The other tables also list models that OpenRouter no longer offers: those count that would be taken for another model.
  const offered = new Set(own.modelsDev.keys())
  const all = endpoint === 'openrouter' ? named.filter((name) => resolveName(offered, name) !== undefined) : named
  const files = FILES[endpoint] ?? [`packages/provider-openai/src/catalogue/${endpoint}.json`]
  if (isCheck) {
    const data = JSON.parse(readFileSync(join(root, files[0]!), 'utf8')) as CatalogueData
    disagreements.push(...compareWithTables(endpoint, data, all, { tables: own, settled, decisions }))
    continue
  }
  const merged = mergeTables(endpoint, all, own, decisions)
  differences.push(...merged.differences)
  undecided.push(...merged.undecided)
  const isKnown = (name: string): boolean => Object.keys(merged.models.get(name) ?? { known: true }).length > 0
  const full = Object.values(tables).flatMap(({ models }) => [...models.get(endpoint)!.keys()])
  names[endpoint] = [...new Set(full)]
    .filter((name) => all.includes(name.replace(path, '')) && isKnown(name))
    .toSorted()
  const text = writeDataFile({ endpoint, date: today, sources }, merged.models, decisions)
  for (const file of files) written.set(file, text)
}

if (isCheck) {
  for (const { what, endpoint, model, field, values, ours } of disagreements)
    console.log(`${what}\t${endpoint}/${model}\t${field}\t${ours ?? ''}\t${JSON.stringify(values)}`)
  console.log(`${disagreements.length} disagreements with ${sources.join(', ')}`)
  if (disagreements.length > 0) process.exitCode = 1
} else if (undecided.length > 0) {
  console.error(
    `Nothing was written: the tables differ, and scripts/catalogue/decisions.json does not say who is right.\n`,
  )
  console.error(writeDifferences(undecided))
  process.exitCode = 1
} else {
  for (const [file, text] of written) writeFileSync(join(root, file), text)
  writeFileSync(join(FOLDER, 'names.json'), `${JSON.stringify(names, null, 1)}\n`)
  writeFileSync(DIFFERENCES, writeDifferences(differences))
  const size = [...written.values()].reduce((sum, text) => sum + text.length, 0)
  console.log(
    `${written.size} data files, ${size} bytes, ${differences.length} differences; from ${sources.join(', ')}`,
  )
}
