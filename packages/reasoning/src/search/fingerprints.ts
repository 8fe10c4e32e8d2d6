import { XError } from '@x/kernel'
import type { SearchJob, JobRecord } from '../strategy/job.ts'
import type { SearchParts } from './search-options.ts'

const PART_OF: Readonly<Record<SearchJob['kind'], 'proposer' | 'grader' | 'answerer'>> = {
  expand: 'proposer',
  grade: 'grader',
  answer: 'answerer',
  merge: 'answerer',
}

/** Compares what the jobs of a search are made by with what a journal says of its records. */
export class Fingerprints {
  readonly #parts: SearchParts

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  /** Returns what makes the jobs of a kind, for their records. */
  of(kind: SearchJob['kind']): { by?: JobRecord['by'] } {
    const { fingerprint: method } = this.#parts.method ?? {}
    const { fingerprint: part } = this.#parts[PART_OF[kind]]
    return method === undefined && part === undefined ? {} : { by: { method, part } }
  }

  /**
   * Refuses a record of another proposer, grader or answerer, whose replies would be mixed with those of this one. Returns
   * a warning for a record of another method, since equal questions have equal answers; null when nothing has changed.
   */
  check({ kind }: SearchJob, { by }: JobRecord): string | null {
    const now = this.of(kind).by
    const part = PART_OF[kind]
    if (differ(by?.part, now?.part)) {
      throw new XError(
        'invalid-argument',
        `the search cannot continue with its journal: that was written with the ${part} \`${by?.part}\`, and this search has \`${now?.part}\`; search with the same model parts, prompts and rating scale, or without the journal`,
        { details: { part, saved: by?.part, now: now?.part } },
      )
    }
    if (!differ(by?.method, now?.method)) return null
    return `the journal was written with the method \`${by?.method}\`, and this search has \`${now?.method}\`: only what both ask is taken from it`
  }
}

const differ = (saved: string | undefined, now: string | undefined): boolean =>
  saved !== undefined && now !== undefined && saved !== now
