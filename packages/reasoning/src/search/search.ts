import type { SearchEvent } from '@x/interfaces'
import { runAsync, runStream, runSync } from '@x/kernel'
import type { SearchOptions, SearchResult } from './search-options.ts'
import { searchSteps } from './search.steps.ts'

const itself = (event: SearchEvent): SearchEvent => event

/** Searches for an answer. Budgets, failed calls and an abort end it with what it has and a status, never with an error. */
export async function search(question: string, options: SearchOptions): Promise<SearchResult> {
  const { emit, ...parts } = options
  return await runAsync<SearchResult, SearchEvent>(searchSteps(question, parts, itself), { emit })
}

/** The same, blocking: one job after the other in the serial order. */
export function searchSync(question: string, options: Omit<SearchOptions, 'signal'>): SearchResult {
  const { emit, ...parts } = options
  return runSync<SearchResult, SearchEvent>(searchSteps(question, parts, itself), { emit })
}

/** The same, as a stream of the events of the growing tree that returns the result. */
export function searchStream(
  question: string,
  options: Omit<SearchOptions, 'emit'>,
): AsyncGenerator<SearchEvent, SearchResult, void> {
  return runStream<SearchResult, SearchEvent>(searchSteps(question, options, itself))
}
