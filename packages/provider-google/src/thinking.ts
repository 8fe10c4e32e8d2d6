import type { GoogleModelFamily } from './family.ts'

/** Budgets by effort, for models that think by a budget. */
const BUDGET_TOKENS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
}

type Warn = (topic: string, text: string) => void

/**
 * Returns `thinkingConfig` as the model takes it: a level, a budget, or neither. The given `thinkingConfig` wins over
 * `reasoning_effort`; the provider refuses a level beside a budget.
 */
export function lowerThinking(
  effort: string | undefined,
  given: Readonly<Record<string, unknown>>,
  family: GoogleModelFamily,
  warn: Warn,
): Record<string, unknown> {
  const { thinkingLevel: level, thinkingBudget: budget, ...rest } = given
  if (typeof budget === 'number') return { ...rest, ...fitBudget(budget, family, warn) }
  if (typeof level === 'string') return { ...rest, ...fitLevel(level, family, warn) }
  return effort === undefined ? given : { ...given, ...byEffort(effort, family, warn) }
}

function byEffort(effort: string, family: GoogleModelFamily, warn: Warn): Record<string, unknown> {
  const { thinking, levels, leastBudget, mostBudget } = family
  if (thinking === 'none' || (thinking === 'level' && levels.length === 0)) {
    if (effort !== 'none') warn('parameter', 'the model cannot reason: `reasoning_effort` was left out')
    return {}
  }
  if (effort === 'none' && (thinking === 'level' ? !levels.includes('none') : leastBudget > 0)) {
    warn('parameter', 'the model always thinks: `reasoning_effort` was set to the least')
  }
  if (thinking === 'budget')
    return {
      thinkingBudget: Math.min(Math.max(BUDGET_TOKENS[effort] ?? BUDGET_TOKENS['medium']!, leastBudget), mostBudget),
    }
  return { thinkingLevel: nearestLevel(effort, levels) }
}

/** Fits a budget: 0 switches thinking off where that is possible, and -1 lets the model decide. */
function fitBudget(budget: number, family: GoogleModelFamily, warn: Warn): object {
  const { thinking, levels, leastBudget, mostBudget } = family
  if (thinking === 'budget' && budget > mostBudget) {
    warn('thinking', `the model thinks with at most ${mostBudget} tokens: \`thinkingBudget\` was lowered`)
    return { thinkingBudget: mostBudget }
  }
  if (budget === -1 || (thinking !== 'level' && budget >= leastBudget)) return { thinkingBudget: budget }
  if (thinking === 'level' && budget > 0) return { thinkingBudget: budget }
  warn('thinking', `the model always thinks: \`thinkingBudget: ${budget}\` was set to the least`)
  return thinking === 'level' ? { thinkingLevel: levels[0] } : { thinkingBudget: leastBudget }
}

function fitLevel(level: string, family: GoogleModelFamily, warn: Warn): object {
  const { thinking, levels } = family
  const name = level.toLowerCase()
  const isTaken = thinking === 'level' && (levels.includes(name) || !EFFORT_ORDER.includes(name))
  if (isTaken || thinking === 'none') return { thinkingLevel: level }
  const fitted = byEffort(name, family, () => {})
  warn('thinking', `the model does not take \`thinkingLevel: ${level}\`: ${JSON.stringify(fitted)} was sent`)
  return fitted
}

const EFFORT_ORDER = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** Returns the lowest level that is at least as high as the effort, or the highest one. */
function nearestLevel(effort: string, levels: readonly string[]): string {
  return levels.find((level) => EFFORT_ORDER.indexOf(level) >= EFFORT_ORDER.indexOf(effort)) ?? levels.at(-1)!
}
