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
    let skipped = this.#count - most
    for (let at = 0; at < numbers.length; skipped--) {
      const label = this.#labels[numbers[at]!]!
      const next = at + 6 + Number(label.cachedTokens) + Number(label.reasoningTokens)
      if (skipped <= 0) rows.push(rowOf(label, numbers, at))
      at = next
    }
    return rows
  }

  /** Drops all but the last rows. */
  keep(most: number): void {
    const rows = this.last(most)
    this.#labels = NO_LABELS
    this.#numbers = null
    this.#count = 0
    for (const row of rows) this.add(row)
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
