import type { MaybePromise, Model, OpenCall, SearchUsage, UsageSummary } from '@x/interfaces'
import type { JobRecord } from '../strategy/job.ts'
import type { SearchJournal } from './search-journal.ts'

/** Returns the journal of a search inside a recorded chat, which stores the jobs beside the answer of the search. */
export function searchJournalIn(open: OpenCall | undefined, model: Model | null): SearchJournal | undefined {
  if (!open?.recorded) return undefined
  const credited = new Set<string>()
  return {
    get(job) {
      const record = open.part(job).known?.value as JobRecord | undefined
      // The usage of an earlier process counts once in the cost of the chat.
      if (record && !credited.has(job)) model?.restoreUsage?.(toCredit(record.used))
      if (record) credited.add(job)
      return record
    },
    set(job, record): MaybePromise<void> {
      credited.add(job)
      return open.part(job).keep(record)
    },
  }
}

type Credit = Parameters<NonNullable<Model['restoreUsage']>>[0]

/** Converts the usage of a job into usage that a model can count. */
export function toCredit({ model = 'unknown', cached, cost, promptTokens, completionTokens }: SearchUsage): Credit {
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
    const earlier = before?.models[name]
    models[name] = {
      cost: used.cost - (earlier?.cost ?? 0),
      promptTokens: used.promptTokens - (earlier?.promptTokens ?? 0),
      completionTokens: used.completionTokens - (earlier?.completionTokens ?? 0),
      totalTokens: used.totalTokens - (earlier?.totalTokens ?? 0),
    }
  }
  return { ...after, totalCost: after.totalCost - (before?.totalCost ?? 0), models }
}
