import type { LedgerRow } from './ledger-row.ts'

/** The part of a row that most rows of a wrapper have in common; it is kept once. */
type Label = Pick<LedgerRow, 'configId' | 'cached' | 'tags' | 'agent'> & {
  readonly model: string
  /** Whether the cost is known. */
  readonly priced: boolean
  /** Whether these counts were told. */
  readonly cachedTokens: boolean
  readonly reasoningTokens: boolean
}

const NO_LABELS: readonly Label[] = []

/** Labels that are compared before a new one is added. */
const RECENT = 4

/** Labels after which unused ones are looked for when rows are dropped. */
const MOST_LABELS = 100

/** The rows of a ledger as a list of numbers: a chat has two ledgers with a row for every message. */
export class LedgerRows {
  #labels: readonly Label[] = NO_LABELS
  /** Per row: its label, time, tokens and cost, then the counts that its label names. */
  #numbers: number[] | null = null
  #count = 0

  /** Number of rows. */
  get count(): number {
    return this.#count
  }

  /** Adds a row. */
  add(row: LedgerRow): void {
    const { at, usage } = row
    const { promptTokens, completionTokens, totalTokens, cachedTokens, reasoningTokens, cost } = usage
    const label = this.#labelOf(row)
    if (this.#numbers) this.#numbers.push(label, at, promptTokens, completionTokens, totalTokens, cost ?? 0)
    else this.#numbers = [label, at, promptTokens, completionTokens, totalTokens, cost ?? 0]
    if (cachedTokens !== undefined) this.#numbers.push(cachedTokens)
    if (reasoningTokens !== undefined) this.#numbers.push(reasoningTokens)
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

  #labelOf({ configId, cached, tags, agent, usage }: LedgerRow): number {
    const labels = this.#labels
    const priced = usage.cost !== null
    const cachedTokens = usage.cachedTokens !== undefined
    const reasoningTokens = usage.reasoningTokens !== undefined
    for (let index = labels.length - 1; index >= 0 && index >= labels.length - RECENT; index--) {
      const label = labels[index]!
      if (
        label.agent === agent &&
        label.model === usage.model &&
        label.configId === configId &&
        label.cached === cached &&
        label.tags === tags &&
        label.priced === priced &&
        label.cachedTokens === cachedTokens &&
        label.reasoningTokens === reasoningTokens
      ) {
        return index
      }
    }
    const label = { configId, cached, tags, agent, model: usage.model, priced, cachedTokens, reasoningTokens }
    // A list of its exact length: a push would make room for many more.
    this.#labels = [...labels, label]
    return labels.length
  }
}

const widthOf = ({ cachedTokens, reasoningTokens }: Label): number => 6 + Number(cachedTokens) + Number(reasoningTokens)

function rowOf(label: Label, numbers: readonly number[], start: number): LedgerRow {
  const { configId, cached, tags, agent, model, priced } = label
  const [, at, promptTokens, completionTokens, totalTokens, cost, ...more] = numbers.slice(start, start + 8) as [
    number,
    number,
    number,
    number,
    number,
    number,
    ...number[],
  ]
  const usage = {
    model,
    promptTokens,
    completionTokens,
    totalTokens,
    ...(label.cachedTokens && { cachedTokens: more[0]! }),
    ...(label.reasoningTokens && { reasoningTokens: more[label.cachedTokens ? 1 : 0]! }),
    cost: priced ? cost : null,
  }
  return { configId, usage, cached, tags, agent, at }
}
