/**
 * Releases all packages in their one version.
 *
 *   pnpm release               tries everything, prints the plan, and publishes nothing
 *   pnpm release --publish     publishes what the registry does not have yet, in order of dependence, and tags the commit
 *   pnpm release --next        makes the next version of the changesets, to be committed
 *
 * `--waive build,package,consumer` leaves out gates by name, and `--waive-live "name: reason"` that of the vendors (`pnpm live`),
 * which plan and tag then tell. `--registry` and `--tag` are those of `pnpm publish`. A publish that broke off goes on when it
 * is called again: what is there with the same contents is skipped.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { EVIDENCE_FILE, type Evidence } from '../apps/live/src/evidence.ts'
import { pack } from './pack.ts'
import {
  addSection,
  inPublishOrder,
  liveGate,
  provenanceOf,
  readChangeset,
  registryRefusals,
  repositoryRefusals,
  type ReleasedPackage,
} from './release-plan.ts'
import { filesBelow, isTestFile, readPackages, repositoryUrl, root, type WorkspacePackage } from './workspace.ts'

/** Commands that have to succeed before a release, by the names under which they are waived. */
const GATES: Readonly<Record<string, readonly string[]>> = {
  build: ['run', 'build'],
  package: ['run', 'check:package'],
  consumer: ['run', 'check:consumer'],
}

/** What a release needs to know of a package, and its tarball. */
type PackedPackage = ReleasedPackage & { readonly tarball: string }

const { values } = parseArgs({
  options: {
    publish: { type: 'boolean', default: false },
    next: { type: 'boolean', default: false },
    registry: { type: 'string' },
    tag: { type: 'string', default: 'latest' },
    waive: { type: 'string', default: '' },
    'waive-live': { type: 'string' },
  },
})
if (values.next) makeNextVersion()
else await release()

async function release(): Promise<void> {
  const published = readPackages().filter(({ manifest }) => !manifest.private)
  const { version } = published[0]!.manifest
  const registry = (values.registry ?? registryOf(published[0]!.name)).replace(/\/*$/u, '/')
  const waived = values.waive.split(',').filter(Boolean)
  const unknown = waived.find((name) => !Object.hasOwn(GATES, name))
  if (unknown) throw new Error(`cannot waive \`${unknown}\`: the gates are ${Object.keys(GATES).join(', ')}`)
  const evidence = JSON.parse(readFileSync(join(root, EVIDENCE_FILE), 'utf8')) as Evidence
  const live = liveGate(evidence, new Date().toISOString().slice(0, 10), values['waive-live'])
  const state = repositoryRefusals({
    version,
    registry,
    packages: published,
    branch: git('branch', '--show-current'),
    changes: git('status', '--porcelain')
      .split('\n')
      .filter(Boolean)
      .map((line) => line.slice(3)),
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    repository: repositoryUrl(),
  })
  const here = [...state, ...live.refusals]
  if (values.publish && here.length > 0) return refuse(here)
  for (const [name, args] of Object.entries(GATES)) if (!waived.includes(name)) run('pnpm', ...args)
  const packages = await packed(published, registry)
  const tag = `v${version}`
  const tagged = git('tag', '--list', tag) === '' ? undefined : git('rev-list', '-n', '1', tag)
  const head = git('rev-parse', 'HEAD')
  const provenance = provenanceOf(registry, process.env)
  console.log(`\n${version} of ${head.slice(0, 8)} to ${registry} as \`${values.tag}\`:\n`)
  for (const each of packages) console.log(rowOf(each))
  const gates = Object.keys(GATES).map((name) => `${name} ${waived.includes(name) ? 'waived' : 'passed'}`)
  console.log(
    `\ngates: ${[...gates, `live ${live.shown}`].join(', ')}\nprovenance: ${provenance.given ? 'yes' : 'no'}, ${provenance.why}`,
  )
  const refusals = [...here, ...registryRefusals({ version, packages, changesets: changesetFiles(), tagged, head })]
  if (refusals.length > 0) return refuse(refusals)
  if (!values.publish) return console.log('nothing is published without `--publish`')
  const flags = ['--no-git-checks', '--access', 'public', '--registry', registry, '--tag', values.tag]
  if (provenance.given) flags.push('--provenance')
  for (const each of packages) if (each.published === 'no') run('pnpm', 'publish', each.tarball, ...flags)
  if (tagged === undefined) git('tag', '--annotate', tag, '--message', `Release ${version}\n\nVendors: ${live.shown}`)
  console.log(`published ${version}; now run \`git push origin ${tag}\``)
}

function refuse(refusals: readonly string[]): void {
  for (const refusal of refusals) console.log(`refused: ${refusal}`)
  process.exitCode = 1
}

/** A line of the plan. */
function rowOf({ manifest, bytes, published }: PackedPackage): string {
  const size = `${Math.ceil(bytes / 1000)} kB`
  return `  ${manifest.name.padEnd(24)} ${size.padStart(7)}${published === 'no' ? '' : '  is there'}`
}

/** Packs packages in the order in which they are published, and looks for them in a registry. */
async function packed(packages: readonly WorkspacePackage[], registry: string): Promise<PackedPackage[]> {
  const tarballs = pack(join(root, '.cache/release'))
  return await Promise.all(
    inPublishOrder(packages).map(async ({ name, manifest }) => {
      const tarball = tarballs.get(name)!
      const content = readFileSync(tarball)
      return { manifest, tarball, bytes: content.length, published: await lookUp(registry, manifest, content) }
    }),
  )
}

/** Asks a registry for a version. */
async function lookUp(
  registry: string,
  { name, version }: WorkspacePackage['manifest'],
  content: Buffer,
): Promise<ReleasedPackage['published']> {
  const response = await fetch(new URL(name.replace('/', '%2f'), registry))
  if (response.status === 404) return 'no'
  if (!response.ok) throw new Error(`cannot look for ${name} in ${registry}: it answers ${response.status}`)
  const { versions = {} } = (await response.json()) as {
    readonly versions?: Record<string, { readonly dist: { readonly integrity?: string } }>
  }
  const found = versions[version]
  if (!found) return 'no'
  const digest = createHash('sha512').update(content).digest('base64')
  return found.dist.integrity === `sha512-${digest}` ? 'same' : 'other'
}

/** Writes the texts of the changesets into the changelog, and the version that follows from them wherever one stands. */
function makeNextVersion(): void {
  const files = changesetFiles()
  if (files.length === 0) throw new Error('cannot make the next version: no changeset is there; run `pnpm changeset`')
  const changesets = files.map((file) => readChangeset(readFileSync(join(root, '.changeset', file), 'utf8')))
  const { name, manifest } = readPackages()[0]!
  const scope = name.slice(0, name.indexOf('/'))
  const oldPattern = manifest.version.replaceAll('.', String.raw`\.`)
  run('changeset', 'version')
  const { version } = readPackages()[0]!.manifest
  const date = new Date().toISOString().slice(0, 10)
  rewrite('CHANGELOG.md', (text) => addSection(text, version, date, changesets))
  // The adapters and clients that name their version to a server.
  for (const file of readPackages().flatMap(({ folder }) => filesBelow(`${folder}/src`)))
    if (file.endsWith('.ts') && !isTestFile(file))
      rewrite(file, (text) => text.replaceAll(new RegExp(`(?<=['/])${oldPattern}'`, 'gu'), `${version}'`))
  const templates = readdirSync(join(root, 'templates')).map((template) => `templates/${template}`)
  for (const template of [...templates, 'packages/create/templates/project'])
    rewrite(`${template}/package.json`, (text) =>
      text.replaceAll(new RegExp(`(?<="${scope}/[\\w-]+": "\\^)${oldPattern}"`, 'gu'), `${version}"`),
    )
  console.log(`${version}: read CHANGELOG.md, run \`pnpm build\` and the checks, and commit`)
}

function rewrite(file: string, edit: (text: string) => string): void {
  const text = readFileSync(join(root, file), 'utf8')
  const edited = edit(text)
  if (edited !== text) writeFileSync(join(root, file), edited)
}

function changesetFiles(): string[] {
  return readdirSync(join(root, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md')
}

/** The registry that settings of npm and pnpm name for a package. */
function registryOf(name: string): string {
  const setting = (key: string): string =>
    execFileSync('pnpm', ['config', 'get', key], { cwd: root, encoding: 'utf8' }).trim()
  const ofScope = setting(`${name.slice(0, name.indexOf('/'))}:registry`)
  return ofScope === '' || ofScope === 'undefined' ? setting('registry') : ofScope
}

function run(command: string, ...args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`\`${command} ${args.join(' ')}\` failed; call \`pnpm release\` again to go on`)
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd()
}
