import type { Usage } from '@x/interfaces'

/** One answered request, or a request whose answer did not come or broke off, which may be paid for. */
export interface LedgerRow {
  /** Index of the config that answered. */
  readonly configId: number
  /** The model that answered, its tokens, and the cost in US dollars; null when the price is unknown. */
  readonly usage: Omit<Usage, 'cost'> & { readonly cost: number | null }
  /** True if a cache answered, so that nothing was paid. */
  readonly cached: boolean
  /** True if tokens and cost are estimates, because the provider did not report them or the answer is incomplete. */
  readonly estimated?: boolean | undefined
  /** Set for a token count, which uses no tokens and costs nothing, and for vectors of texts. */
  readonly operation?: 'countTokens' | 'embed' | undefined
  /** Labels of the config. */
  readonly tags: readonly string[]
  /** Name of the agent that asked. */
  readonly agent: string | null
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The part that most rows of a wrapper have in common. It is stored once. */
interface Label extends Pick<LedgerRow, 'configId' | 'tags' | 'agent'> {
  readonly model: string
  /** Bits of `ROW_FLAGS`. */
  readonly flags: number
}

type Labels = Label[]

/** Bits of a label; from `total` on they say which numbers a row has beside its time and tokens. */
const ROW_FLAGS = {
  cached: 1,
  estimated: 2,
  unpriced: 4,
  total: 8,
  cost: 16,
  cachedTokens: 32,
  reasoningTokens: 64,
  embed: 128,
} as const

type Flag = keyof typeof ROW_FLAGS

/** Numbers that only some rows have, in the order in which they are stored. */
const OPTIONAL_NUMBERS = ['total', 'cost', 'cachedTokens', 'reasoningTokens'] as const satisfies Flag[]

const NO_LABELS: Labels = []

/** Latest labels that are compared before a new label is added: more than one list of configs and the agents of a group make. */
const MAX_COMPARED_LABELS = 64

/** Labels beyond which unused labels are removed when rows are dropped. */
const MAX_LABELS = 100

/** Length up to which a list of numbers is kept at its exact length, as in idle chats. */
const MAX_EXACT_LENGTH = 256

/**
 * Bounds of the label, prompt tokens and completion tokens that fit into the first number of a row. Their product is at most
 * 2 ** 53.
 */
const HEAD_BOUNDS = { label: 2 ** 13, prompt: 2 ** 22, completion: 2 ** 18 }

/**
 * The rows of a ledger, packed into a list of numbers: a chat has two ledgers with a row for every message. A row is its
 * head, its time, and the numbers that its label names. The head holds the label and the tokens; if they are too large, it
 * is the label as a negative number, followed by the tokens.
 */
export class LedgerRows {
  #labels: Labels = NO_LABELS
  #numbers: number[] | null = null
  #count = 0

  /** Number of rows. */
  get rowCount(): number {
    return this.#count
  }

  /** Adds a row. */
  addRow(row: LedgerRow): void {
    const flags = flagsOf(row)
    const labels = withLabel(this.#labels, row, flags)
    this.#labels = labels
    const { promptTokens, completionTokens, totalTokens, cachedTokens, reasoningTokens, cost } = row.usage
    const numbers = headOf(placeOf(labels, row, flags), promptTokens, completionTokens)
    numbers.push(row.at)
    if (flags >= ROW_FLAGS.total) {
      if (flags & ROW_FLAGS.total) numbers.push(totalTokens)
      if (flags & ROW_FLAGS.cost) numbers.push(cost!)
      if (flags & ROW_FLAGS.cachedTokens) numbers.push(cachedTokens!)
      if (flags & ROW_FLAGS.reasoningTokens) numbers.push(reasoningTokens!)
    }
    if (!this.#numbers) this.#numbers = numbers
    else if (this.#numbers.length < MAX_EXACT_LENGTH) this.#numbers = this.#numbers.concat(numbers)
    else this.#numbers.push(...numbers)
    this.#count++
  }

  /** Returns at most `count` of the latest rows, oldest first. */
  lastRows(count: number): LedgerRow[] {
    const numbers = this.#numbers ?? []
    const rows: LedgerRow[] = []
    for (let at = startOf(numbers, this.#labels, this.#count - count); at < numbers.length;) {
      rows.push(rowAt(numbers, this.#labels, at))
      at += widthAt(numbers, this.#labels, at)
    }
    return rows
  }

  /** Drops all but the latest `count` rows. */
  keepLastRows(count: number): void {
    const numbers = this.#numbers ?? []
    this.#numbers = numbers.slice(startOf(numbers, this.#labels, this.#count - count))
    this.#count = Math.min(this.#count, count)
    if (this.#labels.length <= MAX_LABELS && count > 0) return
    // Adding the rows again drops unused labels.
    const rows = this.lastRows(count)
    this.#labels = NO_LABELS
    this.#numbers = null
    this.#count = 0
    for (const row of rows) this.addRow(row)
  }
}

/** The latest lists of one label: the agents of equal chats have equal labels and share the list. */
const sharedLabels: Labels[] = []

/** Most lists of one label that are remembered. */
const MAX_SHARED_LABELS = 8

function withLabel(labels: Labels, row: LedgerRow, flags: number): Labels {
  if (placeOf(labels, row, flags) >= 0) return labels
  if (labels.length > MAX_COMPARED_LABELS) {
    labels.push(labelOf(row, flags))
    return labels
  }
  // `concat` gives a list of the exact length; `push` would reserve memory for many more.
  if (labels.length > 0) return labels.concat(labelOf(row, flags))
  const known = sharedLabels.find((list) => placeOf(list, row, flags) === 0)
  if (known) return known
  const added = [labelOf(row, flags)]
  sharedLabels.unshift(added)
  sharedLabels.length = Math.min(sharedLabels.length, MAX_SHARED_LABELS)
  return added
}

const labelOf = ({ configId, tags, agent, usage }: LedgerRow, flags: number): Label => ({
  configId,
  tags,
  agent,
  model: usage.model,
  flags,
})

/** Returns the index of the label of a row; -1 if it is not among the latest. */
function placeOf(labels: Labels, { configId, tags, agent, usage: { model } }: LedgerRow, flags: number): number {
  for (let index = labels.length - 1; index >= 0 && index >= labels.length - MAX_COMPARED_LABELS; index--) {
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
  return -1
}

function flagsOf({ cached, estimated, usage, operation }: LedgerRow): number {
  let flags = operation === 'embed' ? ROW_FLAGS.embed : 0
  if (cached) flags |= ROW_FLAGS.cached
  if (estimated) flags |= ROW_FLAGS.estimated
  if (usage.cost === null) flags |= ROW_FLAGS.unpriced
  else if (usage.cost !== 0) flags |= ROW_FLAGS.cost
  if (usage.totalTokens !== usage.promptTokens + usage.completionTokens) flags |= ROW_FLAGS.total
  if (usage.cachedTokens !== undefined) flags |= ROW_FLAGS.cachedTokens
  if (usage.reasoningTokens !== undefined) flags |= ROW_FLAGS.reasoningTokens
  return flags
}

const hasFlag = ({ flags }: Label, flag: Flag): boolean => (flags & ROW_FLAGS[flag]) !== 0

function headOf(label: number, prompt: number, completion: number): number[] {
  const fits =
    label < HEAD_BOUNDS.label && isCount(prompt, HEAD_BOUNDS.prompt) && isCount(completion, HEAD_BOUNDS.completion)
  if (!fits) return [-1 - label, prompt, completion]
  return [label + HEAD_BOUNDS.label * (prompt + HEAD_BOUNDS.prompt * completion)]
}

const isCount = (value: number, limit: number): boolean => Number.isInteger(value) && value >= 0 && value < limit

/** Returns the index of the first number of row `rowIndex`. */
function startOf(numbers: readonly number[], labels: Labels, rowIndex: number): number {
  let start = 0
  for (let skip = rowIndex; skip > 0; skip--) start += widthAt(numbers, labels, start)
  return start
}

function widthAt(numbers: readonly number[], labels: Labels, start: number): number {
  const label = labels[labelAt(numbers, start)]!
  let width = numbers[start]! < 0 ? 4 : 2
  for (const flag of OPTIONAL_NUMBERS) if (hasFlag(label, flag)) width++
  return width
}

function labelAt(numbers: readonly number[], start: number): number {
  const head = numbers[start]!
  return head < 0 ? -1 - head : head % HEAD_BOUNDS.label
}

function rowAt(numbers: readonly number[], labels: Labels, start: number): LedgerRow {
  const label = labels[labelAt(numbers, start)]!
  const { configId, tags, agent, model } = label
  let next = start
  const head = numbers[next++]!
  const tokens = Math.floor(head / HEAD_BOUNDS.label)
  const promptTokens = head < 0 ? numbers[next++]! : tokens % HEAD_BOUNDS.prompt
  const completionTokens = head < 0 ? numbers[next++]! : Math.floor(tokens / HEAD_BOUNDS.prompt)
  const at = numbers[next++]!
  const readOptional = (flag: (typeof OPTIONAL_NUMBERS)[number]): number | undefined =>
    hasFlag(label, flag) ? numbers[next++] : undefined
  const totalTokens = readOptional('total') ?? promptTokens + completionTokens
  const cost = readOptional('cost') ?? (hasFlag(label, 'unpriced') ? null : 0)
  const [cachedTokens, reasoningTokens] = [readOptional('cachedTokens'), readOptional('reasoningTokens')]
  const usage = {
    model,
    promptTokens,
    completionTokens,
    totalTokens,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    cost,
  }
  const estimated = hasFlag(label, 'estimated')
  return {
    configId,
    usage,
    cached: hasFlag(label, 'cached'),
    ...(estimated && { estimated }),
    ...(hasFlag(label, 'embed') && { operation: 'embed' as const }),
    tags,
    agent,
    at,
  }
}
