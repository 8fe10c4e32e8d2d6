import { DatabaseSync } from 'node:sqlite'
import type { Files } from './golden-files.ts'

type Row = Readonly<Record<string, unknown>>

/** Columns that a reader checks: their own text or number, or against another. */
const CHECKED = [
  'input',
  'state',
  'outcome',
  'epoch',
  'turn',
  'heard',
  'length',
  'setbacks',
  'submitted',
  'json',
] as const

/** Values of other programs, and of nobody. */
const FOREIGN_TEXTS = ['', 'null', '[7]', '{"version":"x"}', 'a text']
const FOREIGN_NUMBERS = [-1, 1e9]

/** An input or message of another value is not noticed: it is the program's own. */
const isOwn = (column: string, text: string): boolean => column === 'input' && isJson(text)

/** Other values in the place of those of a row. */
function* damagedCells(row: Row): Generator<readonly [column: string, value: string | number]> {
  for (const column of CHECKED) {
    const value = row[column] as string | number | null | undefined
    if (value === undefined) continue
    if (typeof value === 'number' || /^\d+$/u.test(String(value))) {
      for (const number of FOREIGN_NUMBERS) yield [column, number]
      continue
    }
    const text = typeof value === 'string' ? value : ''
    for (const damaged of [text.slice(0, text.length / 2), ...FOREIGN_TEXTS])
      if (!isOwn(column, damaged)) yield [column, damaged]
  }
}

/** True for a text of JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Rows of a file of SQLite, given as the statements that make it. */
export function* damagedSqlite(files: Files): Generator<readonly [what: string, files: Files]> {
  const sql = files['chats.sql']!
  const db = new DatabaseSync(':memory:')
  db.exec(sql)
  const rows = [
    ...db.prepare("SELECT * FROM chats WHERE id = 'asks'").all(),
    ...db.prepare("SELECT * FROM entries WHERE chat = 'asks'").all(),
  ]
  db.close()
  for (const row of rows) {
    const [table, condition] = 'n' in row ? ['entries', `n = ${String(row['n'])}`] : ['chats', "id = 'asks'"]
    for (const [column, value] of damagedCells(row)) {
      const literal = typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
      const update = `UPDATE ${table} SET ${column} = ${literal} WHERE ${condition};\n`
      yield [update, { 'chats.sql': sql + update }]
    }
    const remove = `DELETE FROM ${table} WHERE ${condition};\n`
    if (table === 'entries') yield [remove, { 'chats.sql': sql + remove }]
  }
}

/** Rows of Postgres. */
export function* damagedPostgres(files: Files): Generator<readonly [what: string, files: Files]> {
  const stored = JSON.parse(files['rows.json']!) as { tables: Record<string, Row[]> }
  for (const table of ['chats', 'entries']) {
    const rows = stored.tables[table]!
    for (const [index, row] of rows.entries()) {
      if ((row['id'] ?? row['chat']) !== 'asks') continue
      const changed = (what: string, put: readonly Row[]): readonly [string, Files] => [
        `${table} ${index}: ${what}`,
        {
          'rows.json': JSON.stringify({
            ...stored,
            tables: { ...stored.tables, [table]: rows.toSpliced(index, 1, ...put) },
          }),
        },
      ]
      for (const [column, value] of damagedCells(row))
        yield changed(`${column} = ${value}`, [{ ...row, [column]: value }])
      if (table === 'entries') yield changed('deleted', [])
    }
  }
}

/** Keys of Redis. */
export function* damagedRedis(files: Files): Generator<readonly [what: string, files: Files]> {
  const stored = JSON.parse(files['keys.json']!) as Record<string, readonly [type: string, value: unknown]>
  const changed = (key: string, what: string, value: unknown): readonly [string, Files] => [
    `${key}: ${what}`,
    { 'keys.json': JSON.stringify({ ...stored, [key]: [stored[key]![0], value] }) },
  ]
  const chat = stored['{chats}:chat:asks']![1] as Row
  for (const [column, value] of damagedCells(chat)) {
    yield changed('{chats}:chat:asks', `${column} = ${value}`, { ...chat, [column]: String(value) })
  }
  const entries = stored['{chats}:entries:asks']![1] as string[]
  for (const [index, json] of entries.entries()) {
    for (const [, value] of damagedCells({ json }))
      yield changed('{chats}:entries:asks', `${index} = ${value}`, entries.with(index, String(value)))
    yield changed('{chats}:entries:asks', `${index} deleted`, entries.toSpliced(index, 1))
  }
}
