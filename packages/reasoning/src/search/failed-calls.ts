import type { SearchJob } from '../strategy/job.ts'
import type { JobProblem } from './follow-up.ts'

/** Plural names of the jobs; a merge writes an answer too. */
const NAMES = { grade: 'gradings', expand: 'proposals', answer: 'answers', merge: 'answers' } as const

/** Counts the jobs of a search, and those that failed in spite of a second attempt. */
export class FailedCalls {
  readonly #counts = new Map<string, { ended: number; failed: number; last: string }>()

  count({ kind }: SearchJob, problem: JobProblem | null): void {
    const name = NAMES[kind]
    const { ended, failed, last } = this.#counts.get(name) ?? { ended: 0, failed: 0, last: '' }
    this.#counts.set(name, {
      ended: ended + 1,
      failed: failed + (problem ? 1 : 0),
      last: problem?.message ?? last,
    })
  }

  /** Says for each kind of job how many failed; nothing about a kind of which none did. */
  get warnings(): readonly string[] {
    return [...new Set(Object.values(NAMES))].flatMap((name) => {
      const { ended = 0, failed = 0, last = '' } = this.#counts.get(name) ?? {}
      return failed > 0 ? [`${failed} of ${ended} ${name} failed, the last with: ${last}`] : []
    })
  }
}
