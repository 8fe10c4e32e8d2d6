import type { Budget, ModelAttempt, ModelEvent, Permit, Reservation, RunOptions, TokenCount } from '@x/interfaces'
import { currentRun, wait, XError, type Steps } from '@x/kernel'
import { redact } from '@x/kernel/redact'
import type { Slot } from '../config/slot.ts'
import { agentOf, checkRequest, type WrapperRequest } from '../request/check-request.ts'
import { prepareRequest, type PreparedRequest } from '../request/prepare-request.ts'
import { countInThread } from '../clients/blocking.ts'
import { clientOf } from './config-call.ts'
import { endPermitToCount, enterLimiterToCount } from './enter-limiter.steps.ts'
import { failoverStep, isModelFailure } from './failover.ts'
import { finalFailure } from './final-failure.ts'
import { Reporter } from './reporter.ts'
import { sendWarning } from './send-warning.steps.ts'
import type { WrapperParts } from './wrapper-parts.ts'

/**
 * Counts the input tokens of a request by the first config that can. In a run the count has a place of its own, and its
 * journal keeps it.
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

/** One config that is asked for a count. */
interface Count {
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
    const prepared = prepareRequest(slot, { params, extra }, { shared, seen: parts.memory })
    const startTime = parts.plan.runtime.now()
    const last = slot === slots.at(-1)
    try {
      return yield* countBy({ parts, slot, prepared, reporter, agent: agentOf(request), last })
    } catch (error) {
      if (!isModelFailure(error)) throw error
      const { kind, message, status } = error
      const model = prepared.params.model ?? null
      const ms = parts.plan.runtime.now() - startTime
      const said = redact(message, secrets)
      attempts.push({ configId: slot.index, model, ms, kind, message: said, ...(status !== undefined && { status }) })
      failed = finalFailure(error, slot, [...attempts], secrets)
      if (failoverStep(kind, prepared.extra.failover) === 'stop') throw failed
    }
  }
  if (failed) throw failed
  const names = slots.map(({ client }) => `\`${client.model ?? client.modelClientCls ?? 'a model'}\``).join(', ')
  throw new XError(
    'model-failed',
    `cannot count the tokens of a request: no provider of ${names} has a way to; add a config of one that has (OpenAI, Anthropic, Google), or estimate them at four characters each`,
    { kind: 'invalid-request' },
  )
}

/** Asks one config within the budgets and the limits for counts: a count costs nothing, and is a call. */
function* countBy(count: Count): Steps<TokenCount, ModelEvent> {
  const { parts, slot, prepared, reporter, last } = count
  const { params, extra } = prepared
  const { timeout, maxRetryAfter, tags = [], agent = null, budget } = extra
  const run = yield* currentRun()
  const reservations = yield* reserveCall([budget, reporter.budget])
  const permit = yield* enterLimiterOrRelease(count, reservations)
  const notes: [topic: string, text: string][] = []
  const options = {
    last,
    timeout,
    maxRetryAfter,
    signal: run.signal,
    warn: (topic: string, text: string) => void notes.push([topic, text]),
    sent: 0,
    onSend: () => options.sent++ === 0 || reservations.every((each) => each.addCall?.() ?? true),
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
    for (const [topic, text] of notes) yield* sendWarning(count, topic, text)
    return { promptTokens, model, configId: slot.index }
  } catch (error) {
    failure = error
    throw error
  } finally {
    endPermitToCount(permit, { failure, sent: options.sent })
    // Every request that was sent is a call, failed ones too.
    for (const each of reservations) each.settle({ cost: 0, tokens: 0, calls: Math.max(1, options.sent) })
  }
}

const NOTHING = { cost: 0, tokens: 0, calls: 1 }

/** Waits for the permit of a count, whose calls are reserved by now; without a permit it gives them back. */
function* enterLimiterOrRelease(count: Count, reservations: readonly Reservation[]): Steps<Permit | null, never> {
  let entered = false
  try {
    const permit = yield* enterLimiterToCount(count)
    entered = true
    return permit
  } finally {
    if (!entered) for (const each of reservations) each.release()
  }
}

/** Reserves a call in each budget once, or in none when one refuses. */
function* reserveCall(budgets: readonly (Budget | null | undefined)[]): Steps<readonly Reservation[], never> {
  const open: Reservation[] = []
  let admitted = false
  try {
    for (const budget of new Set(budgets)) {
      if (budget) open.push(yield* wait(budget.reserve(NOTHING), 'the budget of a count'))
    }
    admitted = true
    return open
  } finally {
    if (!admitted) for (const each of open) each.release()
  }
}
