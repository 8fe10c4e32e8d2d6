import type { JournalEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import { unknownVersion } from './saved-shapes.ts'

/** Prime of the 32-bit FNV hash. */
const FNV_PRIME = 0x0100_0193
const FNV_OFFSET_BASIS = 0x811c_9dc5

/** Marks beside the code units of texts, which end at 0xFFFF. */
const HASH_MARKS = { end: 0x1_0000, text: 0x1_0001, number: 0x1_0002, list: 0x1_0003, object: 0x1_0004 } as const
const CONSTANT_MARKS = new Map<unknown, number>([
  [null, 0x1_0005],
  [true, 0x1_0006],
  [false, 0x1_0007],
])

/**
 * Returns an entry with its number and a checksum over its content. A decision has no number, since others write it while the
 * chat runs. The checksum comes last, so that a line shows where an entry ends.
 */
export function sealEntry(entry: JournalEntry, seq: number | undefined): JournalEntry {
  const { seq: _, checksum: __, ...content } = entry
  const numbered = seq === undefined ? content : { seq, ...content }
  return { ...numbered, checksum: checksumOf(numbered) }
}

/**
 * Returns eight hexadecimal digits over the content of an entry or of saved state: the same for every order of keys, others
 * after every change of a single character. They find accidents and no attacks, since anybody can compute them.
 */
export const checksumOf = (sealed: object): string =>
  (addRecord(FNV_OFFSET_BASIS, sealed as Readonly<Record<string, unknown>>, 'checksum') >>> 0)
    .toString(16)
    .padStart(8, '0')

const add = (hash: number, unit: number): number => Math.imul(hash ^ unit, FNV_PRIME)

function addText(hash: number, mark: number, text: string): number {
  let next = add(hash, mark)
  for (let index = 0; index < text.length; index++) next = add(next, text.charCodeAt(index))
  return add(next, HASH_MARKS.end)
}

/** Adds a value as its JSON would be read back: what JSON leaves out is left out, and what it makes null is null. */
function addValue(hash: number, value: unknown): number {
  if (typeof value === 'string') return addText(hash, HASH_MARKS.text, value)
  if (typeof value === 'number' && Number.isFinite(value)) return addText(hash, HASH_MARKS.number, String(value))
  if (typeof value !== 'object' || value === null)
    return add(hash, CONSTANT_MARKS.get(value) ?? CONSTANT_MARKS.get(null)!)
  if (Array.isArray(value)) return add(value.reduce<number>(addValue, add(hash, HASH_MARKS.list)), HASH_MARKS.end)
  return addRecord(hash, value as Readonly<Record<string, unknown>>)
}

/** Adds an object without the key `except`. */
function addRecord(hash: number, record: Readonly<Record<string, unknown>>, except?: string): number {
  let next = add(hash, HASH_MARKS.object)
  for (const key of sortedKeys(record)) {
    if (record[key] === undefined || key === except) continue
    next = addValue(addText(next, HASH_MARKS.text, key), record[key])
  }
  return add(next, HASH_MARKS.end)
}

/** Most keys that are put in order one by one: up to there, `sort` takes ten times the memory of the list. */
const MAX_FEW_KEYS = 16

function sortedKeys(record: object): string[] {
  const keys = Object.keys(record)
  if (keys.length > MAX_FEW_KEYS) return keys.sort()
  for (let end = 1; end < keys.length; end++) {
    const key = keys[end]!
    let at = end
    while (at > 0 && keys[at - 1]! > key) keys[at] = keys[--at]!
    keys[at] = key
  }
  return keys
}

/** Version of journals whose entries had neither number nor checksum. */
const UNSEALED_VERSION = 2

/**
 * The entries of a chat in the order of their numbers, if they are whole: one that is not as it was written, a number that
 * is missing or comes twice is refused with `invalid-state` and the place.
 */
export function checkedEntries(entries: readonly JournalEntry[]): JournalEntry[] {
  refuseUnsealed(entries)
  const numbered: JournalEntry[] = []
  for (const [index, entry] of entries.entries()) {
    checkChecksum(entry, index)
    if (entry.seq !== undefined) numbered.push(entry)
    else if (entry.kind !== 'decision') throw damaged(`${named(entry, index)} has no number`, entry)
  }
  const inOrder = numbered.every(({ seq }, index) => seq === firstNumber(numbered) + index)
  if (inOrder) return [...entries]
  const order = numbered.toSorted((one, other) => one.seq! - other.seq!)
  const first = firstNumber(order)
  for (const [index, entry] of order.entries()) checkNumber(entry, first + index, order[index - 1])
  return [...order, ...entries.filter(({ seq }) => seq === undefined)]
}

/** Returns the number of the first entry. What comes before a checkpoint may be missing: nobody who goes on needs it. */
const firstNumber = ([first]: readonly JournalEntry[]): number => (first?.kind === 'checkpoint' ? first.seq! : 0)

/** Refuses an entry that is not as it was written. */
export function checkChecksum(entry: JournalEntry, index: number): void {
  if (entry.checksum === checksumOf(entry)) return
  const problem = entry.checksum === undefined ? 'has no checksum' : 'is not as it was written: its checksum differs'
  throw damaged(`${named(entry, index)} ${problem}`, entry, index)
}

/** Refuses entries of an older version by its number. */
export function refuseUnsealed(entries: readonly Partial<JournalEntry>[]): void {
  if (entries.length === 0 || entries.some((entry) => entry?.checksum !== undefined)) return
  throw unknownVersion('chat', UNSEALED_VERSION)
}

function checkNumber(entry: JournalEntry, expected: number, before: JournalEntry | undefined): void {
  if (entry.seq === expected) return
  const { seq, place } = entry
  const text =
    seq! < expected
      ? `number ${seq} comes twice, at \`${before!.place}\` and at \`${place}\``
      : `number ${expected} is missing, before number ${seq} at \`${place}\``
  throw damaged(text, entry)
}

const named = ({ place = 'no place', kind, seq }: Partial<JournalEntry>, index: number): string =>
  `entry ${seq ?? index} at \`${place}\` (kind \`${kind}\`)`

/** The error for entries that differ from what was written. */
const damaged = (problem: string, { place, seq }: Partial<JournalEntry>, index?: number): XError =>
  new XError('invalid-state', `the journal of a chat is damaged: ${problem}; restore it from a copy`, {
    details: { ...(place === undefined ? { path: ['entries', index] } : { place }), ...(seq !== undefined && { seq }) },
  })

/** The end of a whole entry, with a digit for each of its checksum. */
const ENTRY_END = ',"checksum":"00000000"}'
const ENTRY_END_PATTERN = /,"checksum":"[0-9a-f]{8}"\}/u

/**
 * Reads the values that lines of JSON hold. A line that the end of a process tore is left out; one that was whole and cannot
 * be read is refused with `invalid-state` and its number.
 */
export function readLines(lines: string): unknown[] {
  return lines.split('\n').flatMap((line, index) => {
    if (line === '') return []
    try {
      return [JSON.parse(line) as unknown]
    } catch (cause) {
      if (isTorn(line)) return []
      throw new XError(
        'invalid-state',
        `the journal of a chat is damaged: line ${index + 1} cannot be read as JSON; restore it from a copy`,
        { cause, details: { line: index + 1 } },
      )
    }
  })
}

/** True if a line is the torn beginning of an entry: it starts like an entry, and has no end of one. */
const isTorn = (line: string): boolean => line.startsWith('{') && !ENTRY_END_PATTERN.test(line) && !endsWhole(line)

/** True if a line ends like a whole entry, with at most one wrong character. */
function endsWhole(line: string): boolean {
  if (line.length < ENTRY_END.length) return false
  const end = line.slice(-ENTRY_END.length)
  let wrong = 0
  for (let index = 0; index < ENTRY_END.length; index++) {
    const expected = ENTRY_END[index]
    const fits = expected === '0' ? /[0-9a-f]/u.test(end[index]!) : end[index] === expected
    if (!fits) wrong++
  }
  return wrong <= 1
}
