import { shortLabel, type Metric, type MetricSample } from './exposition.ts'

/** Most label sets of one metric. Values of further sets are counted together, under `other`. */
export const MAX_LABEL_SETS = 100

/** Label value that stands for all values beyond {@link MAX_LABEL_SETS}. */
export const OTHER_LABEL = 'other'

/** A counter: for each label set, a number that only grows. */
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

  /** Adds a label set with value 0, because Prometheus notices an increase only between two values. */
  begin(labels: Readonly<Record<L, string>>): void {
    this.#sampleOf(labels)
  }

  /** Adds an amount; ignores one that is not a positive finite number. */
  add(labels: Readonly<Record<L, string>>, amount = 1): void {
    if (!(amount > 0) || amount === Infinity) return
    this.#sampleOf(labels).value += amount
  }

  get metric(): Metric {
    return { name: this.#name, help: this.#help, type: 'counter', samples: [...this.#values.values()] }
  }

  #sampleOf(labels: Readonly<Record<L, string>>): { value: number } {
    return this.#sampleFor(this.#labels.map((name) => shortLabel(labels[name])))
  }

  #sampleFor(values: readonly string[]): { value: number } {
    const key = JSON.stringify(values)
    const known = this.#values.get(key)
    if (known) return known
    const isFull = this.#values.size >= MAX_LABEL_SETS && values.some((value) => value !== OTHER_LABEL)
    if (isFull) return this.#sampleFor(values.map(() => OTHER_LABEL))
    const labels = Object.fromEntries(this.#labels.map((name, at) => [name, values[at]!]))
    const sample = { labels, value: 0 }
    this.#values.set(key, sample)
    return sample
  }
}
