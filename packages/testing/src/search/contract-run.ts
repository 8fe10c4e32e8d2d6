import type { MaybePromise } from '@x/interfaces'
import { numberOf } from './contract-parts.ts'
import type { ContractNode, ContractParts, ContractRecord } from './contract-search.ts'

/** Number of calls after which a search counts as endless. */
const MAX_CALLS = 1000

/** The kind of a call. */
export type CallKind = 'expand' | 'grade' | 'answer'

/** Disturbance of the calls of a search. */
export interface Disturbance {
  /** Delays the replies so that they come in another order for each number; default: they come at once. */
  readonly order?: number | undefined
  /** Tells whether a call fails; calls count from 1. */
  readonly fails?: ((kind: CallKind, call: number) => boolean) | undefined
  /** Aborts the search during this call. */
  readonly abortAt?: number | undefined
  /** Parts that replace parts of the contract. */
  readonly change?: Partial<ContractParts> | undefined
}

/** The calls of one search: delays, fails and counts them. */
export class ContractRun {
  readonly #stop = new AbortController()
  readonly #parts: ContractParts
  readonly #disturbance: Disturbance
  calls: number = 0
  /** The answers that were written. */
  readonly written: Set<string> = new Set()

  constructor(parts: ContractParts, disturbance: Disturbance = {}) {
    this.#parts = { ...parts, ...disturbance.change }
    this.#disturbance = disturbance
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get isEndless(): boolean {
    return this.calls > MAX_CALLS
  }

  /** The parts for the search. */
  get parts(): ContractParts {
    const { proposer, grader, answerer } = this.#parts
    return {
      proposer: {
        propose: (request, run) =>
          this.#reply('expand', `${request.node.id} ${request.sample}`, () => proposer.propose(request, run)),
      },
      grader: {
        grade: (request, run) =>
          this.#reply('grade', `${idsOf(request.nodes)} ${request.sample}`, () => grader.grade(request, run)),
      },
      answerer: {
        answer: (request, run) =>
          this.#reply('answer', `${idsOf(request.from)} ${request.sample}`, () =>
            this.#write(answerer.answer(request, run)),
          ),
        ...(answerer.merge && {
          merge: (request, run) =>
            this.#reply('answer', `merge ${request.sample}`, () => this.#write(answerer.merge!(request, run))),
        }),
      },
    }
  }

  #reply<T>(kind: CallKind, request: string, make: () => MaybePromise<T>): MaybePromise<T> {
    const call = (this.calls += 1)
    const { order, fails, abortAt } = this.#disturbance
    if (call === abortAt || this.isEndless) this.#stop.abort()
    const answer = (): MaybePromise<T> => {
      if (fails?.(kind, call)) throw new Error(`call ${call} fails`)
      return make()
    }
    return order === undefined ? answer() : later(numberOf(`${order} ${kind} ${request}`, 9), answer)
  }

  #write<T extends { readonly text: string }>(made: MaybePromise<T>): MaybePromise<T> {
    const note = (answer: T): T => {
      this.written.add(answer.text.trim())
      return answer
    }
    return made instanceof Promise ? made.then(note) : note(made as T)
  }
}

/** A journal that can be cut. */
export class ContractJournal {
  readonly rows: (readonly [string, ContractRecord])[]
  readonly #records: Map<string, ContractRecord>

  constructor(rows: readonly (readonly [string, ContractRecord])[] = []) {
    this.rows = [...rows]
    this.#records = new Map(rows)
  }

  get(job: string): ContractRecord | undefined {
    return this.#records.get(job)
  }

  /** Keeps a record as text, as a file would. */
  set(job: string, record: ContractRecord): void {
    const row = [job, JSON.parse(JSON.stringify(record)) as ContractRecord] as const
    this.rows.push(row)
    this.#records.set(...row)
  }
}

const idsOf = (nodes: readonly ContractNode[]): string => nodes.map(({ id }) => id).join('+')

async function later<T>(turns: number, answer: () => MaybePromise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve()
  return await answer()
}
