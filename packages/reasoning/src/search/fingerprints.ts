import type { CallInput } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { SearchJob, JobRecord } from '../strategy/job.ts'
import { settingsOf } from '../strategy/fingerprint.ts'
import type { SearchParts } from './search-options.ts'

const PART_OF_JOB: Readonly<Record<SearchJob['kind'], 'proposer' | 'grader' | 'answerer'>> = {
  expand: 'proposer',
  grade: 'grader',
  answer: 'answerer',
  merge: 'answerer',
}

/** Compares the method and parts of a search with those that wrote the records of a journal. */
export class Fingerprints {
  readonly #parts: SearchParts
  /** The models that wrote the replies of the journal. */
  readonly #answeredBy = { proposer: new Set<string>(), grader: new Set<string>(), answerer: new Set<string>() }

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  /** Returns the method, part and model for the records of a kind of job. */
  of(kind: SearchJob['kind']): { by?: JobRecord['by'] } {
    const { fingerprint: method } = this.#parts.method ?? {}
    const { fingerprint: part, modelName: model } = this.#parts[PART_OF_JOB[kind]]
    return [method, part, model].every((name) => name === undefined) ? {} : { by: { method, part, model } }
  }

  /** Returns what a record has of a kind of job: the settings of the method and of the part that answers, and the parameters of its model. */
  toldOf(kind: SearchJob['kind']): CallInput {
    const part = this.#parts[PART_OF_JOB[kind]]
    const options = { method: settingsOf(this.#parts.method), part: settingsOf(part) }
    return { options, ...this.of(kind), settings: part.requestSettings?.() }
  }

  /**
   * Throws for a record of another proposer, grader or answerer, since its replies would mix with the new ones. Returns
   * warnings for a record of another model, whose replies are paid for and stay valid, and of another method, since equal
   * questions have equal answers.
   */
  check({ kind }: SearchJob, { by, used }: JobRecord): string[] {
    const now = this.of(kind).by
    const part = PART_OF_JOB[kind]
    if (differ(by?.part, now?.part)) {
      throw new XError(
        'invalid-argument',
        `the search cannot continue with its journal: the ${part} \`${by?.part}\` wrote the journal, and this search has \`${now?.part}\`; search with the same model parts, prompts and rating scale, or without the journal`,
        { details: { part, saved: by?.part, now: now?.part } },
      )
    }
    if (used.model !== undefined) this.#answeredBy[part].add(used.model)
    const warnings: string[] = []
    if (differ(by?.model, now?.model)) warnings.push(otherModel(part, by?.model, now?.model))
    if (differ(by?.method, now?.method)) {
      warnings.push(
        `the method \`${by?.method}\` wrote the journal, and this search has \`${now?.method}\`: only results of jobs that both methods ask are used`,
      )
    }
    return warnings
  }

  /** Returns a warning for a new reply of another model than those of the journal, if the part does not name its model. */
  checkNew({ kind }: SearchJob, { used: { model } }: JobRecord): string[] {
    const part = PART_OF_JOB[kind]
    const earlier = this.#answeredBy[part]
    if (model === undefined || earlier.size === 0 || earlier.has(model) || this.of(kind).by?.model !== undefined)
      return []
    return [otherModel(part, [...earlier].join(', '), model)]
  }
}

const otherModel = (part: string, saved: string | undefined, now: string | undefined): string =>
  `the journal has replies of the model \`${saved}\` to the ${part}, and this search asks \`${now}\`: the search uses the replies of both; search without the journal to avoid that`

const differ = (saved: string | undefined, now: string | undefined): boolean =>
  saved !== undefined && now !== undefined && saved !== now
