import type { Place } from '@x/agent/steps'
import type { Model, SearchUsage, UsageSummary } from '@x/interfaces'
import type { JobRecord } from '../strategy/job.ts'
import type { Journal } from '../search/search-journal.ts'

/** The journal of a search inside a chat that has one: its jobs are kept below the place of the search in the chat. */
export function chatJournal(place: Place | undefined, model: Model | null): Journal | undefined {
  const journal = place?.scope.journal
  if (!journal) return undefined
  const credited = new Set<string>()
  const keyOf = (job: string): string => `${place.key}.job ${job}`
  return {
    get(job) {
      const record = journal.recall(keyOf(job))?.value as JobRecord | undefined
      // What another process has paid for counts in the cost of the chat, once.
      if (record && !credited.has(job)) model?.restoreUsage?.(creditOf(record.used))
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

function creditOf({ model = 'unknown', cached, cost, promptTokens, completionTokens }: SearchUsage): Credit {
  const totalTokens = promptTokens + completionTokens
  const total = { totalCost: cost, models: { [model]: { cost, promptTokens, completionTokens, totalTokens } } }
  return { actual: cached ? null : total, total }
}

/** What a model has used so far. */
export const usageOf = (model: Model | null): Credit => ({
  actual: model?.actualUsageSummary ?? null,
  total: model?.totalUsageSummary ?? null,
})

/** What was used between two looks at a model. */
export const usedSince = (before: Credit, after: Credit): Credit => ({
  actual: difference(before.actual, after.actual),
  total: difference(before.total, after.total),
})

function difference(before: UsageSummary | null, after: UsageSummary | null): UsageSummary | null {
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
