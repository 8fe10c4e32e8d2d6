import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AfterDamage } from './host-runs.ts'

/** The files of a golden state, by their names. */
export type Files = Readonly<Record<string, string>>

/** Golden rows of a host of which one cell of the chat `asks` is damaged, with the name of the damage. */
export type DamagedRows = Iterable<readonly [what: string, files: Files]>

/** A stored format. */
export interface GoldenFormat {
  /** The version that this release writes. */
  readonly version: number
  /** Writes the files by the code that programs use. */
  write(): Promise<Files>
  /**
   * Reads the files and goes on to the end; fails as a program would. Returns what came out, as plain JSON. `asked` of it is
   * the number of calls that were made: more of them where the end of a journal is missing.
   */
  read(files: Files): Promise<Readonly<Record<string, unknown>>>
  /** The files as a newer release would write them; absent where no reader can tell. */
  newer?(files: Files): Files
  /** False for files of a database, which itself tells a damaged page. Default: true. */
  readonly isText?: boolean
  /** The rows of a host, damaged in many ways, and how it goes on with them. */
  readonly rows?: {
    readonly damaged: (files: Files) => DamagedRows
    goOn(files: Files): Promise<AfterDamage>
  }
}

/** Where golden files are kept: a folder for each version of a format. */
export const GOLDEN_FOLDER: string = join(import.meta.dirname, '../../etc/golden')

/** Name of the file with what {@link GoldenFormat.read} returned when the golden files were written. */
const RESULT_FILE = 'result.json'

/** The golden files of a folder, with the result beside them. */
export function readGolden(folder: string): { readonly files: Files; readonly result: unknown } {
  const texts = Object.fromEntries(
    readdirSync(join(GOLDEN_FOLDER, folder)).map((name) => [
      name,
      readFileSync(join(GOLDEN_FOLDER, folder, name), 'utf8'),
    ]),
  )
  const { [RESULT_FILE]: result = 'null', ...files } = texts
  return { files, result: JSON.parse(result) as unknown }
}

/** Writes golden files; those that exist are never written again. Returns false then. */
export async function writeGolden(name: string, format: GoldenFormat): Promise<boolean> {
  const folder = join(GOLDEN_FOLDER, `${name}-${format.version}`)
  try {
    mkdirSync(dirname(folder), { recursive: true })
    mkdirSync(folder)
  } catch {
    return false
  }
  try {
    const files = await format.write()
    const result = await format.read(files)
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { flag: 'wx' })
    writeFileSync(join(folder, RESULT_FILE), `${JSON.stringify(result, null, 1)}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
}

/** The statements that make a database, its version included. */
export function dumpDatabase(path: string): string {
  const db = new DatabaseSync(path)
  const own = db.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'").all()
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  const { user_version: version } = db.prepare('PRAGMA user_version').get()!
  const { application_id: application } = db.prepare('PRAGMA application_id').get()!
  const statements = [
    ...own.map(({ sql }) => String(sql)),
    ...tables.flatMap(({ name }) =>
      db
        .prepare(`SELECT * FROM ${String(name)}`)
        .all()
        .map((row) => {
          const values = Object.values(row).map((value) =>
            typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? 'NULL'),
          )
          return `INSERT INTO ${String(name)} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')})`
        }),
    ),
    `PRAGMA user_version = ${String(version)}`,
    ...(application === 0 ? [] : [`PRAGMA application_id = ${String(application)}`]),
  ]
  db.close()
  return statements.map((each) => `${each};\n`).join('')
}

/** Makes a database of its statements. */
export function buildDatabase(path: string, statements: string): void {
  const db = new DatabaseSync(path)
  db.exec(statements)
  db.close()
}
