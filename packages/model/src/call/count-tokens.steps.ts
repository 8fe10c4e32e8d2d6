import type { CallInput, ModelEvent, RunOptions, TokenCount } from '@x/interfaces'
import { type Steps, wait, XError } from '@x/kernel'
import { callClient, clientOf, type ConfigCall } from './config-call.ts'
import { askSlots, runOperation } from './operation.steps.ts'
import { Reporter, sendWarning } from './reporter.steps.ts'
import { type Sending, sendUntilAnswered, type Warnings } from './sending.steps.ts'
import type { WrapperParts } from './wrapper-parts.ts'
import { modelsText, type Slot } from '../config/slot.ts'
import { agentOf, checkRequest, type WrapperRequest } from '../request/check-request.ts'
import { prepareRequest } from '../request/prepare-request.ts'
import { SettingsReader } from '../request/settings.ts'

/**
 * Counts the input tokens of a request by the first config whose provider supports it. In a run the count has a place of its
 * own, and the journal keeps it.
 */
export function countTokens(
  parts: WrapperParts,
  request: WrapperRequest,
  options: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>,
): Steps<TokenCount, ModelEvent> {
  const reporter = new Reporter(parts, options)
  const steps = countByConfigs(parts, request, reporter)
  const asks = (): CallInput => ({
    messages: request.messages ?? request.prompt ?? null,
    settings: new SettingsReader(parts.plan.slots).of(request),
  })
  return runOperation(reporter, 'countTokens', { asks, steps, recall: (known) => known })
}

function* countByConfigs(
  parts: WrapperParts,
  request: WrapperRequest,
  reporter: Reporter,
): Steps<TokenCount, ModelEvent> {
  const { slots } = parts.plan
  const options = checkRequest(parts, request)
  const counting = slots.filter((slot) => clientOf({ parts, slot }).countTokens)
  const operation = { name: 'countTokens', agent: agentOf(request), reporter } as const
  const prepare = (slot: Slot): ConfigCall['prepared'] => prepareRequest(slot, { ...options, isPlain: false }, parts)
  const count = yield* askSlots(parts, counting, { ...operation, prepare }, countByConfig)
  if (count) return count
  throw new XError(
    'model-failed',
    `cannot count the tokens of a request: no provider of ${modelsText(slots)} can count them; add a config of a provider that can (OpenAI, Anthropic, Google), or estimate them at four characters each`,
    { kind: 'invalid-request' },
  )
}

/** Asks one config for a count, which costs nothing and is one call of its budgets. */
function* countByConfig(call: ConfigCall): Steps<TokenCount, ModelEvent> {
  const { parts, slot, prepared, run } = call
  const { params, extra } = prepared
  const warnings: Warnings = []
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
  const { slot, prepared } = call
  const { params } = prepared
  const what = `the token count of ${params.model ?? `config ${slot.index}`}`
  const count = yield* wait(callClient(call, 'countTokens', params, sending), what)
  sending.counted()
  return count
}
