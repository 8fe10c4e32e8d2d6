import type { EventBody, EventStream, RunScope, XEvent } from '@x/interfaces'
import { runAsync, runStream, runSync, type Steps } from '@x/kernel'
import { checkRunOptions, scopeOf } from '@x/kernel/run'
import { searchJournalIn } from './chat-journal.ts'
import { checkSearch } from './check-search.ts'
import type { SearchOptions, SearchResult } from './search-options.ts'
import { newEventScope, searchInRun, searchSteps, type SearchCall } from './search.steps.ts'

/** Searches for an answer. A used-up budget, failed calls and an abort end the search with its best answer, not with an error. */
export async function search(question: string, options: SearchOptions): Promise<SearchResult> {
  checkSearch(question, options, 'search')
  const { run, emit } = options
  const { steps, scope } = begin(question, options, emit !== undefined)
  return await runAsync<SearchResult, EventBody, XEvent>(steps, { run, emit, scope })
}

/** Searches like `search`, but blocking: one job after another in the serial order. */
export function searchSync(question: string, options: Omit<SearchOptions, 'signal'>): SearchResult {
  checkSearch(question, options, 'searchSync')
  const { run, emit } = options
  const { steps, scope } = begin(question, options, emit !== undefined)
  return runSync<SearchResult, EventBody, XEvent>(steps, { run, emit, scope })
}

/** Searches like `search`, as a stream of its events with a promise of the `result`. */
export function searchStream(question: string, options: Omit<SearchOptions, 'emit'>): EventStream<SearchResult> {
  checkSearch(question, options, 'searchStream')
  const { steps, scope } = begin(question, options, true)
  return runStream<SearchResult, EventBody, XEvent>(steps, { run: options.run, scope })
}

/**
 * Opens the call of a search in its run, and makes its steps. `isHeard` if the search has a listener of its own. In a recorded
 * run without a `journal` option, the run's journal stores the jobs.
 */
function begin(
  question: string,
  { emit, run, events, tracer, ...parts }: SearchOptions,
  isHeard: boolean,
): { readonly steps: Steps<SearchResult>; readonly scope: RunScope | undefined } {
  checkRunOptions({ run, emit, signal: parts.signal })
  const around = run && scopeOf(run)
  const trace = run ? undefined : tracer?.begin()
  // Its jobs have no places, at which a record could tell what they ask.
  trace?.calls?.fail('it is a search without a `run`, whose calls are not recorded: start it inside a run')
  const own = run || isHeard || trace ? newEventScope(events, { trace, isHeard: Boolean(run) || isHeard }) : undefined
  const scope = around && (isHeard || events) ? around.heard(events) : (around ?? own)
  const open = run && scope?.open?.(run, { kind: 'search' })
  const kept = parts.journal ? undefined : searchJournalIn(open, null, parts.perform !== undefined)
  const call: SearchCall = { agent: null, open, kept }
  const search = run ? searchInRun : searchSteps
  return { steps: search(question, { ...parts, ...(kept && { journal: kept }) }, call), scope }
}
