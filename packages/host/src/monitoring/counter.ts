import { shortLabel, type Metric, type MetricSample } from './exposition.ts'

/** Most sets of labels of one metric. What comes beyond them is counted together, under `other`. */
export const MOST_SETS = 100

/** A number for each set of labels, which only grows. */
export class Counter<L extends string> {
  readonly #name: string
  readonly #help: string
  readonly #labels: readonly L[]
  readonly #values = new Map<string, MetricSample & { value: number }>()

  constructor(name: string, help: string, labels: readonly L[] = []) {
    this.#name = name
    this.#help = help
    this.#labels = labels
  }

  /** Shows a set of labels with 0: who reads counters sees how they grow from their second value on. */
  begin(labels: Readonly<Record<L, string>>): void {
    this.#sampleOf(labels)
  }

  /** Adds an amount; what is not a positive number is not counted. */
  add(labels: Readonly<Record<L, string>>, amount = 1): void {
    if (!(amount > 0) || amount === Infinity) return
    this.#sampleOf(labels).value += amount
  }

  get metric(): Metric {
    return { name: this.#name, help: this.#help, type: 'counter', samples: [...this.#values.values()] }
  }

  #sampleOf(labels: Readonly<Record<L, string>>): { value: number } {
    return this.#sampleBy(this.#labels.map((name) => shortLabel(labels[name])))
  }

  #sampleBy(values: readonly string[]): { value: number } {
    const key = JSON.stringify(values)
    const known = this.#values.get(key)
    if (known) return known
    const isFull = this.#values.size >= MOST_SETS && values.some((value) => value !== OTHER)
    if (isFull) return this.#sampleBy(values.map(() => OTHER))
    const labels = Object.fromEntries(this.#labels.map((name, at) => [name, values[at]!]))
    const sample = { labels, value: 0 }
    this.#values.set(key, sample)
    return sample
  }
}

/** Stands for values of labels that are not told apart any more. */
export const OTHER = 'other'
