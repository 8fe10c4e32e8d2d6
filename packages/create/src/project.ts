import { readdirSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { PROVIDERS, type Choices } from './choices.ts'

const TEMPLATES = join(import.meta.dirname, '../templates')

/** Files of every project, by their places in it; a package cannot have them under these names. */
const PROJECT_FILES = {
  'package.json': 'package.json',
  'tsconfig.json': 'tsconfig.json',
  'README.md': 'README.md',
  'AGENTS.md': 'AGENTS.md',
  '.gitignore': 'gitignore',
  '.env.example': 'env.example',
  '.oxfmtrc.json': 'oxfmtrc.json',
} as const

/** Packages that no source imports, of projects in each language. */
const TOOLS = { javascript: ['oxfmt'], typescript: ['oxfmt', 'typescript', '@types/node'] } as const

/** The lines around a part of a text for projects of which all words hold. */
const [PART_BEGINS, PART_WORDS_END, PART_ENDS] = ['<!-- if ', ' -->', '<!-- end -->']

/** Makes the files of a project, by their paths in it. */
export function projectFiles(name: string, choices: Choices): Map<string, string> {
  const { provider, kind, tests, typescript } = choices
  const files = new Map<string, string>()
  for (const [file, template] of Object.entries(PROJECT_FILES)) {
    if (file === 'tsconfig.json' && !typescript) continue
    if (file === '.env.example' && provider === 'simulated') continue
    files.set(file, chooseParts(read(`project/${template}`), choices))
  }
  const model = read(provider === 'simulated' ? 'model-simulated.ts' : 'model.ts')
  const sources = readdirSync(join(TEMPLATES, kind)).filter((file) => tests || !file.endsWith('.test.ts'))
  for (const [file, source] of [['model.ts', model], ...sources.map((each) => [each, read(`${kind}/${each}`)])]) {
    const code = typescript ? source! : withoutTypes(source!)
    // In the templates, the model stands beside the folders of the kinds.
    files.set(`src/${typescript ? file : file!.replace(/\.ts$/u, '.js')}`, code.replaceAll("'../", "'./"))
  }
  const named = new Map([...files].map(([file, text]) => [file, rename(text, name, choices)]))
  named.set('package.json', fitManifest(named, choices))
  return named
}

const read = (template: string): string => readFileSync(join(TEMPLATES, template), 'utf8')

/** Keeps the parts of a text that are for these choices. */
function chooseParts(text: string, { provider, kind, tests, typescript }: Choices): string {
  const facts = new Set<string>([
    kind,
    provider === 'simulated' ? 'simulated' : 'key',
    tests ? 'tests' : 'no-tests',
    typescript ? 'typescript' : 'javascript',
  ])
  const chosen: string[] = []
  let isChosen = true
  for (const line of text.split('\n')) {
    if (line.startsWith(PART_BEGINS)) {
      const words = line.slice(PART_BEGINS.length, -PART_WORDS_END.length).split(' ')
      isChosen = words.every((word) => facts.has(word))
    } else if (line === PART_ENDS) isChosen = true
    else if (isChosen) chosen.push(line)
  }
  // Without the blank lines of parts that were left out, also between points of a list.
  const lines = chosen.filter((line, at) => line !== '' || chosen[at - 1] !== '')
  const isBetweenPoints = (at: number): boolean =>
    lines[at] === '' && [lines[at - 1], lines[at + 1]].every((line) => line?.startsWith('- '))
  return `${lines
    .filter((_, at) => !isBetweenPoints(at))
    .join('\n')
    .trimEnd()}\n`
}

/** Takes the types out of a source, and the lines that had nothing else. */
function withoutTypes(source: string): string {
  const lines = source.split('\n')
  // Types become blanks, each at its place.
  const stripped = module.stripTypeScriptTypes(source).split('\n')
  return stripped
    .map((line, at) => line.replaceAll(/ +/gu, (blanks, from: number) => withoutErased(blanks, lines[at]!.slice(from))))
    .filter((line, at) => line.trim() !== '' || lines[at] === '')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimStart()
}

/** Leaves of blanks those that were blanks in the source, before and behind what was erased. */
function withoutErased(blanks: string, source: string): string {
  const erased = source.slice(0, blanks.length)
  return erased.trim() === '' ? blanks : blanks.slice(0, erased.search(/\S/u)) + blanks.slice(erased.trimEnd().length)
}

/** Puts the name of the project, of its provider and of its files in place of those of the templates. */
function rename(text: string, name: string, { provider, typescript }: Choices): string {
  const files = typescript ? text : text.replaceAll(/\.ts\b/gu, '.js')
  // Last: the name may have words in it that stand for something else in a template.
  return withProvider(files, provider).replaceAll('my-agent', name)
}

function withProvider(text: string, provider: Choices['provider']): string {
  if (provider === 'simulated') return text
  const { openai } = PROVIDERS
  const { label, model, key } = PROVIDERS[provider]
  return text
    .replaceAll(openai.key, key)
    .replaceAll(openai.model, model)
    .replaceAll(openai.label, label)
    .replaceAll(/\bopenai\b/gu, provider)
}

/** Leaves in the manifest the scripts and packages that the other files of the project need. */
function fitManifest(files: ReadonlyMap<string, string>, { tests, typescript }: Choices): string {
  const manifest = JSON.parse(files.get('package.json')!) as {
    scripts: Record<string, string>
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  const { scripts } = manifest
  const sources = [...files].filter(([file]) => file.startsWith('src/')).map(([, source]) => source)
  const tools = new Set<string>(TOOLS[typescript ? 'typescript' : 'javascript'])
  const isNeeded = (name: string): boolean =>
    tools.has(name) || sources.some((source) => source.includes(`from '${name}'`))
  for (const kind of ['dependencies', 'devDependencies'] as const) {
    const needed = Object.entries(manifest[kind]).filter(([name]) => isNeeded(name))
    // In the order of a formatter, whatever the scope is called.
    manifest[kind] = Object.fromEntries(needed.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
  if (!tests) delete scripts['test']
  if (!typescript) scripts['check'] = scripts['check']!.replace('tsc && ', '')
  return `${JSON.stringify(manifest, null, 2)}\n`
}
