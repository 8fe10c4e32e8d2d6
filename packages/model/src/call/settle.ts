import { isXError } from '@x/kernel'
import type { CallBudget } from './call-budget.ts'
import { costFor, countUsage, promptTokens, usageOf, type CountedUsage } from './answer-usage.ts'
import { finite } from '@x/kernel/price'
import { addRow } from './attempt.ts'
import type { ConfigCall } from './config-call.ts'

/** Settles a whole answer in the budget; the ledger gets it where it is accepted. */
export function settleAnswer(call: ConfigCall, budget: CallBudget | null, counted: CountedUsage, sent: number): void {
  if (!budget) return
  const { usage, answer, estimated } = counted
  const outputTokens = finite(usage.completionTokens)
  const tokens = Math.max(finite(usage.totalTokens), finite(usage.promptTokens) + outputTokens)
  budget.settle(
    { cost: costFor(call, answer, counted) ?? 0, tokens, calls: callsOf(sent) },
    { outputTokens, estimated },
  )
}

/**
 * Settles a call that was left, stopped or broken off: content that arrived is paid for, as an estimate in the budget and
 * in the ledger, and every request that was sent is a call.
 */
export function settlePart(call: ConfigCall, budget: CallBudget | null, failure: unknown, sent: number): void {
  const { received } = call.buffer
  if (!received) {
    // What a stopped call has used is not known; a refusal has used nothing.
    budget?.settle({ cost: 0, tokens: 0, calls: callsOf(sent) }, { estimated: isUnknown(failure) })
    return
  }
  call.buffer.received = null
  const { params } = call.prepared
  const usage = usageOf(promptTokens(params), received.tokens)
  const answer = { id: '', model: params.model ?? '', created: 0, choices: [], usage }
  const counted = countUsage(call, answer)
  const cost = costFor(call, answer, counted)
  call.buffer.used = { usage: counted.usage, cost }
  addRow(call, counted.usage, { cost, cached: false, estimated: true })
  budget?.settle({ cost: cost ?? 0, tokens: usage.total_tokens, calls: callsOf(sent) }, { estimated: true })
}

/** A client that does not tell what it sends has sent one request when it is asked. */
const callsOf = (sent: number): number => Math.max(1, sent)

const isUnknown = (failure: unknown): boolean =>
  failure === undefined || (isXError(failure) && (failure.kind === 'timeout' || failure.kind === 'truncated'))
