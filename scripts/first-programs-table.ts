import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.ts'

/** The document with the tables, as a path from the root. */
export const FIRST_PROGRAMS_DOCUMENT = 'docs/first-programs.md'

/** The folder with one folder for each framework, as a path from the root. */
export const FIRST_PROGRAMS_FOLDER = 'examples/first-programs'

/** The file with the peers and the versions of their packages, as a path from the root. */
export const PEERS_FILE = `${FIRST_PROGRAMS_FOLDER}/peers.json`

/** The folder of our programs. */
export const OURS = 'x'

/** The programs by their files, each with what it does. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  '1-hello.ts': 'one answer',
  '2-stream.ts': 'the answer as it comes',
  '3-tool.ts': 'a tool with typed arguments',
  '4-structured.ts': 'a typed result',
  '5-endpoint.ts': 'an endpoint that streams, and stops when its client leaves',
}

/** The peers by their folders, with versions that were the newest on a date. */
export interface Peers {
  /** Day of the versions in UTC, as `2026-01-31`. */
  readonly date: string
  readonly peers: Readonly<Record<string, Peer>>
}

/** A framework that ours is compared with. */
export interface Peer {
  readonly name: string
  /** Exact versions of the packages that its programs install, the framework first. */
  readonly packages: Readonly<Record<string, string>>
}

/** Reads the peers and the versions of their packages. */
export function readPeers(): Peers {
  return JSON.parse(readFileSync(join(root, PEERS_FILE), 'utf8')) as Peers
}

/** Lists the programs of a folder. */
export function programsIn(folder: string): string[] {
  return readdirSync(join(root, FIRST_PROGRAMS_FOLDER, folder)).toSorted()
}

/** Counts the lines of a program that are not blank. */
export function linesOf(folder: string, program: string): number {
  const text = readFileSync(join(root, FIRST_PROGRAMS_FOLDER, folder, program), 'utf8')
  return text.split('\n').filter((line) => line.trim() !== '').length
}

const BLOCK = /(<!-- first-programs: (?<kind>lines|versions) -->\n)[^]*?(?=<!-- end -->)/g

/**
 * Writes into a document the table of the lines of all programs, and that of the versions of the peers. Each stands between
 * `<!-- first-programs: lines -->`, or `versions`, and `<!-- end -->`.
 */
export function withFirstPrograms(document: string, { date, peers }: Peers = readPeers()): string {
  const tables: Readonly<Record<string, string>> = {
    lines: tableOfLines(peers),
    versions: tableOfVersions(date, peers),
  }
  return document.replaceAll(BLOCK, (...match) => {
    const { kind = '' } = match.at(-1) as Record<string, string>
    return `${match[1]}\n${tables[kind]}\n\n`
  })
}

function tableOfLines(peers: Peers['peers']): string {
  const folders = [OURS, ...Object.keys(peers)]
  const head = folders.map((folder) => `[${peers[folder]?.name ?? 'ours'}](../${FIRST_PROGRAMS_FOLDER}/${folder})`)
  const rows = Object.entries(PROGRAMS).map(([program, what]) => [
    what,
    ...folders.map((folder) => String(linesOf(folder, program))),
  ])
  return table([['program', ...head], ...rows])
}

function tableOfVersions(date: string, peers: Peers['peers']): string {
  const rows = Object.values(peers).map(({ name, packages }) => [
    name,
    Object.entries(packages)
      .map(([each, version]) => `\`${each}@${version}\``)
      .join(', '),
  ])
  return table([['framework', `packages, the newest on ${date}`], ...rows])
}

/** A table with aligned columns, as the formatter leaves it. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const [head, ...body] = rows.map(line)
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n')
}
