import type { LedgerRow } from './ledger-row.ts'

/** The part of a row that most rows of a wrapper have in common; it is kept once. */
interface Label extends Pick<LedgerRow, 'configId' | 'tags' | 'agent'> {
  readonly model: string
  /** What is so of these rows: bits of `FLAGS`. */
  readonly flags: number
}

type Labels = readonly Label[]

/** Bits of a label; the last ones say which numbers a row has beside its time and its tokens. */
const FLAGS = {
  cached: 1,
  estimated: 2,
  unpriced: 4,
  total: 8,
  cost: 16,
  cachedTokens: 32,
  reasoningTokens: 64,
} as const

type Flag = keyof typeof FLAGS

/** Numbers that only some rows have, in their order. */
const FURTHER = ['total', 'cost', 'cachedTokens', 'reasoningTokens'] as const satisfies Flag[]

const NO_LABELS: Labels = []

/** Labels that are compared before a new one is added. */
const RECENT = 4

/** Labels after which unused ones are looked for when rows are dropped. */
const MOST_LABELS = 100

/** Numbers of a list that is kept at its exact length: as many as idle chats have. */
const SHORT = 256

/**
 * What the first number of a row can hold beside its label: as many prompt and completion tokens. The three together are
 * less than 2 ** 53.
 */
const SIZES = { label: 2 ** 13, prompt: 2 ** 22, completion: 2 ** 18 }

/**
 * The rows of a ledger as a list of numbers: a chat has two ledgers with a row for every message. A row is its head, its
 * time, and the numbers that its label names. A head holds the label and the tokens; where they are too large, it is the
 * label as a negative number, and the tokens follow it.
 */
export class LedgerRows {
  #labels: Labels = NO_LABELS
  #numbers: number[] | null = null
  #count = 0

  /** Number of rows. */
  get rowCount(): number {
    return this.#count
  }

  /** Adds a row. */
  addRow(row: LedgerRow): void {
    const flags = flagsOf(row)
    const labels = withLabel(this.#labels, row, flags)
    this.#labels = labels
    const { promptTokens, completionTokens, totalTokens, cachedTokens, reasoningTokens, cost } = row.usage
    const numbers = headOf(placeOf(labels, row, flags), promptTokens, completionTokens)
    numbers.push(row.at)
    if (flags >= FLAGS.total) {
      if (flags & FLAGS.total) numbers.push(totalTokens)
      if (flags & FLAGS.cost) numbers.push(cost!)
      if (flags & FLAGS.cachedTokens) numbers.push(cachedTokens!)
      if (flags & FLAGS.reasoningTokens) numbers.push(reasoningTokens!)
    }
    if (!this.#numbers) this.#numbers = numbers
    else if (this.#numbers.length < SHORT) this.#numbers = this.#numbers.concat(numbers)
    else this.#numbers.push(...numbers)
    this.#count++
  }

  /** Gives the last rows, oldest first, at most so many. */
  lastRows(most: number): LedgerRow[] {
    const numbers = this.#numbers ?? []
    const rows: LedgerRow[] = []
    for (let at = startOf(numbers, this.#labels, this.#count - most); at < numbers.length;) {
      rows.push(rowAt(numbers, this.#labels, at))
      at += widthAt(numbers, this.#labels, at)
    }
    return rows
  }

  /** Drops all but the last rows. */
  dropRows(most: number): void {
    const numbers = this.#numbers ?? []
    this.#numbers = numbers.slice(startOf(numbers, this.#labels, this.#count - most))
    this.#count = Math.min(this.#count, most)
    if (this.#labels.length <= MOST_LABELS && most > 0) return
    // Labels that no row has any more are dropped.
    const rows = this.lastRows(most)
    this.#labels = NO_LABELS
    this.#numbers = null
    this.#count = 0
    for (const row of rows) this.addRow(row)
  }
}

/** Lists of one label that rows were last given: the agents of equal chats have equal ones, and share the list. */
const lately: Labels[] = []
const LATELY = 8

function withLabel(labels: Labels, row: LedgerRow, flags: number): Labels {
  if (placeOf(labels, row, flags) >= 0) return labels
  if (labels.length > 0) {
    // A list of its exact length: a push would make room for many more.
    return labels.concat(labelOf(row, flags))
  }
  const known = lately.find((each) => placeOf(each, row, flags) === 0)
  if (known) return known
  const made = [labelOf(row, flags)]
  lately.unshift(made)
  lately.length = Math.min(lately.length, LATELY)
  return made
}

const labelOf = ({ configId, tags, agent, usage }: LedgerRow, flags: number): Label => ({
  configId,
  tags,
  agent,
  model: usage.model,
  flags,
})

/** The place of the label of a row; -1 where none of the last few is. */
function placeOf(labels: Labels, { configId, tags, agent, usage: { model } }: LedgerRow, flags: number): number {
  for (let index = labels.length - 1; index >= 0 && index >= labels.length - RECENT; index--) {
    const label = labels[index]!
    if (
      label.agent === agent &&
      label.model === model &&
      label.configId === configId &&
      label.tags === tags &&
      label.flags === flags
    ) {
      return index
    }
  }
  return -1
}

function flagsOf({ cached, estimated, usage }: LedgerRow): number {
  let flags = 0
  if (cached) flags |= FLAGS.cached
  if (estimated) flags |= FLAGS.estimated
  if (usage.cost === null) flags |= FLAGS.unpriced
  else if (usage.cost !== 0) flags |= FLAGS.cost
  if (usage.totalTokens !== usage.promptTokens + usage.completionTokens) flags |= FLAGS.total
  if (usage.cachedTokens !== undefined) flags |= FLAGS.cachedTokens
  if (usage.reasoningTokens !== undefined) flags |= FLAGS.reasoningTokens
  return flags
}

const has = ({ flags }: Label, flag: Flag): boolean => (flags & FLAGS[flag]) !== 0

function headOf(label: number, prompt: number, completion: number): number[] {
  const fits = label < SIZES.label && isCount(prompt, SIZES.prompt) && isCount(completion, SIZES.completion)
  if (!fits) return [-1 - label, prompt, completion]
  return [label + SIZES.label * (prompt + SIZES.prompt * completion)]
}

const isCount = (value: number, limit: number): boolean => Number.isInteger(value) && value >= 0 && value < limit

/** Where the numbers of a row begin that stand behind so many rows. */
function startOf(numbers: readonly number[], labels: Labels, rows: number): number {
  let start = 0
  for (let skip = rows; skip > 0; skip--) start += widthAt(numbers, labels, start)
  return start
}

function widthAt(numbers: readonly number[], labels: Labels, start: number): number {
  const label = labels[labelAt(numbers, start)]!
  let width = numbers[start]! < 0 ? 4 : 2
  for (const flag of FURTHER) if (has(label, flag)) width++
  return width
}

function labelAt(numbers: readonly number[], start: number): number {
  const head = numbers[start]!
  return head < 0 ? -1 - head : head % SIZES.label
}

function rowAt(numbers: readonly number[], labels: Labels, start: number): LedgerRow {
  const label = labels[labelAt(numbers, start)]!
  const { configId, tags, agent, model } = label
  let next = start
  const head = numbers[next++]!
  const tokens = Math.floor(head / SIZES.label)
  const promptTokens = head < 0 ? numbers[next++]! : tokens % SIZES.prompt
  const completionTokens = head < 0 ? numbers[next++]! : Math.floor(tokens / SIZES.prompt)
  const at = numbers[next++]!
  const further = (flag: (typeof FURTHER)[number]): number | undefined =>
    has(label, flag) ? numbers[next++] : undefined
  const totalTokens = further('total') ?? promptTokens + completionTokens
  const cost = further('cost') ?? (has(label, 'unpriced') ? null : 0)
  const [cachedTokens, reasoningTokens] = [further('cachedTokens'), further('reasoningTokens')]
  const usage = {
    model,
    promptTokens,
    completionTokens,
    totalTokens,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    cost,
  }
  const estimated = has(label, 'estimated')
  return { configId, usage, cached: has(label, 'cached'), ...(estimated && { estimated }), tags, agent, at }
}
