import { printable } from '@x/agent'
import type { UsageSummary } from '@x/interfaces'
import { costText } from './log/log-text.ts'

/** Writes the usage of a chat in one line: models, tokens and cost; empty before the first answer. */
export function usageLine({ models, totalCost, unpriced = [] }: UsageSummary): string {
  const names = Object.keys(models)
  if (names.length === 0) return ''
  const all = Object.values(models)
  return `${printable(names.join(', '))} · ${tokensOf(all)} · ${costText({ cost: totalCost, unpriced: unpriced.length })}`
}

/** Writes the usage of a chat, a line for each model and one for all. */
export function usageLines({ models, totalCost, unpriced = [] }: UsageSummary): string {
  const entries = Object.entries(models)
  if (entries.length === 0) return 'Nothing has been used yet.'
  const lines = entries.map(
    ([name, used]) =>
      `${printable(name)}: ${tokensOf([used])}, ${costText({ cost: used.cost, unpriced: unpriced.includes(name) ? 1 : 0 })}`,
  )
  const sum = `together: ${tokensOf(entries.map(([, used]) => used))}, ${costText({ cost: totalCost, unpriced: unpriced.length })}`
  return entries.length > 1 ? [...lines, sum].join('\n') : lines.join('\n')
}

function tokensOf(used: readonly UsageSummary['models'][string][]): string {
  const sum = (key: 'promptTokens' | 'completionTokens'): string =>
    used.reduce((total, each) => total + each[key], 0).toLocaleString('en')
  return `${sum('promptTokens')} tokens in, ${sum('completionTokens')} out`
}
