import type { Budget, ModelAttempt, ModelEvent, Permit, Reservation, RunOptions, TokenCount } from '@x/interfaces'
import { currentRun, type Steps, wait, XError } from '@x/kernel'
import { redact } from '@x/kernel/redact'
import { endPermitToCount, enterLimiterToCount } from './admission.steps.ts'
import { clientOf } from './config-call.ts'
import { failoverStep, finalFailure, isModelFailure } from './failure.ts'
import { Reporter, sendWarning } from './reporter.steps.ts'
import type { WrapperParts } from './wrapper-parts.ts'
import { countInThread } from '../clients/blocking.ts'
import type { Slot } from '../config/slot.ts'
import { agentOf, checkRequest, type WrapperRequest } from '../request/check-request.ts'
import { type PreparedRequest, prepareRequest } from '../request/prepare-request.ts'

/**
 * Counts the input tokens of a request by the first config whose provider supports it. In a run the count has a place of its
 * own, and the journal keeps it.
 */
export function* countTokens(
  parts: WrapperParts,
  request: WrapperRequest,
  options: Pick<RunOptions, 'run' | 'emit'>,
): Steps<TokenCount, ModelEvent> {
  const reporter = new Reporter(parts, options)
  const { run, scope } = reporter
  const open = run && scope?.open?.(run, { kind: 'tool', name: 'countTokens' })
  try {
    if (open?.known) return open.known.value as TokenCount
    const count = yield* countByConfigs(parts, request, reporter)
    if (open?.recorded) yield* wait(open.keep(count), 'the journal of a chat')
    return count
  } finally {
    open?.end()
  }
}

/** The attempt of one config to count tokens. */
interface CountCall {
  readonly parts: WrapperParts
  readonly slot: Slot
  readonly prepared: PreparedRequest
  readonly reporter: Reporter
  readonly agent: string | null
  readonly last: boolean
}

function* countByConfigs(
  parts: WrapperParts,
  request: WrapperRequest,
  reporter: Reporter,
): Steps<TokenCount, ModelEvent> {
  const { slots, shared } = parts.plan
  const { params, extra } = checkRequest({ slots, own: parts.own }, request)
  const attempts: ModelAttempt[] = []
  const secrets = slots.flatMap((slot) => slot.secrets)
  let failed: XError | undefined
  for (const slot of slots) {
    if (!clientOf({ parts, slot }).countTokens) continue
    const prepared = prepareRequest(slot, { params, extra }, { shared, memory: parts.memory })
    const startTime = parts.plan.runtime.now()
    const last = slot === slots.at(-1)
    try {
      return yield* countByConfig({ parts, slot, prepared, reporter, agent: agentOf(request), last })
    } catch (error) {
      if (!isModelFailure(error)) throw error
      const { kind, message, status } = error
      const model = prepared.params.model ?? null
      const ms = parts.plan.runtime.now() - startTime
      const safeMessage = redact(message, secrets)
      attempts.push({
        configId: slot.index,
        model,
        ms,
        kind,
        message: safeMessage,
        ...(status !== undefined && { status }),
      })
      failed = finalFailure(error, slot, [...attempts], secrets)
      if (failoverStep(kind, prepared.extra.failover) === 'stop') throw failed
    }
  }
  if (failed) throw failed
  const names = slots.map(({ client }) => `\`${client.model ?? client.modelClientCls ?? 'a model'}\``).join(', ')
  throw new XError(
    'model-failed',
    `cannot count the tokens of a request: no provider of ${names} can count them; add a config of a provider that can (OpenAI, Anthropic, Google), or estimate them at four characters each`,
    { kind: 'invalid-request' },
  )
}

/** Asks one config within its budgets and limiter. A count costs nothing and is one call. */
function* countByConfig(count: CountCall): Steps<TokenCount, ModelEvent> {
  const { parts, slot, prepared, reporter, last } = count
  const { params, extra } = prepared
  const { timeout, maxRetryAfter, tags = [], agent = null, budget } = extra
  const run = yield* currentRun()
  const reservations = yield* reserveCall([budget, reporter.budget])
  const permit = yield* enterLimiterOrRelease(count, reservations)
  const warnings: [topic: string, text: string][] = []
  const options = {
    last,
    timeout,
    maxRetryAfter,
    signal: run.signal,
    warn: (topic: string, text: string) => void warnings.push([topic, text]),
    sent: 0,
    onSend: () => options.sent++ === 0 || reservations.every((reservation) => reservation.addCall?.() ?? true),
  }
  let failure: unknown
  try {
    const module = run.face === 'sync' && !parts.own?.[slot.index] ? slot.provider?.module : undefined
    const promptTokens = yield* wait(
      module
        ? countInThread({ module, config: slot.client, params }, options)
        : clientOf(count).countTokens!(params, options),
      `the token count of ${params.model ?? `config ${slot.index}`}`,
    )
    const model = params.model ?? ''
    const usage = { model, promptTokens: 0, completionTokens: 0, totalTokens: 0, cost: 0 }
    const at = parts.plan.runtime.now()
    const row = { configId: slot.index, usage, cached: false, tags, agent, at, operation: 'countTokens' as const }
    parts.memory.openLedger().add(row)
    for (const [topic, text] of warnings) yield* sendWarning(count, topic, text)
    return { promptTokens, model, configId: slot.index }
  } catch (error) {
    failure = error
    throw error
  } finally {
    endPermitToCount(permit, { failure, sent: options.sent })
    // Every request that was sent is a call, failed ones too.
    for (const reservation of reservations) reservation.settle({ cost: 0, tokens: 0, calls: Math.max(1, options.sent) })
  }
}

/** The estimate of a count: one call without tokens and cost. */
const COUNT_ESTIMATE = { cost: 0, tokens: 0, calls: 1 }

/** Waits for the permit of a count; without a permit, its reservations are released. */
function* enterLimiterOrRelease(count: CountCall, reservations: readonly Reservation[]): Steps<Permit | null, never> {
  let entered = false
  try {
    const permit = yield* enterLimiterToCount(count)
    entered = true
    return permit
  } finally {
    if (!entered) for (const reservation of reservations) reservation.release()
  }
}

/** Reserves one call in each budget, or in none if one refuses. */
function* reserveCall(budgets: readonly (Budget | null | undefined)[]): Steps<readonly Reservation[], never> {
  const open: Reservation[] = []
  let admitted = false
  try {
    for (const budget of new Set(budgets)) {
      if (budget) open.push(yield* wait(budget.reserve(COUNT_ESTIMATE), 'the budget of a count'))
    }
    admitted = true
    return open
  } finally {
    if (!admitted) for (const reservation of open) reservation.release()
  }
}
