import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withinTime } from './within-time.ts'
import type { Metric, MetricSample } from './exposition.ts'

/** A value of a program's own among the metrics of its host, such as what is left of a budget. */
export interface MetricGauge {
  /** Letters, digits and `_`, and not one that the host has: `budget_left_dollars`. */
  readonly name: string
  /** Explains the value, in a line; the first of a name counts. */
  readonly help: string
  /** Tells values of one name apart: `{ team: 'a' }`. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Reads the value when metrics are asked for. What fails, or gives no number within two seconds, is left out. */
  readonly read: () => MaybePromise<number>
}

const KINDS: OptionKinds<MetricGauge> = { name: kind.text, help: kind.text, labels: kind.object, read: kind.call }

/** Most gauges of a host. */
const MOST = 1000

/** The gauges that a program has registered. */
export class Gauges {
  readonly #gauges = new Map<string, MetricGauge>()

  /** Registers a gauge; gives what takes it away. */
  add(gauge: MetricGauge): () => void {
    const attempt = 'register a gauge'
    checkOptions((gauge as object | undefined) ?? null, KINDS, attempt)
    const { name, labels = {} } = gauge
    const problem =
      (!NAME.test(name ?? '') && '`name` takes letters, digits and `_`, and begins with no digit') ||
      (/^(?:hosted|model)_/u.test(name) && `the host has names such as \`${name}\`; let it begin with another word`) ||
      (!gauge.read && 'it has no `read`; give the function that reads its value') ||
      (!gauge.help && 'it has no `help`; say what the value is') ||
      (Object.entries(labels).some((label) => !NAME.test(label[0]) || typeof label[1] !== 'string') &&
        '`labels` takes texts by names of letters, digits and `_`')
    if (problem) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
    const key = JSON.stringify([name, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])
    if (this.#gauges.has(key)) {
      throw new XError('invalid-argument', `cannot ${attempt}: there is a \`${name}\` with equal labels`)
    }
    if (this.#gauges.size >= MOST) throw new XError('invalid-argument', `cannot ${attempt}: there are ${MOST} already`)
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

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]{0,100}$/u

async function readGauge(gauge: MetricGauge): Promise<[MetricGauge, number | undefined]> {
  try {
    const value: unknown = await withinTime(gauge.read, 2)
    return [gauge, typeof value === 'number' ? value : undefined]
  } catch {
    return [gauge, undefined]
  }
}
