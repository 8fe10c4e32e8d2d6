import type { Place } from '@x/agent/steps'
import type { Model, SearchUsage, UsageSummary } from '@x/interfaces'
import type { JobRecord } from '../strategy/job.ts'
import type { SearchJournal } from '../search/search-journal.ts'

/** Returns the journal of a search in a chat with a journal, which stores the jobs under the key of the search. */
export function searchJournalIn(place: Place | undefined, model: Model | null): SearchJournal | undefined {
  const journal = place?.scope.journal
  if (!journal) return undefined
  const credited = new Set<string>()
  const keyOf = (job: string): string => `${place.key}.job ${job}`
  return {
    get(job) {
      const record = journal.recall(keyOf(job))?.value as JobRecord | undefined
      // The usage of another process counts in the cost of the chat, once.
      if (record && !credited.has(job)) model?.restoreUsage?.(toCredit(record.used))
      if (record) credited.add(job)
      return record
    },
    set(job, record) {
      credited.add(job)
      const value: unknown = JSON.parse(JSON.stringify(record))
      return journal.keep({ key: keyOf(job), what: 'a job of a search', value })
    },
  }
}

type Credit = Parameters<NonNullable<Model['restoreUsage']>>[0]

function toCredit({ model = 'unknown', cached, cost, promptTokens, completionTokens }: SearchUsage): Credit {
  const totalTokens = promptTokens + completionTokens
  const total = { totalCost: cost, models: { [model]: { cost, promptTokens, completionTokens, totalTokens } } }
  return { actual: cached ? null : total, total }
}

/** Reads the usage of a model so far. */
export const readUsage = (model: Model | null): Credit => ({
  actual: model?.actualUsageSummary ?? null,
  total: model?.totalUsageSummary ?? null,
})

/** Computes the usage between two readings. */
export const usageSince = (before: Credit, after: Credit): Credit => ({
  actual: subtractUsage(before.actual, after.actual),
  total: subtractUsage(before.total, after.total),
})

function subtractUsage(before: UsageSummary | null, after: UsageSummary | null): UsageSummary | null {
  if (!after) return null
  const models: UsageSummary['models'] = {}
  for (const [name, used] of Object.entries(after.models)) {
    const known = before?.models[name]
    models[name] = {
      cost: used.cost - (known?.cost ?? 0),
      promptTokens: used.promptTokens - (known?.promptTokens ?? 0),
      completionTokens: used.completionTokens - (known?.completionTokens ?? 0),
      totalTokens: used.totalTokens - (known?.totalTokens ?? 0),
    }
  }
  return { ...after, totalCost: after.totalCost - (before?.totalCost ?? 0), models }
}
