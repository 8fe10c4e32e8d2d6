import type { CacheStore, JsonValue, Spending, StoredAnswer } from '@x/interfaces'
import { XError } from '@x/kernel'
import { lockPath } from '@x/kernel/sqlite'
import { messageOf } from './failure.ts'
import { digestOf, fileSystem } from './platform.ts'

/** Version of the file, in its first line. */
const FILE_VERSION = 1

const READ_BYTES = 1 << 20

/** The answer of a contestant to a task, as the file keeps it. */
export interface KeptAnswer {
  /** Digest of all that the answer depends on: task, contestant, settings, repeat. */
  readonly cell: string
  readonly task: string
  readonly contestant: string
  readonly repeat: number
  /** Null without an answer. */
  readonly text: string | null
  readonly confidence: number | null
  /** State of the world of the task; null without one. */
  readonly state: JsonValue
  /** The reason of a missing answer. */
  readonly error: { readonly code: string; readonly message: string } | null
  readonly spent: EvalSpending
  /** Duration in milliseconds. */
  readonly ms: number
  /** Identifiers of the runs that records have of it; absent if it was not recorded. */
  readonly runs?: readonly string[] | undefined
}

/** A question to a model inside of a cell, the n-th of equal ones, and its answer. */
interface KeptCall {
  readonly call: readonly [cell: string, key: string, n: number]
  readonly value: unknown
  readonly spent: EvalSpending
}

/** The key of amounts without a call: no question has it. */
const IN_VAIN = 'in vain'

/** Amounts that models have cost. */
export interface EvalSpending extends Spending {
  /** Calls whose price is not known, which cost 0 here; absent for none. */
  readonly unpriced?: number | undefined
}

/** No amounts. */
export const NOTHING_SPENT: EvalSpending = Object.freeze({ cost: 0, tokens: 0, calls: 0 })

/** Adds up amounts. */
export const sumOfSpending = (all: Iterable<EvalSpending>): EvalSpending =>
  [...all].reduce((sum, { cost, tokens, calls, unpriced = 0 }) => {
    const withoutPrice = (sum.unpriced ?? 0) + unpriced
    return {
      cost: sum.cost + cost,
      tokens: sum.tokens + tokens,
      calls: sum.calls + calls,
      ...(withoutPrice > 0 && { unpriced: withoutPrice }),
    }
  }, NOTHING_SPENT)

/** Subtracts amounts; none is less than nothing. */
export function lessSpending(from: Spending, ...taken: readonly Spending[]): Spending {
  const { cost, tokens, calls } = sumOfSpending(taken)
  const rest = (whole: number, part: number): number => (whole - part > ROUNDING_ERROR ? whole - part : 0)
  return { cost: rest(from.cost, cost), tokens: rest(from.tokens, tokens), calls: rest(from.calls, calls) }
}

/** An amount, or a difference of means, that rounding leaves of nothing. */
export const ROUNDING_ERROR = 1e-9

/**
 * The answers of evaluations, as JSON lines: each answer of a contestant, and each answer of a model inside of one that is not
 * there yet. A line is written at once, so that a killed process loses what is under way and nothing else. A line that was cut off
 * or damaged does not fit its checksum and is passed over: what it had is asked again.
 */
export class AnswerFile {
  readonly #answers = new Map<string, KeptAnswer>()
  readonly #calls = new Map<string, Map<string, KeptCall>>()
  readonly #file: string | undefined
  readonly #loss = new AbortController()
  /** Null: nothing is written. */
  #descriptor: number | null = null
  /** Lets other processes and evaluations have the file. */
  #unlock: (() => void) | null = null

  /**
   * Opens a file, which is made if it is missing and belongs to this evaluation alone until it is closed; without one, answers are
   * kept while the program runs.
   */
  constructor(file?: string) {
    this.#file = file
    if (file === undefined) return
    const fs = fileSystem()
    try {
      this.#unlock = lockAnswers(file)
      const isNew = !fs.existsSync(file) || fs.statSync(file).size === 0
      const endsLine = isNew || this.#read(file)
      this.#descriptor = fs.openSync(file, 'a', 0o600)
      if (isNew) fs.writeSync(this.#descriptor, `{"x-eval":${FILE_VERSION}}\n`)
      else if (!endsLine) fs.writeSync(this.#descriptor, '\n')
    } catch (error) {
      this.close()
      if (error instanceof XError) throw error
      throw unwritable(file, error, 'name a file to write')
    }
  }

  /** Fires when a line cannot be written: what is asked from then on would be paid again. Its reason is the error. */
  get lost(): AbortSignal {
    return this.#loss.signal
  }

  /** True if other evaluations will find the answers. */
  get isKept(): boolean {
    return this.#descriptor !== null
  }

  /** True if the file has the answer of a cell, or something of one that is under way. */
  has(cell: string): boolean {
    return this.#answers.has(cell) || this.#calls.has(cell)
  }

  /** Returns the answer of a cell, if it is there. */
  answer(cell: string): KeptAnswer | undefined {
    return this.#answers.get(cell)
  }

  /** Keeps an answer. The calls inside of it are needed no more. */
  keep(answer: KeptAnswer): void {
    this.#take({ answer })
    this.#write({ answer })
  }

  /** Keeps amounts that no answer and no call has: those of attempts in vain. */
  keepSpent(cell: string, spent: Spending): void {
    if (spent.cost + spent.tokens + spent.calls === 0) return
    this.#keepCall({ call: [cell, IN_VAIN, this.#calls.get(cell)?.size ?? 0], value: null, spent })
  }

  /** Returns what was spent on a cell so far. Calls behind its answer count beside it. */
  spentOn(cell: string): EvalSpending {
    const calls = [...(this.#calls.get(cell)?.values() ?? [])]
    return sumOfSpending([this.#answers.get(cell)?.spent ?? NOTHING_SPENT, ...calls.map(({ spent }) => spent)])
  }

  /** All that was spent on what is in the file. */
  get spent(): EvalSpending {
    const cells = new Set([...this.#answers.keys(), ...this.#calls.keys()])
    return sumOfSpending([...cells].map((cell) => this.spentOn(cell)))
  }

  /** The calls inside of one cell, which are asked in this process for the first time or again. */
  callsOf(cell: string): CellCalls {
    return new CellCalls({
      find: (key, n) => this.#calls.get(cell)?.get(nameOf(key, n)),
      keep: (key, n, value, spent) => this.#keepCall({ call: [cell, key, n], value, spent }),
    })
  }

  #keepCall(line: KeptCall): void {
    this.#take(line)
    this.#write(line)
  }

  close(): void {
    if (this.#descriptor !== null) fileSystem().closeSync(this.#descriptor)
    this.#descriptor = null
    this.#unlock?.()
    this.#unlock = null
  }

  #write(line: object): void {
    if (this.#descriptor === null) return
    this.lost.throwIfAborted()
    try {
      writeWhole(this.#descriptor, `${sealed(JSON.stringify(line))}\n`)
    } catch (error) {
      this.#loss.abort(unwritable(this.#file!, error, 'make room, and evaluate again: what it has is not asked again'))
      this.lost.throwIfAborted()
    }
  }

  #take(line: { readonly answer: KeptAnswer } | KeptCall): void {
    if ('answer' in line) {
      const { cell } = line.answer
      const earlier = this.#answers.get(cell)
      // One that did not come in time may be asked again with more of it.
      if (!earlier || earlier.error?.code === 'timeout') this.#answers.set(cell, line.answer)
      this.#calls.delete(cell)
      return
    }
    const [cell, key, n] = line.call
    const calls = this.#calls.get(cell) ?? new Map<string, KeptCall>()
    this.#calls.set(cell, calls.set(nameOf(key, n), line))
  }

  /** Reads all lines; returns whether the last one has its end. */
  #read(file: string): boolean {
    let isFirst = true
    let rest = ''
    for (const part of partsOf(file)) {
      const lines = (rest + part).split('\n')
      rest = lines.pop()!
      for (const ended of lines) {
        // Git may have made its line ends those of Windows.
        const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended
        if (isFirst) checkHeader(file, line)
        else this.#readLine(line)
        isFirst = false
      }
    }
    if (isFirst) checkHeader(file, rest)
    else this.#readLine(rest)
    return rest === ''
  }

  #readLine(text: string): void {
    // A line that fits its checksum was written by this class.
    if (isWhole(text)) this.#take(parsedLine(text) as { readonly answer: KeptAnswer } | KeptCall)
  }
}

const unwritable = (file: string, error: unknown, advice: string): XError =>
  new XError('invalid-argument', `cannot keep answers in \`${file}\` (${messageOf(error)}): ${advice}`, {
    cause: error,
  })

/** Writes all of a text: a disk that is nearly full takes a part of it. */
function writeWhole(descriptor: number, text: string): void {
  let rest = new TextEncoder().encode(text)
  while (rest.length > 0) rest = rest.subarray(fileSystem().writeSync(descriptor, rest))
}

/** Locks the answers in a file, by whatever link it is named. */
function lockAnswers(file: string): () => void {
  const fs = fileSystem()
  return lockPath(`${fs.existsSync(file) ? fs.realpathSync(file) : file}-lock`, (holder, cause) => {
    const who = holder === process.pid ? 'an evaluation of this process' : `process ${holder ?? 'unknown'}`
    return new XError(
      'invalid-state',
      `cannot evaluate with the answers in \`${file}\`: ${who} writes them; wait until it has ended, or name another file`,
      { cause, details: { holder } },
    )
  })
}

const nameOf = (key: string, n: number): string => `${n} ${key}`

function* partsOf(file: string): Generator<string> {
  const fs = fileSystem()
  const descriptor = fs.openSync(file, 'r')
  try {
    const decoder = new TextDecoder()
    const bytes = new Uint8Array(READ_BYTES)
    for (;;) {
      const count = fs.readSync(descriptor, bytes)
      if (count === 0) return
      yield decoder.decode(bytes.subarray(0, count), { stream: true })
    }
  } finally {
    fs.closeSync(descriptor)
  }
}

function checkHeader(file: string, line: string): void {
  const version = (parsedLine(line) as { readonly 'x-eval'?: unknown } | null)?.['x-eval']
  if (version === FILE_VERSION) return
  if (typeof version !== 'number') {
    throw new XError(
      'invalid-state',
      `\`${file}\` has no answers of an evaluation: name a new file, or one that \`evaluate\` has written`,
    )
  }
  throw new XError(
    'unknown-state-version',
    `the answers in \`${file}\` have version ${version}, and this release reads version ${FILE_VERSION}: update \`@x/eval\``,
    { details: { version, known: [FILE_VERSION] } },
  )
}

function parsedLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const CHECKSUM_LENGTH = 8

/** The end of a line: its last key. */
const endOf = (json: string): string => `,"checksum":"${digestOf(json).slice(0, CHECKSUM_LENGTH)}"}`

/** Adds the checksum to the JSON of a line. It detects accidents, not attacks. */
const sealed = (json: string): string => json.slice(0, -1) + endOf(json)

const END_LENGTH = endOf('{}').length

const isWhole = (line: string): boolean => line.endsWith(endOf(`${line.slice(0, -END_LENGTH)}}`))

/** Where the calls of a cell are kept. */
interface CallStorage {
  readonly find: (key: string, n: number) => KeptCall | undefined
  readonly keep: (key: string, n: number, value: unknown, spent: EvalSpending) => void
}

/**
 * The calls inside of one cell. An earlier process may have been killed in it: its answers are given again, the first to the
 * first equal question and so on, and never the same to two questions.
 */
export class CellCalls {
  readonly #storage: CallStorage
  readonly #counts = new Map<string, number>()
  readonly #recalled: EvalSpending[] = []
  readonly #kept: EvalSpending[] = []

  constructor(storage: CallStorage) {
    this.#storage = storage
  }

  /** Amounts of the answers that were given again. */
  get recalled(): EvalSpending {
    return sumOfSpending(this.#recalled)
  }

  /** Amounts of the answers that were kept now. */
  get kept(): EvalSpending {
    return sumOfSpending(this.#kept)
  }

  /**
   * Makes the cache of one call of a model: each call has its own, so that equal questions at once are not joined to one, as they
   * would be in a cache that they share.
   */
  cache(): CacheStore {
    const numbers = new Map<string, number>()
    const numberOf = (key: string): number => {
      const known = numbers.get(key)
      if (known !== undefined) return known
      const n = this.#next(key)
      numbers.set(key, n)
      return n
    }
    return {
      name: 'the answers of the evaluation',
      get: (key) => this.#find(key, numberOf(key)) as StoredAnswer | undefined,
      set: (key, value) => this.#keep(key, numberOf(key), value, spendingOf(value)),
    }
  }

  /** Returns the kept value of a key, or makes one and keeps it. */
  async once<T>(key: string, make: () => Promise<{ readonly value: T; readonly spent: EvalSpending }>): Promise<T> {
    const n = this.#next(key)
    const known = this.#find(key, n)
    if (known !== undefined) return known as T
    const { value, spent } = await make()
    this.#keep(key, n, value, spent)
    return value
  }

  #keep(key: string, n: number, value: unknown, spent: EvalSpending): void {
    this.#storage.keep(key, n, value, spent)
    this.#kept.push(spent)
  }

  #next(key: string): number {
    const n = this.#counts.get(key) ?? 0
    this.#counts.set(key, n + 1)
    return n
  }

  #find(key: string, n: number): unknown {
    const known = this.#storage.find(key, n)
    if (known) this.#recalled.push(known.spent)
    return known?.value
  }
}

const spendingOf = ({ answer, cost }: StoredAnswer): EvalSpending => ({
  cost: cost ?? 0,
  tokens: answer.usage?.total_tokens ?? 0,
  calls: 1,
  ...(cost === null && { unpriced: 1 }),
})
