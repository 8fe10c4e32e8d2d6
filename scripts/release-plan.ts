import { staleTrials, type Evidence } from '../apps/live/src/evidence.ts'
import type { Manifest } from './workspace.ts'

/** A package as it would be released. */
export interface ReleasedPackage {
  readonly manifest: Manifest
  readonly bytes: number
  /** Whether the registry has this version: no, with the same contents, or with others. */
  readonly published: 'no' | 'same' | 'other'
}

/** The state of the repository, of which a release would be made. */
export interface RepositoryState {
  readonly version: string
  readonly packages: readonly { readonly manifest: Manifest }[]
  readonly branch: string
  /** Files that no commit contains as they are. */
  readonly changes: readonly string[]
  readonly changelog: string
  /** The address of the repository. */
  readonly repository: string
  readonly registry: string
}

/** The state of the registry beside what would be published. */
export interface RegistryState {
  readonly version: string
  readonly packages: readonly ReleasedPackage[]
  /** Names of changesets that no version contains. */
  readonly changesets: readonly string[]
  /** The commit that has the tag of the version, if one has it, and the commit that would be released. */
  readonly tagged: string | undefined
  readonly head: string
}

/** The branch that is released. */
const RELEASE_BRANCH = 'main'

/** How many names a refusal lists. */
const LISTED_NAMES = 5

/** Lists what keeps the repository from a release, before anything is built; each says what to do. */
export function repositoryRefusals(state: RepositoryState): string[] {
  const { version, packages, branch, changes, changelog, repository, registry } = state
  const other = packages.find(({ manifest }) => manifest.version !== version)?.manifest
  const heading = new RegExp(`^## ${version.replaceAll('.', String.raw`\.`)}(?: |$)`, 'mu')
  return [
    changes.length > 0 && `the tree has changes: commit or remove ${listed(changes)}`,
    branch !== RELEASE_BRANCH && `this is the branch \`${branch}\`: releases are made of \`${RELEASE_BRANCH}\``,
    other && `${other.name} has the version ${other.version} and not ${version}: all packages have one`,
    !heading.test(changelog) && `CHANGELOG.md says nothing of ${version}: write a section \`## ${version}\``,
    // An address of documentation, which leads nowhere.
    /\.example(?:\/|$)/u.test(repository) &&
      !isLoopback(registry) &&
      `the repository is still ${repository}: run \`pnpm rename-scope <scope> --repository <address>\``,
  ].filter((refusal) => typeof refusal === 'string')
}

/** Lists what in the registry speaks against a release. A broken one goes on: what is there with the same contents is left. */
export function registryRefusals({ version, packages, changesets, tagged, head }: RegistryState): string[] {
  const names = (wanted: ReleasedPackage['published']): string[] =>
    packages.filter(({ published }) => published === wanted).map(({ manifest }) => manifest.name)
  const isPublished = names('no').length === 0
  const next = 'run `pnpm release --next` and commit'
  const pending = `${changesets.length} changesets are in no version (${listed(changesets)})`
  return [
    changesets.length > 0 &&
      (isPublished
        ? `${pending}: ${next}`
        : `${pending}, and ${version} is not published: move what they say into its section of CHANGELOG.md, and delete them`),
    changesets.length === 0 &&
      isPublished &&
      tagged !== undefined &&
      `${version} is published: add a changeset, ${next}`,
    !isPublished &&
      tagged !== undefined &&
      tagged !== head &&
      `the tag v${version} is at ${tagged.slice(0, 8)} and not here: release from there, or delete the tag`,
    names('other').length > 0 &&
      `${version} of ${listed(names('other'))} is published with other contents: go on from the commit of which it was published, or make the next version`,
  ].filter((refusal) => typeof refusal === 'string')
}

/** The gate of the vendors: how the plan shows it, and why it refuses a release. */
export interface LiveGate {
  readonly shown: string
  readonly refusals: readonly string[]
}

/**
 * Judges what `pnpm live` has written: every capability passed against the real vendor in the last days, or a person waives it
 * by name and reason, as in `Ann Lee: the vendor is down`.
 */
export function liveGate(evidence: Evidence, today: string, waiver: string | undefined): LiveGate {
  if (waiver !== undefined) {
    if (!/^[^:\n]*[^:\s][^:\n]*:\s*\S/u.test(waiver))
      return { shown: 'refused', refusals: [`\`--waive-live ${waiver}\` has no name or reason: write "name: reason"`] }
    return { shown: `waived by ${waiver}`, refusals: [] }
  }
  const stale = staleTrials(evidence, today)
  if (stale.length === 0) return { shown: 'passed', refusals: [] }
  const remedy = 'run `pnpm live --budget 1` with the keys and commit, or waive it with `--waive-live "name: reason"`'
  return { shown: 'refused', refusals: [`the real vendors do not stand behind it (${listed(stale)}): ${remedy}`] }
}

/** Puts packages behind those that they depend on, so that nobody can install one whose dependency is not there yet. */
export function inPublishOrder<P extends { readonly manifest: Manifest }>(packages: readonly P[]): P[] {
  const byName = new Map(packages.map((each) => [each.manifest.name, each]))
  const ordered = new Set<P>()
  const visit = (each: P, path: readonly P[]): void => {
    if (path.includes(each)) throw new Error(`cannot order the packages: ${each.manifest.name} depends on itself`)
    for (const name of Object.keys({ ...each.manifest.dependencies, ...each.manifest.peerDependencies })) {
      const needed = byName.get(name)
      if (needed) visit(needed, [...path, each])
    }
    ordered.add(each)
  }
  for (const each of packages) visit(each, [])
  return [...ordered]
}

/** Tells whether a publish is given provenance: only npm's registry takes it, and only of a build that can prove where it ran. */
export function provenanceOf(
  registry: string,
  env: Readonly<Record<string, string | undefined>>,
): { readonly given: boolean; readonly why: string } {
  if (new URL(registry).hostname !== 'registry.npmjs.org') return { given: false, why: 'this registry takes none' }
  if (env['ACTIONS_ID_TOKEN_REQUEST_URL']) return { given: true, why: 'by GitHub' }
  if (env['SIGSTORE_ID_TOKEN']) return { given: true, why: 'by GitLab' }
  return { given: false, why: 'this is no build of GitHub or GitLab with a token for it' }
}

/** A changeset: the packages that it concerns, and what it says. */
export interface Changeset {
  readonly bumps: Readonly<Record<string, string>>
  readonly text: string
}

/** Reads a file of `.changeset`. */
export function readChangeset(file: string): Changeset {
  const [, head, text] = /^---\n([^]*?)\n?---\n([^]*)$/u.exec(file) ?? []
  if (head === undefined || text === undefined)
    throw new Error(`cannot read a changeset that begins with ${JSON.stringify(file.slice(0, 40))}`)
  const bumps = [...head.matchAll(/^['"]?([^'"\n]+?)['"]?: (\w+)$/gmu)].map(([, name = '', bump = '']) => [name, bump])
  return { bumps: Object.fromEntries(bumps) as Record<string, string>, text: text.trim() }
}

/** Writes the section of a version into the changelog, above those before: what is new, then what is mended. */
export function addSection(changelog: string, version: string, date: string, changesets: readonly Changeset[]): string {
  const isNew = ({ bumps }: Changeset): boolean => Object.values(bumps).some((bump) => bump !== 'patch')
  const told = changesets.filter(({ text }) => text !== '')
  const parts = [
    ['New and changed', told.filter(isNew)],
    ['Mended', told.filter((each) => !isNew(each))],
  ] as const
  const section = parts
    .filter(([, those]) => those.length > 0)
    .map(([title, those]) => `### ${title}\n\n${those.map(entryOf).join('\n')}\n`)
    .join('\n')
  const at = changelog.search(/^## /mu)
  if (at < 0) throw new Error('cannot add a section to CHANGELOG.md: it has none yet')
  return `${changelog.slice(0, at)}## ${version} (${date})\n\n${section}\n${changelog.slice(at)}`
}

function entryOf({ bumps, text }: Changeset): string {
  const names = Object.keys(bumps).map((name) => `\`${name}\``)
  return `- ${names.join(', ')}: ${text.replaceAll(/\n(?=[^\n])/gu, '\n  ')}`
}

function isLoopback(registry: string): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])$/u.test(new URL(registry).hostname)
}

function listed(names: readonly string[]): string {
  const rest = names.length - LISTED_NAMES
  return `${names.slice(0, LISTED_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
