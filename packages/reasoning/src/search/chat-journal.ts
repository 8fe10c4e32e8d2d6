import type { MaybePromise, Model, OpenCall, SearchUsage, UsageSummary } from '@x/interfaces'
import { scopeOf } from '@x/kernel/run'
import type { JobRecord } from '../strategy/job.ts'
import type { SearchJournal } from './search-journal.ts'

/** The journal of a run as a search sees it: it stores the jobs beside the answer of the search. */
export interface RunJournal extends SearchJournal {
  /** Notes that the changes of the trees by a job were told; the next stored job says so. */
  noteTold(job: string): void
  /** True if the changes by a job were told, as far as the jobs that were read say. */
  wasTold(job: string): boolean
}

/** A job, and the earlier jobs of which the changes had been told when it was stored. */
type KeptRecord = JobRecord & { readonly told?: readonly string[] | undefined }

/** Returns the journal of a search inside a recorded run; what was performed elsewhere is no usage of the run. */
export function searchJournalIn(
  open: OpenCall | undefined,
  model: Model | null,
  isPerformedElsewhere: boolean,
): RunJournal | undefined {
  if (!open?.recorded) return undefined
  const credited = new Set<string>()
  const told = new Set<string>()
  let newlyTold: string[] = []
  return {
    get(job) {
      const record = open.part(job).known?.value as KeptRecord | undefined
      if (!record || credited.has(job)) return record
      // The usage of an earlier process counts once in the cost of the chat.
      const credit = toCredit(record.used)
      model?.restoreUsage?.(credit)
      if (!isPerformedElsewhere) scopeOf(open.run)?.countUsage?.(credit)
      credited.add(job)
      for (const id of record.told ?? []) told.add(id)
      return record
    },
    set(job, record): MaybePromise<void> {
      credited.add(job)
      const kept: KeptRecord = newlyTold.length > 0 ? { ...record, told: newlyTold } : record
      newlyTold = []
      return open.part(job).keep(kept)
    },
    noteTold: (job) => void newlyTold.push(job),
    wasTold: (job) => told.has(job),
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
