import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { originOf } from '../scope.ts'
import {
  entriesOf,
  filesBelow,
  readApps,
  readPackages,
  repositoryUrl,
  root,
  shortName,
  type Manifest,
} from '../workspace.ts'
import { ambientUses } from './ambient.ts'
import { AMBIENT } from './ambient-allowed.ts'
import { undocumented } from './docstrings.ts'
import { blockingWithoutTwin } from './twins.ts'
import { droppedSteps, stepNames, strayGenerators } from './dropped-steps.ts'
import { eagerImports, hasRuntime, starExports } from './imports.ts'
import { parseFile, shippedFiles } from './source.ts'

const packages = readPackages()
/** Without the site, which is a workspace of its own. */
const apps = readApps().filter(({ folder }) => folder !== 'apps/site')
const shipped = packages.flatMap(({ folder }) => shippedFiles(folder)).map(parseFile)
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

describe.each(packages)('$name', (each) => {
  const sources = shipped.filter(({ file }) => file.startsWith(`${each.folder}/`))
  const entries = Object.values(entriesOf(each)).map((file) => posix.join(each.folder, file))

  it('explains every export in a sentence', () => {
    expect(sources.flatMap(undocumented)).toEqual([])
  })

  it('names every export of its entries', () => {
    expect(entries.flatMap((file) => starExports(parseFile(file)))).toEqual([])
  })

  it('has a blocking operation only beside the one that waits', () => {
    expect(sources.flatMap(blockingWithoutTwin)).toEqual([])
  })

  it('reaches for clock, random numbers, environment and network only where that is allowed', () => {
    const allowed = new Set(AMBIENT[shortName(each.name)])
    const uses = sources.flatMap((source) =>
      ambientUses(source).map((use) => ({ place: posix.relative(`${each.folder}/src`, source.file), use })),
    )
    expect(uses.filter(({ place }) => !allowed.has(place)).map(({ place, use }) => `${place}:${use}`)).toEqual([])
    // The list may only shrink: an entry that is no longer needed goes.
    expect([...allowed].filter((file) => uses.every(({ place }) => place !== file))).toEqual([])
  })

  it('packs the entries that it has here, without the condition of the sources', () => {
    const packed = Object.entries(each.manifest.exports ?? {}).map(([entry, conditions]) => [
      entry,
      Object.fromEntries(Object.entries(conditions).filter(([condition]) => !condition.endsWith('/source'))),
    ])
    expect(each.manifest.publishConfig?.exports ?? {}).toEqual(Object.fromEntries(packed))
  })

  it('has a manifest that tells what it is, where it comes from and where it runs', () => {
    const { version, description, keywords = [], license, engines, publishConfig, ...rest } = each.manifest
    expect(rest).toMatchObject(originOf(repositoryUrl(), each.folder))
    expect({ license, node: engines?.node, access: publishConfig?.access }).toEqual({
      license: 'MIT',
      node: '>=22.19',
      access: 'public',
    })
    expect(description).toMatch(/^[A-Z].*\.$/)
    // A registry finds packages by these words.
    expect(keywords.slice(0, 3)).toEqual(['agents', 'ai', 'llm'])
    expect(keywords.length).toBeGreaterThan(4)
    expect(keywords.filter((word, at) => keywords.indexOf(word) !== at || !/^[a-z0-9-]+$/.test(word))).toEqual([])
    // All packages have one version: the same number fits together.
    expect(version).toBe(packages[0]!.manifest.version)
  })

  it('names no version but its own to servers', () => {
    // A schema of OpenTelemetry has a version of its own.
    const named = sources.flatMap(({ text }) =>
      [...text.matchAll(/(?<=['/])(?<!\/schemas\/)\d+\.\d+\.\d+(?=')/g)].map(([version]) => version),
    )
    // A server of a program that gives no version has 0.0.0.
    expect(named.filter((version) => ![each.manifest.version, '0.0.0'].includes(version))).toEqual([])
  })

  it('is not packed without a whole build', () => {
    expect(each.manifest.scripts?.['prepack']).toBe('node ../../scripts/prepack.ts')
  })

  it('has a README that says what it is, how to install, use, configure and extend it', () => {
    const wanted = [`# ${each.name}`, '## Install', '## Use', '## Options', '## Extend']
    const headings = readFileSync(join(root, each.folder, 'README.md'), 'utf8').match(/^##? .*/gm) ?? []
    expect(headings.filter((heading) => wanted.includes(heading))).toEqual(wanted)
  })
})

const isLibrary = ({ manifest }: { readonly manifest: Manifest }): boolean => manifest.exports !== undefined

describe.each(
  packages.filter((each) => isLibrary(each) && !['testing', 'exec', 'session'].includes(shortName(each.name))),
)('$name', (each) => {
  it('loads no module of Node by its main entry, so that it bundles for other runtimes', () => {
    const main = entriesOf(each)['.']!
    expect(eagerImports(posix.join(each.folder, main)).filter((name) => name.includes('node:'))).toEqual([])
  })
})

describe.each([...packages, ...apps])('$name', ({ folder, manifest }) => {
  it('refers in its tsconfig.json to the packages it depends on', () => {
    const { references = [] } = JSON.parse(readFileSync(join(root, folder, 'tsconfig.json'), 'utf8')) as Project
    const source = shippedFiles(folder)
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n')
    const depended = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
      .filter(([name, version]) => version.startsWith('workspace:') && source.includes(`'${name}`))
      .map(([name]) => shortName(name))
    expect(references.map(({ path }) => posix.basename(path))).toEqual(expect.arrayContaining(depended))
  })
})

describe.each(packages.filter(({ name }) => /\/provider-(?!kit$)/.test(name)))('$name', ({ folder }) => {
  it('is held to the contract of providers', () => {
    const tests = filesBelow(`${folder}/src`).filter((file) => file.endsWith('.test.ts'))
    expect(tests.some((file) => /^\s*providerContract\(/m.test(readFileSync(join(root, file), 'utf8')))).toBe(true)
  })
})

interface Project {
  readonly references?: readonly { readonly path: string }[]
}

describe('the workspace', () => {
  it('builds every package and app', () => {
    const { references = [] } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')) as Project
    const built = references.map(({ path }) => path).toSorted()
    expect(built).toEqual(expect.arrayContaining([...packages, ...apps].map(({ folder }) => folder)))
  })

  it('has nothing but types in interfaces', () => {
    const files = shippedFiles('packages/interfaces').map(parseFile)
    expect(files.filter(hasRuntime).map(({ file }) => file)).toEqual([])
  })

  it('writes steps in `*.steps.ts` only, and drops none', () => {
    expect(shipped.flatMap(strayGenerators)).toEqual([])
    const names = stepNames(shipped)
    expect([...names]).toEqual(expect.arrayContaining(['wait', 'all', 'pool', 'each', 'currentRun']))
    expect(
      shipped.filter(({ file }) => file.endsWith('.steps.ts')).flatMap((each) => droppedSteps(each, names)),
    ).toEqual([])
  })

  it('explains every error code in docs/errors.md, and no other', () => {
    const [, union = ''] = /type ErrorCode =([^/]*)/.exec(parseFile('packages/interfaces/src/error.ts').text) ?? []
    const codes = union.match(/[\w-]+/g) ?? []
    expect(codes).toContain('model-failed')
    const explained = readFileSync(join(root, 'docs/errors.md'), 'utf8').match(/^### `([\w-]+)`/gm) ?? []
    expect(explained.map((heading) => heading.slice(5, -1)).toSorted()).toEqual(codes.toSorted())
  })

  it('calls no file by what holds everything', () => {
    const vague = /(?:^|\/)(?:utils?|helpers?|common|misc|manager|impl)(?:\/|\.ts$)/
    expect(tracked.filter((file) => vague.test(file))).toEqual([])
  })

  it('names no folder of the machine it was written on', () => {
    const place = /(?<![\w.:/-])\/(?:work|root)\/[\w.]/
    const texts = tracked.filter(
      (file) => /\.(?:ts|md|jsonc?|ya?ml|txt)$|\.ci\/run$/.test(file) && !file.startsWith('apps/traces/data/'),
    )
    expect(texts.filter((file) => place.test(readTracked(file)))).toEqual([])
  })

  it('links in documents to files that are there', () => {
    const broken = tracked
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) =>
        [...readTracked(file).matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)]
          .map(([, target = '']) => posix.join(posix.dirname(file), target))
          .filter((target) => !existsSync(join(root, target)))
          .map((target) => `${file} -> ${target}`),
      )
    expect(broken).toEqual([])
  })

  it('names one version of pnpm everywhere', () => {
    const { packageManager } = JSON.parse(readTracked('package.json')) as { packageManager: string }
    const named = tracked
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => readTracked(file).match(/pnpm@\d[\d.]*\d/g) ?? [])
    expect(new Set(named)).toEqual(new Set([packageManager]))
  })

  it('numbers its decisions once', () => {
    const numbers = decisionFiles().map((file) => file.slice(0, 4))
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
    expect(numbers.filter((number) => !/^\d{4}$/.test(number))).toEqual([])
  })

  it('keeps at most 95 decisions', () => {
    expect(decisionFiles().length).toBeLessThanOrEqual(95)
  })

  it('lists every decision once in docs/decisions/README.md, by its title', () => {
    const [subjects = ''] = readTracked('docs/decisions/README.md').split('\n## Where each number lives\n')
    const listed = [...subjects.matchAll(/^\| \[(\d{4})\]\(([^)]+)\) +\| (.*?) +\|/gm)].map(
      ([, number, file, title]) => ({
        file,
        heading: `# ${number}: ${title}`,
      }),
    )
    const records = decisionFiles().map((file) => ({
      file,
      heading: readTracked(`docs/decisions/${file}`).split('\n', 1).join(),
    }))
    expect(listed.toSorted((a, b) => (a.file! < b.file! ? -1 : 1))).toEqual(
      records.toSorted((a, b) => (a.file < b.file ? -1 : 1)),
    )
  })

  it('says in docs/decisions/README.md where every number of a decision lives', () => {
    const [, table = ''] = readTracked('docs/decisions/README.md').split('\n## Where each number lives\n')
    const rows = [...table.matchAll(/^\| (\d{4}) +\| (.*?) +\|$/gm)].map(([, number = '', home = '']) => ({
      number,
      home,
      files: [...home.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file),
    }))
    const files = decisionFiles()
    const highest = Math.max(...files.map((file) => Number(file.slice(0, 4))))
    const everyNumber = Array.from({ length: highest }, (_, index) => String(index + 1).padStart(4, '0'))
    expect(rows.map(({ number }) => number)).toEqual(everyNumber)
    expect(rows.filter(({ home, files: homes }) => (home === 'never used') !== (homes.length === 0))).toEqual([])
    expect(rows.flatMap((row) => row.files).filter((file) => !files.includes(file))).toEqual([])
    const standing = rows.filter(({ number }) => files.some((file) => file.startsWith(number)))
    expect(standing.filter(({ number, files: homes }) => homes.length !== 1 || !homes[0]!.startsWith(number))).toEqual(
      [],
    )
  })
})

/** The names of the records in `docs/decisions`, without the index. */
function decisionFiles(): string[] {
  return filesBelow('docs/decisions')
    .map((file) => posix.basename(file))
    .filter((file) => file !== 'README.md')
}

/** A file of the index, which may just have been removed from the folder. */
function readTracked(file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return ''
  }
}
