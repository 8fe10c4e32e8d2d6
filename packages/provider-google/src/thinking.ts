import type { GoogleModelFamily } from './family.ts'

/** Budgets for models that are told one, by effort. */
const BUDGETS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
}

/** Returns `reasoning_effort` as the model takes it: a level, a budget, or nothing. */
export function lowerThinking(
  effort: string | undefined,
  { thinking, levels, leastBudget }: GoogleModelFamily,
  warn: (topic: string, text: string) => void,
): Record<string, unknown> | undefined {
  if (effort === undefined) return undefined
  if (thinking === 'none') {
    if (effort !== 'none') warn('parameter', 'the model cannot reason: `reasoning_effort` was left out')
    return undefined
  }
  if (thinking === 'budget') return { thinkingBudget: Math.max(BUDGETS[effort] ?? BUDGETS['medium']!, leastBudget) }
  if (effort === 'none') warn('parameter', 'the model always thinks: `reasoning_effort` was set to the least')
  return { thinkingLevel: nearestLevel(effort, levels) }
}

const ORDER = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']

/** Returns the least level that is at least as high as what was asked, or the highest. */
function nearestLevel(effort: string, levels: readonly string[]): string {
  return levels.find((level) => ORDER.indexOf(level) >= ORDER.indexOf(effort)) ?? levels.at(-1)!
}
