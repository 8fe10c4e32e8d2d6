import type { ModelUsage, UsageSummary } from '@x/interfaces'
import type { SessionAgents } from './session-agents.ts'

/** Adds up what the models of all agents of a session have used, answers out of caches left out. */
export function usageOf({ user, assistant, members = [] }: SessionAgents): UsageSummary {
  const sum: UsageSummary = { totalCost: 0, models: {} }
  const unpriced = new Set<string>()
  for (const agent of [user, assistant, ...members]) {
    const used = agent.getActualUsage()
    if (!used) continue
    sum.totalCost += used.totalCost
    for (const [name, usage] of Object.entries(used.models)) sum.models[name] = added(sum.models[name], usage)
    for (const name of used.unpriced ?? []) unpriced.add(name)
  }
  return unpriced.size > 0 ? { ...sum, unpriced: [...unpriced] } : sum
}

const added = (one: ModelUsage | undefined, other: ModelUsage): ModelUsage => ({
  cost: (one?.cost ?? 0) + other.cost,
  promptTokens: (one?.promptTokens ?? 0) + other.promptTokens,
  completionTokens: (one?.completionTokens ?? 0) + other.completionTokens,
  totalTokens: (one?.totalTokens ?? 0) + other.totalTokens,
})
