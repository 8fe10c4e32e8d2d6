/** One value of a metric, told apart from others by its labels. */
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

/** Most characters of the value of a label; what is longer is cut. */
const MOST_CHARACTERS = 128

/** Writes metrics in the text format of Prometheus, version 0.0.4; those without a value are left out. */
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

/** Cuts what is too long, and replaces half characters, which are not UTF-8. */
export const shortLabel = (value: string): string => value.slice(0, MOST_CHARACTERS).toWellFormed()

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

const numberText = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value)
