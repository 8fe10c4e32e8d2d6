/** Type-checks the code of documents that is copied from no file. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entriesOf, readPackages, root } from './workspace.ts'

/** A block of code in a document. */
export interface LooseSnippet {
  /** The document and the line of the block, as `docs/a.md:12`. */
  readonly place: string
  readonly code: string
}

interface Diagnostic {
  /** Index of the snippet. */
  readonly index: number
  readonly code: string
  readonly text: string
}

const BLOCK = /(?<note><!-- [^>]*-->\n+)?```ts\n(?<code>[^]*?)```/gu
const DIAGNOSTIC = /^(?<index>\d+)\.ts\(\d+,\d+\): error (?<code>TS\d+): (?<text>.*)$/gmu
/** A name that a block leaves out, since the text around it says what it is. */
const MISSING_NAME = /^(?:Cannot find name|No value exists in scope for the shorthand property) '(\w+)'/u
/** A module of the reader, and the end of a function of which a block shows the last lines. */
const OF_THE_READER = /^TS2307 Cannot find module '(?!@x\/)|^TS1108 /u
/** The first line of a method, which belongs into an object. */
const METHOD = /^async run\(/u

/** Lists the blocks of all documents for users into which `pnpm fix` copies nothing. */
export function looseSnippets(): LooseSnippet[] {
  const docs = readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))
  const files = ['README.md', ...docs, ...readPackages().map(({ folder }) => `${folder}/README.md`)]
  return files.flatMap((file) => {
    const document = readFileSync(join(root, file), 'utf8')
    return [...document.matchAll(BLOCK)].flatMap(({ index, groups }) =>
      groups!['note']
        ? []
        : [{ place: `${file}:${document.slice(0, index).split('\n').length}`, code: groups!['code']! }],
    )
  })
}

/**
 * Returns what the compiler says of snippets, each problem with its place. A name that a snippet leaves out is the export of that
 * name of a package, or may be anything.
 */
export function problemsOf(snippets: readonly LooseSnippet[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'snippets-'))
  try {
    symlinkSync(join(root, 'examples/node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(compilerSettings()))
    snippets.forEach(({ code }, index) => {
      const whole = METHOD.test(code) ? `void ({\n${code}})` : code
      writeFileSync(join(folder, `${index}.ts`), `${whole}\nexport {}\n`)
    })
    const leftOut = namesLeftOut(compile(folder))
    const packages = packageByExport()
    for (const [index, names] of leftOut) {
      const file = join(folder, `${index}.ts`)
      const declared = [...names].map((name) =>
        packages.has(name)
          ? `import { ${name} } from '${packages.get(name)}'`
          : `declare let ${name}: any; type ${name} = any`,
      )
      writeFileSync(file, `${declared.join('\n')}\n${readFileSync(file, 'utf8')}`)
    }
    return compile(folder).flatMap(({ index, code, text }) =>
      OF_THE_READER.test(`${code} ${text}`) ? [] : [`${snippets[index]!.place} ${text}`],
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The names that are declared nowhere, by the index of their snippet. */
function namesLeftOut(diagnostics: readonly Diagnostic[]): Map<number, Set<string>> {
  const names = new Map<number, Set<string>>()
  for (const { index, text } of diagnostics) {
    const name = MISSING_NAME.exec(text)?.[1]
    if (name) names.set(index, (names.get(index) ?? new Set()).add(name))
  }
  return names
}

/** The package of each export of a main entry. */
function packageByExport(): Map<string, string> {
  const exports = readPackages().flatMap((each) => {
    const source = readFileSync(join(root, each.folder, entriesOf(each)['.'] ?? 'package.json'), 'utf8')
    const lists = [...source.matchAll(/export (?:type )?\{([^}]*)\}/gu)].map(([, list]) => list!)
    return lists.flatMap((list) => list.match(/\w+(?=\s*(?:,|$))/gu) ?? []).map((name) => [name, each.name] as const)
  })
  return new Map(exports)
}

function compilerSettings(): object {
  const sources = readPackages().flatMap((each) =>
    Object.entries(entriesOf(each)).map(([entry, file]) => [
      each.name + entry.slice(1),
      [join(root, each.folder, file)],
    ]),
  )
  return {
    extends: join(root, 'tsconfig.test.json'),
    include: ['*.ts'],
    exclude: [],
    compilerOptions: {
      paths: Object.fromEntries(sources) as object,
      typeRoots: [join(root, 'node_modules/@types')],
      // A snippet imports types and values in one line, and leaves out the types of parameters.
      verbatimModuleSyntax: false,
      noImplicitAny: false,
    },
  }
}

function compile(folder: string): Diagnostic[] {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return [...stdout.matchAll(DIAGNOSTIC)].map(({ groups }) => {
    const { index, code, text } = groups as { index: string; code: string; text: string }
    return { index: Number(index), code, text }
  })
}
