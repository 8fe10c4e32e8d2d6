import type { Io, UsageSummary } from '@x/interfaces'
import { XError } from '@x/kernel'

/** Makes the default `io` of a wrapper: usage goes to stdout, warnings to stderr. */
export function consoleIo(): Io {
  const { console } = globalThis
  return {
    send(event) {
      if (event.type === 'warning') console.warn(visible(`[${event.topic}] ${event.text}`))
      if (event.type !== 'usageSummary') return
      const { mode, actualUsageSummary, totalUsageSummary } = event
      if (mode !== 'total') console.log(visible(asText('without cached answers', actualUsageSummary)))
      if (mode !== 'actual') console.log(visible(asText('with cached answers', totalUsageSummary)))
    },
    input() {
      throw new XError('invalid-state', 'the `io` of a model does not read input: give the agent an `io` that does')
    },
  }
}

function asText(title: string, summary: UsageSummary | null): string {
  if (!summary) return `Usage ${title}: none.`
  const { models, totalCost, unpriced = [] } = summary
  const rows = Object.entries(models).map(
    ([model, { cost, promptTokens, completionTokens, totalTokens }]) =>
      `  ${model}: ${costText(cost, unpriced.includes(model))}, ${promptTokens} + ${completionTokens} = ${totalTokens} tokens`,
  )
  return [`Usage ${title}: ${costText(totalCost, unpriced.length > 0)}`, ...rows].join('\n')
}

/** Formats a cost in US dollars; one of requests whose price is not known counts as 0, which it may not be. */
function costText(cost: number, isUnpriced: boolean): string {
  if (!isUnpriced) return `$${cost.toFixed(6)}`
  return cost === 0 ? 'price unknown' : `at least $${cost.toFixed(6)}`
}

/** Replaces control characters, bidirectional marks and invisible characters, since servers choose the names of models. */
const visible = (text: string): string =>
  text.replaceAll(/[[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]--[\t\n]]/gv, '\uFFFD')
