import type { LedgerRow } from './ledger-row.ts'

/** The part of a row that most rows of a wrapper have in common; it is kept once. */
interface Label extends Pick<LedgerRow, 'configId' | 'tags' | 'agent'> {
  readonly model: string
  /** What is so of these rows: bits of `FLAGS`. */
  readonly flags: number
}

/** Bits of a label; the last ones say which numbers a row has beside its first four. */
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

const NO_LABELS: readonly Label[] = []

/** Labels that are compared before a new one is added. */
const RECENT = 4

/** Labels after which unused ones are looked for when rows are dropped. */
const MOST_LABELS = 100

/** Numbers of a list that is kept at its exact length: as many as idle chats have. */
const SHORT = 256

/** The rows of a ledger as a list of numbers: a chat has two ledgers with a row for every message. */
export class LedgerRows {
  #labels: readonly Label[] = NO_LABELS
  /** Per row: its label, time, prompt and completion tokens, then the numbers that its label names. */
  #numbers: number[] | null = null
  #count = 0

  /** Number of rows. */
  get count(): number {
    return this.#count
  }

  /** Adds a row. */
  add(row: LedgerRow): void {
    const flags = flagsOf(row)
    const { promptTokens, completionTokens, totalTokens, cachedTokens, reasoningTokens, cost } = row.usage
    const numbers = [this.#labelOf(row, flags), row.at, promptTokens, completionTokens]
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
  last(most: number): LedgerRow[] {
    const rows: LedgerRow[] = []
    const numbers = this.#numbers ?? []
    for (let at = this.#startOf(most); at < numbers.length;) {
      const label = this.#labels[numbers[at]!]!
      rows.push(rowOf(label, numbers, at))
      at += widthOf(label)
    }
    return rows
  }

  /** Drops all but the last rows. */
  keep(most: number): void {
    this.#numbers = this.#numbers?.slice(this.#startOf(most)) ?? null
    this.#count = Math.min(this.#count, most)
    if (this.#labels.length <= MOST_LABELS && most > 0) return
    // Labels that no row has any more are dropped.
    const rows = this.last(most)
    this.#labels = NO_LABELS
    this.#numbers = null
    this.#count = 0
    for (const row of rows) this.add(row)
  }

  /** The place in the numbers where the last rows begin. */
  #startOf(most: number): number {
    let start = 0
    for (let skip = this.#count - most; skip > 0; skip--) start += widthOf(this.#labels[this.#numbers![start]!]!)
    return start
  }

  #labelOf({ configId, tags, agent, usage: { model } }: LedgerRow, flags: number): number {
    const labels = this.#labels
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
    // A list of its exact length: a push would make room for many more.
    this.#labels = labels.concat({ configId, tags, agent, model, flags })
    return labels.length
  }
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

const widthOf = (label: Label): number => 4 + FURTHER.filter((flag) => has(label, flag)).length

function rowOf(label: Label, numbers: readonly number[], start: number): LedgerRow {
  const { configId, tags, agent, model } = label
  let next = start + 1
  const [at, promptTokens, completionTokens] = [numbers[next++]!, numbers[next++]!, numbers[next++]!]
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
