import type { ChatResult, Model, ModelResponse, UsageSummary } from '@x/interfaces'
import { type State, stateOf } from './state.ts'

/** Returns the usage of one answer, as it counts in the two summaries of its model. */
export function answerUsage(
  { model, usage, cost, cached, unanswered }: ModelResponse,
  answerer: Pick<Model, 'totalUsageSummary'>,
): { actual: UsageSummary | null; total: UsageSummary | null } {
  const used = {
    cost,
    promptTokens: usage?.prompt_tokens ?? 0,
    completionTokens: usage?.completion_tokens ?? 0,
    totalTokens: usage?.total_tokens ?? 0,
  }
  // The summary is made when it is read.
  const unpriced = cost === 0 && (answerer.totalUsageSummary?.unpriced?.includes(model) ?? false)
  // A literal with a computed name costs four times as much.
  const models: UsageSummary['models'] = {}
  models[model] = used
  const answered: UsageSummary = unpriced ? { totalCost: cost, models, unpriced: [model] } : { totalCost: cost, models }
  if (!unanswered) return { actual: cached ? null : answered, total: answered }
  const total = addSummaries([answered, unanswered])
  return { actual: cached ? unanswered : total, total }
}

/** Adds up the usage of the models of agents and of their members; a shared model counts once. */
export function gatheredUsage(states: readonly State[]): ChatResult['cost'] {
  const all = new Set<Model>()
  for (const { model, history, managerRole } of withAllMembers(states)) {
    if (model) all.add(model)
    for (const each of history?.models() ?? []) all.add(each)
    for (const each of managerRole?.models() ?? []) all.add(each)
  }
  const models = [...all]
  const total = addSummaries(models.map((model) => model.totalUsageSummary))
  const paid = addSummaries(models.map((model) => model.actualUsageSummary))
  // Both summaries are equal without cache hits: results then hold one object.
  return {
    usageIncludingCachedInference: total,
    usageExcludingCachedInference: isSameUsage(total, paid) ? total : paid,
  }
}

const isSameUsage = (one: UsageSummary, other: UsageSummary): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Adds up usage summaries. */
export function addSummaries(summaries: readonly (UsageSummary | null)[]): UsageSummary {
  const sum: UsageSummary = { totalCost: 0, models: {} }
  const unpriced: string[] = []
  for (const summary of summaries) {
    if (!summary) continue
    sum.totalCost += summary.totalCost
    if (summary.unpriced) unpriced.push(...summary.unpriced)
    for (const [name, used] of Object.entries(summary.models)) {
      const known = sum.models[name]
      sum.models[name] = {
        cost: (known?.cost ?? 0) + used.cost,
        promptTokens: (known?.promptTokens ?? 0) + used.promptTokens,
        completionTokens: (known?.completionTokens ?? 0) + used.completionTokens,
        totalTokens: (known?.totalTokens ?? 0) + used.totalTokens,
      }
    }
  }
  return unpriced.length > 0 ? { ...sum, unpriced: [...new Set(unpriced)] } : sum
}

/** Returns the members of the managers among some agents. */
export const membersOf = (states: readonly State[]): State[] =>
  states.flatMap(({ managerRole }) => managerRole?.members().map(stateOf) ?? [])

/** Returns agents with their members, and the members of these, at any depth; each agent once. */
export function withAllMembers(states: readonly State[]): ReadonlySet<State> {
  const all = new Set(states)
  // The iteration of a set includes values that are added meanwhile.
  for (const { managerRole } of all) for (const member of managerRole?.members() ?? []) all.add(stateOf(member))
  return all
}
