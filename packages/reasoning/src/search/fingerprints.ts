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
  /** The models that gave the replies of the journal. */
  readonly #answeredBy = { proposer: new Set<string>(), grader: new Set<string>(), answerer: new Set<string>() }

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  /** Returns what makes the jobs of a kind, for their records. */
  of(kind: SearchJob['kind']): { by?: JobRecord['by'] } {
    const { fingerprint: method } = this.#parts.method ?? {}
    const { fingerprint: part, modelName: model } = this.#parts[PART_OF[kind]]
    return [method, part, model].every((known) => known === undefined) ? {} : { by: { method, part, model } }
  }

  /**
   * Refuses a record of another proposer, grader or answerer, whose replies would be mixed with those of this one. Returns
   * warnings for a record of another model, whose replies were paid for and may go on, and for one of another method, since
   * equal questions have equal answers.
   */
  check({ kind }: SearchJob, { by, used }: JobRecord): string[] {
    const now = this.of(kind).by
    const part = PART_OF[kind]
    if (differ(by?.part, now?.part)) {
      throw new XError(
        'invalid-argument',
        `the search cannot continue with its journal: that was written with the ${part} \`${by?.part}\`, and this search has \`${now?.part}\`; search with the same model parts, prompts and rating scale, or without the journal`,
        { details: { part, saved: by?.part, now: now?.part } },
      )
    }
    if (used.model !== undefined) this.#answeredBy[part].add(used.model)
    const warnings: string[] = []
    if (differ(by?.model, now?.model)) warnings.push(otherModel(part, by?.model, now?.model))
    if (differ(by?.method, now?.method)) {
      warnings.push(
        `the journal was written with the method \`${by?.method}\`, and this search has \`${now?.method}\`: only what both ask is taken from it`,
      )
    }
    return warnings
  }

  /** Returns a warning for a new reply of another model than those of the journal, when the part does not name its model. */
  checkNew({ kind }: SearchJob, { used: { model } }: JobRecord): string[] {
    const part = PART_OF[kind]
    const known = this.#answeredBy[part]
    if (model === undefined || known.size === 0 || known.has(model) || this.of(kind).by?.model !== undefined) return []
    return [otherModel(part, [...known].join(', '), model)]
  }
}

const otherModel = (part: string, saved: string | undefined, now: string | undefined): string =>
  `the journal has replies of the model \`${saved}\` to the ${part}, and this search asks \`${now}\`: the replies of both are mixed; search without the journal if they must not be`

const differ = (saved: string | undefined, now: string | undefined): boolean =>
  saved !== undefined && now !== undefined && saved !== now
