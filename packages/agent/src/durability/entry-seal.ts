import type { JournalEntry } from '@x/interfaces'

/** Prime of the 32-bit FNV hash. */
const PRIME = 0x0100_0193
const START = 0x811c_9dc5

/** Marks beside the code units of texts, which end at 0xFFFF. */
const MARK = { end: 0x1_0000, text: 0x1_0001, number: 0x1_0002, list: 0x1_0003, object: 0x1_0004 } as const
const CONSTANTS = new Map<unknown, number>([
  [null, 0x1_0005],
  [true, 0x1_0006],
  [false, 0x1_0007],
])

/**
 * The entry with its number and a checksum over its content. A decision has no number, since others write it while the
 * chat runs. The checksum comes last, so that a line shows where an entry ends.
 */
export function sealEntry(entry: JournalEntry, seq: number | undefined): JournalEntry {
  const { seq: _, checksum: __, ...content } = entry
  const numbered = seq === undefined ? content : { seq, ...content }
  return { ...numbered, checksum: checksumOf(numbered) }
}

/**
 * Eight hexadecimal digits over the content of an entry: the same for every order of keys, another one after every change
 * of a single character. It finds accidents and no attacks, since anybody can compute it.
 */
export function checksumOf(entry: JournalEntry): string {
  const { checksum: _, ...content } = entry
  return (addValue(START, content) >>> 0).toString(16).padStart(8, '0')
}

const add = (hash: number, unit: number): number => Math.imul(hash ^ unit, PRIME)

function addText(hash: number, mark: number, text: string): number {
  let next = add(hash, mark)
  for (let index = 0; index < text.length; index++) next = add(next, text.charCodeAt(index))
  return add(next, MARK.end)
}

/** Adds a value as its JSON would be read back: what JSON leaves out is left out, and what it makes null is null. */
function addValue(hash: number, value: unknown): number {
  if (typeof value === 'string') return addText(hash, MARK.text, value)
  if (typeof value === 'number' && Number.isFinite(value)) return addText(hash, MARK.number, String(value))
  if (typeof value !== 'object' || value === null) return add(hash, CONSTANTS.get(value) ?? CONSTANTS.get(null)!)
  if (Array.isArray(value)) return add(value.reduce<number>(addValue, add(hash, MARK.list)), MARK.end)
  const its = value as Readonly<Record<string, unknown>>
  let next = add(hash, MARK.object)
  for (const key of Object.keys(its).toSorted()) {
    if (its[key] === undefined) continue
    next = addValue(addText(next, MARK.text, key), its[key])
  }
  return add(next, MARK.end)
}
