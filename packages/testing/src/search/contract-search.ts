import type { MaybePromise, Run, SearchUsage } from '@x/interfaces'

/** A node of a tree of thoughts, as far as `searchMethodContract` looks at it; a `ThinkNode` of `@x/reasoning` is one. */
export interface ContractNode {
  readonly id: string
  readonly parent: ContractNode | null
  readonly children: readonly ContractNode[]
  readonly content: string
  readonly depth: number
  readonly value: number
  readonly grade: number | null
}

/** An option for a next step. */
export interface ContractOption {
  content: string
  output?: string | null | undefined
  grade?: number | null | undefined
}

/** The grade of a node. */
export interface ContractGrade {
  value: number | null
  details: string
}

/** The parts of a search, as programs that do not wait. */
export interface ContractParts {
  readonly proposer: {
    propose(
      request: { readonly node: ContractNode; readonly sample: number },
      run: Run,
    ): MaybePromise<{ readonly text: string; readonly reflection: string; readonly options: readonly ContractOption[] }>
  }
  readonly grader: {
    grade(
      request: { readonly nodes: readonly ContractNode[]; readonly sample: number },
      run: Run,
    ): MaybePromise<{ readonly grades: readonly ContractGrade[] }>
  }
  readonly answerer: {
    answer(
      request: { readonly from: readonly ContractNode[]; readonly sample: number },
      run: Run,
    ): MaybePromise<{ readonly text: string }>
    merge?(
      request: { readonly answers: readonly string[]; readonly sample: number },
      run: Run,
    ): MaybePromise<{ readonly text: string }>
  }
}

/** The outcome of a job of a search. */
export type ContractOutcome =
  | { kind: 'expand'; text: string; reflection: string; options: ContractOption[] }
  | { kind: 'grade'; grades: ContractGrade[] }
  | {
      kind: 'answer' | 'merge'
      text: string
      verdict: { accepted: boolean; score: number; reason: string | null } | null
    }
  | { kind: 'failed'; code: string; message: string }

/** The record of a finished job. */
export interface ContractRecord {
  outcome: ContractOutcome
  used: SearchUsage
}

/** Options that `searchMethodContract` gives to a search. */
export interface ContractSearchOptions<M> extends ContractParts {
  readonly method: M
  readonly budget?: { calls: number } | undefined
  readonly concurrency?: number | undefined
  readonly repair?: boolean | undefined
  readonly verifier?: ((answer: string) => boolean) | undefined
  readonly journal?:
    | { get(job: string): ContractRecord | undefined; set(job: string, record: ContractRecord): void }
    | undefined
}

/** The result of a search, as far as the suite looks at it. */
export interface ContractSearchResult {
  readonly answer: string | null
  readonly status: string
  readonly trees: readonly ContractNode[]
  readonly used: { readonly calls: number }
}

/** A job that a strategy asks for. */
export interface ContractJob {
  readonly kind: 'expand' | 'grade' | 'answer' | 'merge'
  readonly id: string
  readonly sample: number
}

/** A search algorithm: `ask` returns jobs, `tell` takes their outcomes. */
export interface ContractStrategy {
  readonly trees: readonly { readonly root: ContractNode }[]
  readonly answer: { readonly text: string | null } | null
  readonly jobs?: { readonly size: number; has(job: ContractJob): boolean } | undefined
  ask(): readonly ContractJob[]
  tell(job: ContractJob, outcome: ContractOutcome): void
  best(): { readonly text: string | null }
  conclude?(): void
}

/** Makes a strategy for one search. */
export type ContractMethod = (task: {
  readonly question: string
  readonly id: string
  readonly sample: number
  readonly stride: number
  readonly random: (position: string) => number
  readonly verified: boolean
}) => ContractStrategy

/** Description of a search method for `searchMethodContract`. */
export interface SearchMethodContract<M extends ContractMethod> {
  /** Name in the titles of the tests. */
  readonly name: string
  readonly method: M
  /** `search` of `@x/reasoning`. */
  readonly search: (
    question: string,
    options: ContractSearchOptions<M> & { readonly signal?: AbortSignal | undefined },
  ) => Promise<ContractSearchResult>
  /** `searchSync` of `@x/reasoning`. */
  readonly searchSync: (question: string, options: ContractSearchOptions<M>) => ContractSearchResult
  /** Deterministic programs for a method that reads the text of steps; default: steps without meaning. */
  readonly parts?: ContractParts | undefined
  /** The question for these parts. */
  readonly question?: string | undefined
}
