/** One value of a metric, identified by its labels. */
export interface MetricSample {
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly value: number
}

/** A metric with its values. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly samples: readonly MetricSample[]
}

/** Longest label value, in characters; longer ones are truncated. */
const MAX_LABEL_LENGTH = 128

/** Writes metrics in the text format of Prometheus, version 0.0.4; leaves out metrics without a value. */
export const exposition = (metrics: readonly Metric[]): string =>
  metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(({ labels = {}, value }) => `${name}${labelsText(labels)} ${numberText(value)}\n`)
      return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(shortLabel(value))}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

/** Truncates a label value, and replaces lone surrogates, which UTF-8 cannot encode. */
export const shortLabel = (value: string): string => value.slice(0, MAX_LABEL_LENGTH).toWellFormed()

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

const numberText = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value)
