import type { MaybePromise, Model, OpenCall, SearchUsage, UsageSummary } from '@x/interfaces'
import type { JobRecord } from '../strategy/job.ts'
import type { SearchJournal } from './search-journal.ts'

/** The journal of a search inside a chat that has one: its jobs are kept beside the answer of the search. */
export function searchJournalIn(open: OpenCall | undefined, model: Model | null): SearchJournal | undefined {
  if (!open?.recorded) return undefined
  const credited = new Set<string>()
  return {
    get(job) {
      const record = open.part(job).known?.value as JobRecord | undefined
      // The usage of another process counts in the cost of the chat, once.
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

/** Makes usage that a model can count of that of a job. */
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
