/** How a search ended: a verifier accepted, the method accepted, a budget was hit, nothing was left to try, stopped. */
export type SearchStatus = 'verified' | 'accepted' | 'budget' | 'exhausted' | 'aborted'

/** What a search asks a model for: options for a next step, a grade, an answer, one answer out of several. */
export type SearchJobKind = 'expand' | 'grade' | 'answer' | 'merge'

/** What a search has used so far. */
export interface SearchUsage {
  calls: number
  promptTokens: number
  completionTokens: number
  /** Cost in US dollars. */
  cost: number
  /** Model that answered, where it was one call. */
  model?: string | undefined
  /** Whether that answer came from a cache. */
  cached?: boolean | undefined
}

/** One event of a growing tree of thoughts; nodes and jobs appear by their ids. */
export type SearchEvent =
  | { type: 'search-start'; question: string }
  | { type: 'job-start'; job: string; kind: SearchJobKind }
  | { type: 'job-end'; job: string; kind: SearchJobKind; used: SearchUsage; failure: string | null; replayed: boolean }
  | { type: 'node-add'; node: string; parent: string | null; content: string; depth: number }
  | { type: 'node-grade'; node: string; grade: number | null; details: string }
  | { type: 'node-fate'; node: string; fate: string }
  | { type: 'best-change'; node: string | null; text: string | null; grade: number | null }
  | { type: 'search-end'; status: SearchStatus; answer: string | null; used: SearchUsage }
