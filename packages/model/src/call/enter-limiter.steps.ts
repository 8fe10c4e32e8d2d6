import type { Permit } from '@x/interfaces'
import { isThenable, wait, XError, type Steps } from '@x/kernel'
import { finite } from '@x/kernel/price'
import { promptTokens, type CountedUsage } from './answer-usage.ts'
import { outputLimit } from './call-budget.ts'
import { clientOf, type ConfigCall } from './config-call.ts'
import { LONGEST_TIMER, timeoutOf } from './enter-budget.steps.ts'
import { isModelFailure } from './failover.ts'
import { USUAL_ANSWER } from '../usage/answer-lengths.ts'

/**
 * Waits for the permit of a call; null without a limiter. An abort, the end of the run and the time limit of the call end
 * the waiting, which is no failure of the model: no further config is tried for it. A permit that comes too late is given
 * back.
 */
export function* enterLimiter(call: ConfigCall): Steps<Permit | null, never> {
  const { limiter } = call.prepared.extra
  if (!limiter) return null
  const { now } = call.parts.plan.runtime
  const since = now()
  const stop = new AbortController()
  const acquiring = limiter.acquire(limitedCall(call), { signal: stop.signal })
  if (!isThenable(acquiring)) return acquiring
  const seconds = timeoutOf(call)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(lateError(seconds)), Math.min(seconds * 1000, LONGEST_TIMER))
  let permit: Permit | undefined
  try {
    permit = yield* wait(Promise.race([acquiring, late.promise]), 'the limiter of a call')
    call.waitedMs = now() - since
    return permit
  } finally {
    clearTimeout(timer)
    if (!permit) {
      acquiring.then((unused) => unused.end({ tokens: 0, requests: 0 })).then(undefined, () => {})
      stop.abort()
    }
  }
}

const lateError = (seconds: number): XError =>
  new XError(
    'timeout',
    `its limiter had no room for a call within ${seconds} s: raise the limit, or the \`timeout\` of the call`,
  )

/** Gives a permit back, with what the call has used; undefined where that is not known. */
export function endPermit(
  permit: Permit | null,
  {
    counted,
    failure,
    sent,
  }: { readonly counted: CountedUsage | undefined; readonly failure: unknown; readonly sent: number },
): void {
  if (!permit) return
  const requests = Math.max(1, sent)
  if (counted) {
    const { promptTokens: input, completionTokens: output, totalTokens: total } = counted.usage
    return permit.end({ tokens: Math.max(finite(total), finite(input) + finite(output)), requests })
  }
  // A call that was refused has used no tokens; what one that was stopped has used is not known.
  const isRefused = isModelFailure(failure) && failure.kind !== 'timeout' && failure.kind !== 'truncated'
  const retryAfterMs = isModelFailure(failure) && failure.kind === 'rate-limit' ? failure.retryAfterMs : undefined
  permit.end({ requests, tokens: isRefused ? 0 : undefined, retryAfterMs })
}

function limitedCall(call: ConfigCall): { readonly model: string; readonly account: string; readonly tokens: number } {
  const { params } = call.prepared
  const model = params.model ?? ''
  const client = clientOf(call)
  const { maxOutput = Infinity } = client.limitsOf?.(model) ?? client.capabilities ?? {}
  const usual = Math.min(call.parts.memory.ledger?.longestAnswer ?? USUAL_ANSWER, maxOutput)
  return { model, account: call.slot.account(), tokens: promptTokens(params) + (outputLimit(params) ?? usual) }
}
