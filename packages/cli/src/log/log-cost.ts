import type { KeptRunInfo, ModelSpending } from '@x/records'
import { type Spending, sumOf } from './log-text.ts'

/** Parts by which the cost of runs is added up. */
export const COST_GROUPS = ['day', 'model', 'agent', 'tag'] as const

/** A part by which the cost of runs is added up. */
export type CostGroup = (typeof COST_GROUPS)[number]

/** The spending of the runs of one day, model, agent or tag. */
export interface CostRow extends Spending {
  readonly name: string
  readonly runs: number
}

/**
 * Adds up what runs spent: by day, the oldest first; by model, agent or tag, the dearest first. A run with several tags counts in
 * each of them. The last row is the sum of all runs, where there are several rows.
 */
export function costRows(infos: readonly KeptRunInfo[], by: CostGroup): readonly CostRow[] {
  const groups = new Map<string, { readonly runs: Set<string>; readonly spent: ModelSpending[] }>()
  for (const info of infos) {
    for (const each of info.spent) {
      for (const name of namesOf(info, each, by)) {
        const group = groups.get(name) ?? { runs: new Set(), spent: [] }
        groups.set(name, group)
        group.runs.add(info.runId)
        group.spent.push(each)
      }
    }
  }
  const rows = Array.from(groups, ([name, { runs, spent }]) => ({ name, runs: runs.size, ...sumOf(spent) }))
  const order =
    by === 'day'
      ? (one: CostRow, other: CostRow): number => (one.name < other.name ? -1 : 1)
      : (one: CostRow, other: CostRow): number => other.cost - one.cost || (one.name < other.name ? -1 : 1)
  const sorted = rows.toSorted(order)
  if (sorted.length < 2) return sorted
  const spending = infos.filter(({ spent }) => spent.length > 0)
  const all = spending.flatMap(({ spent }) => spent)
  return [...sorted, { name: '(all)', runs: spending.length, ...sumOf(all) }]
}

function namesOf({ tags }: KeptRunInfo, { day, model, agent }: ModelSpending, by: CostGroup): readonly string[] {
  if (by === 'day') return [day]
  if (by === 'model') return [model]
  if (by === 'agent') return [agent ?? '(no agent)']
  const names = Object.entries(tags).map(([name, value]) => `${name}=${value}`)
  return names.length > 0 ? names : ['(no tag)']
}
