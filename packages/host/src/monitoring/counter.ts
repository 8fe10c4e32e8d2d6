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

  /** Adds an amount; what is not a positive number is not counted. */
  add(labels: Readonly<Record<L, string>>, amount = 1): void {
    if (!(amount > 0) || amount === Infinity) return
    const sample = this.#sampleOf(this.#labels.map((name) => shortLabel(labels[name])))
    sample.value += amount
  }

  get metric(): Metric {
    return { name: this.#name, help: this.#help, type: 'counter', samples: [...this.#values.values()] }
  }

  #sampleOf(values: readonly string[]): { value: number } {
    const key = JSON.stringify(values)
    const known = this.#values.get(key)
    if (known) return known
    const isFull = this.#values.size >= MOST_SETS && values.some((value) => value !== OTHER)
    if (isFull) return this.#sampleOf(values.map(() => OTHER))
    const labels = Object.fromEntries(this.#labels.map((name, at) => [name, values[at]!]))
    const sample = { labels, value: 0 }
    this.#values.set(key, sample)
    return sample
  }
}

/** Stands for values of labels that are not told apart any more. */
export const OTHER = 'other'
