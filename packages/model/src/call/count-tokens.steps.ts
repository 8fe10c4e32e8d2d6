import type { ModelAttempt, ModelEvent, RunOptions, TokenCount } from '@x/interfaces'
import { currentRun, type Steps, wait, XError } from '@x/kernel'
import { redact } from '@x/kernel/redact'
import { clientOf, type ConfigCall, newConfigCall } from './config-call.ts'
import { finalFailure } from './failure.ts'
import { Reporter, sendWarning } from './reporter.steps.ts'
import { isModelFailure } from './sending-policy.ts'
import { nextStep, type Sending, sendUntilAnswered } from './sending.steps.ts'
import type { WrapperParts } from './wrapper-parts.ts'
import { countInThread } from '../clients/blocking.ts'
import { agentOf, checkRequest, type WrapperRequest } from '../request/check-request.ts'
import { prepareRequest } from '../request/prepare-request.ts'

/**
 * Counts the input tokens of a request by the first config whose provider supports it. In a run the count has a place of its
 * own, and the journal keeps it.
 */
export function* countTokens(
  parts: WrapperParts,
  request: WrapperRequest,
  options: Pick<RunOptions, 'run' | 'emit' | 'events'>,
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

function* countByConfigs(
  parts: WrapperParts,
  request: WrapperRequest,
  reporter: Reporter,
): Steps<TokenCount, ModelEvent> {
  const { slots } = parts.plan
  const { params, extra } = checkRequest(parts, request)
  const run = yield* currentRun()
  const attempts: ModelAttempt[] = []
  const sent = { hasRepeatedUnsent: false, unanswered: null }
  const secrets = slots.flatMap((slot) => slot.secrets)
  let failed: XError | undefined
  for (const slot of slots) {
    if (!clientOf({ parts, slot }).countTokens) continue
    const prepared = prepareRequest(slot, { params, extra, isPlain: false }, parts)
    const last = slot === slots.at(-1)
    const common = { parts, slot, prepared, run, last, reporter, agent: agentOf(request), attempts, sent }
    const call = newConfigCall({ ...common, invocationId: '', operation: 'countTokens' })
    try {
      return yield* countByConfig(call)
    } catch (error) {
      if (!isModelFailure(error)) throw error
      const { kind, message, status } = error
      const model = prepared.params.model ?? null
      const ms = parts.plan.runtime.now() - call.startTime
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
      if (nextStep({ ...call, last: false }, error).step === 'end') throw failed
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

/** Asks one config for a count, which costs nothing and is one call of its budgets. */
function* countByConfig(call: ConfigCall): Steps<TokenCount, ModelEvent> {
  const { parts, slot, prepared, run } = call
  const { params, extra } = prepared
  const warnings: [topic: string, text: string][] = []
  const promptTokens = yield* sendUntilAnswered(call, run, warnings, askForCount)
  const model = params.model ?? ''
  const usage = { model, promptTokens: 0, completionTokens: 0, totalTokens: 0, cost: 0 }
  const { tags = [], agent = null } = extra
  const at = parts.plan.runtime.now()
  const operation = 'countTokens' as const
  parts.memory.openLedger().add({ configId: slot.index, usage, cached: false, tags, agent, at, operation })
  for (const [topic, text] of warnings) yield* sendWarning(call, topic, text)
  return { promptTokens, model, configId: slot.index }
}

/** Sends one request for a count and settles it. */
function* askForCount(call: ConfigCall, sending: Sending): Steps<number, ModelEvent> {
  const { parts, slot, prepared, run } = call
  const { params } = prepared
  const module = run.face === 'sync' && !parts.own?.[slot.index] ? slot.provider?.module : undefined
  const count = yield* wait(
    module
      ? countInThread({ module, config: slot.client, params }, sending)
      : clientOf(call).countTokens!(params, sending),
    `the token count of ${params.model ?? `config ${slot.index}`}`,
  )
  sending.counted()
  return count
}
