import type { EventBody, EventStream, OpenCall, SearchEvent } from '@x/interfaces'
import { runAsync, runStream, runSync } from '@x/kernel'
import { checkRunOptions, scopeOf } from '@x/kernel/run'
import { checkSearch } from './check-search.ts'
import { searchJournalIn } from './chat-journal.ts'
import type { SearchOptions, SearchResult } from './search-options.ts'
import { searchSteps, untilEnd } from './search.steps.ts'

/** Searches for an answer. A used-up budget, failed calls and an abort end the search with its best answer, not with an error. */
export async function search(question: string, options: SearchOptions): Promise<SearchResult> {
  checkSearch(options, 'search')
  const { emit, run } = options
  const { open, parts } = partsIn(options)
  try {
    if (!run || emit) {
      const steps = searchSteps(question, parts, toSameEvent)
      return await runAsync<SearchResult, SearchEvent>(steps, { run: open?.run ?? run, emit })
    }
    return await runAsync(searchSteps(question, parts, toProgress), { run: open?.run ?? run })
  } finally {
    open?.end()
  }
}

/** Searches like `search`, but blocking: one job after another in the serial order. */
export function searchSync(question: string, options: Omit<SearchOptions, 'signal'>): SearchResult {
  checkSearch(options, 'searchSync')
  const { emit, run } = options
  const { open, parts } = partsIn(options)
  try {
    if (!run || emit) {
      const steps = searchSteps(question, parts, toSameEvent)
      return runSync<SearchResult, SearchEvent>(steps, { run: open?.run ?? run, emit })
    }
    return runSync(searchSteps(question, parts, toProgress), { run: open?.run ?? run })
  } finally {
    open?.end()
  }
}

/** Searches like `search`, as a stream of its events with a promise of the `result`. */
export function searchStream(
  question: string,
  options: Omit<SearchOptions, 'emit'>,
): EventStream<SearchResult, SearchEvent> {
  checkSearch(options, 'searchStream')
  const { open, parts } = partsIn(options)
  const steps = untilEnd(searchSteps(question, parts, toSameEvent), open)
  return runStream<SearchResult, SearchEvent>(steps, { run: open?.run ?? options.run })
}

const toSameEvent = (event: SearchEvent): SearchEvent => event

const toProgress = (event: SearchEvent): EventBody => ({ type: 'searchProgress', agent: null, event })

/** Returns the parts of a search; in a recorded run without a `journal` option, the run's journal stores the jobs. */
function partsIn({ emit, run, ...parts }: SearchOptions): {
  readonly open: OpenCall | undefined
  readonly parts: Omit<SearchOptions, 'emit' | 'run'>
} {
  checkRunOptions({ run, emit, signal: parts.signal })
  const open = run && scopeOf(run)?.open?.(run, { kind: 'search' })
  const journal = parts.journal ?? searchJournalIn(open, null)
  return { open, parts: { ...parts, ...(journal && { journal }) } }
}
