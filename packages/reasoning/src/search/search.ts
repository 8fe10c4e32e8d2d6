import type { SearchEvent } from '@x/interfaces'
import { runAsync, runStream, runSync } from '@x/kernel'
import type { SearchOptions, SearchResult } from './search-options.ts'
import { searchSteps } from './search.steps.ts'

const toSameEvent = (event: SearchEvent): SearchEvent => event

/** Searches for an answer. A budget, failed calls and an abort end it with its best answer and a status, not with an error. */
export async function search(question: string, options: SearchOptions): Promise<SearchResult> {
  const { emit, ...parts } = options
  return await runAsync<SearchResult, SearchEvent>(searchSteps(question, parts, toSameEvent), { emit })
}

/** Searches like `search`, but blocking: one job after the other in the serial order. */
export function searchSync(question: string, options: Omit<SearchOptions, 'signal'>): SearchResult {
  const { emit, ...parts } = options
  return runSync<SearchResult, SearchEvent>(searchSteps(question, parts, toSameEvent), { emit })
}

/** Searches like `search`, as a stream of its events that returns the result. */
export function searchStream(
  question: string,
  options: Omit<SearchOptions, 'emit'>,
): AsyncGenerator<SearchEvent, SearchResult, void> {
  return runStream<SearchResult, SearchEvent>(searchSteps(question, options, toSameEvent))
}
