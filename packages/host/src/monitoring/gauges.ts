import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withTimeout } from '../platform.ts'
import type { Metric, MetricSample } from './exposition.ts'

/** A gauge of the program among the metrics of its host, such as the rest of a budget. */
export interface MetricGauge {
  /** Letters, digits and `_`, and not a name of the host: `budget_left_dollars`. */
  readonly name: string
  /** Explains the value, in a line; of gauges with one name, the first help counts. */
  readonly help: string
  /** Distinguishes gauges of one name: `{ team: 'a' }`. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Reads the value when metrics are requested. A gauge that fails, or returns no number within two seconds, is left out. */
  readonly read: () => MaybePromise<number>
}

const GAUGE_KINDS: OptionKinds<MetricGauge> = { name: kind.text, help: kind.text, labels: kind.object, read: kind.call }

/** Most gauges of a host. */
const MAX_GAUGES = 1000
/** Time within which a gauge has to return its value. */
const GAUGE_TIMEOUT_S = 2

const METRIC_NAME = /^[a-zA-Z_][a-zA-Z0-9_]{0,100}$/u

/** The gauges that a program has registered. */
export class Gauges {
  readonly #gauges = new Map<string, MetricGauge>()

  /** Registers a gauge; returns a function that removes it. */
  add(gauge: MetricGauge): () => void {
    const attempt = 'register a gauge'
    checkOptions((gauge as object | undefined) ?? null, GAUGE_KINDS, attempt)
    const { name, labels = {} } = gauge
    const problem =
      (!METRIC_NAME.test(name ?? '') && '`name` takes letters, digits and `_`, and does not begin with a digit') ||
      (/^(?:hosted|model)_/u.test(name) &&
        `names such as \`${name}\` belong to the host; begin the name with another word`) ||
      (!gauge.read && 'it has no `read`; give the function that reads its value') ||
      (!gauge.help && 'it has no `help`; give a line that explains the value') ||
      (Object.entries(labels).some((label) => !METRIC_NAME.test(label[0]) || typeof label[1] !== 'string') &&
        '`labels` takes names of letters, digits and `_`, with texts as values')
    if (problem) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
    const key = JSON.stringify([name, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])
    if (this.#gauges.has(key)) {
      throw new XError('invalid-argument', `cannot ${attempt}: a gauge \`${name}\` with equal labels exists`)
    }
    if (this.#gauges.size >= MAX_GAUGES) {
      throw new XError('invalid-argument', `cannot ${attempt}: there are ${MAX_GAUGES} already`)
    }
    this.#gauges.set(key, gauge)
    return () => void (this.#gauges.get(key) === gauge && this.#gauges.delete(key))
  }

  /** Reads all gauges at once. */
  async read(): Promise<readonly Metric[]> {
    const values = await Promise.all([...this.#gauges.values()].map(readGauge))
    const metrics = new Map<string, Metric & { samples: MetricSample[] }>()
    for (const [{ name, help, labels }, value] of values) {
      const metric = metrics.get(name) ?? { name, help, type: 'gauge' as const, samples: [] }
      metrics.set(name, metric)
      if (value !== undefined) metric.samples.push({ labels, value })
    }
    return [...metrics.values()]
  }
}

async function readGauge(gauge: MetricGauge): Promise<[MetricGauge, number | undefined]> {
  try {
    const value: unknown = await withTimeout(gauge.read, GAUGE_TIMEOUT_S)
    return [gauge, typeof value === 'number' ? value : undefined]
  } catch {
    return [gauge, undefined]
  }
}
