import type { JsonSchema, ModelAttempt, ModelCapabilities, ModelEvent, ModelResponse } from '@x/interfaces'
import { currentRun, XError, type Steps } from '@x/kernel'
import { kind } from '@x/kernel/options'
import type { Slot } from '../config/slot.ts'
import { withAnswerSchema } from '../request/answer-schema.ts'
import { missingCapability } from '../request/capability.ts'
import { agentOf, checkRequest, type WrapperRequest } from '../request/check-request.ts'
import { prepareRequest, type PreparedRequest } from '../request/prepare-request.ts'
import { answerCall } from './answer.steps.ts'
import { inAttempt } from './attempt-span.steps.ts'
import { finalError, logTurn, noteAttempt, noteFailure, recordUsage } from './attempt.ts'
import { clientOf, type ConfigAnswer, type ConfigCall } from './config-call.ts'
import { failoverStep, isModelFailure } from './failover.ts'
import type { Reporter } from './reporter.ts'
import { sendWarning } from './send-warning.steps.ts'
import { eventsOf, releaseEvents } from './stream.steps.ts'
import type { WrapperParts } from './wrapper-parts.ts'

/** Asks the configs in order until one answers and the filter accepts; `callId` names the call among the spans of its run. */
export function* askConfigs(
  parts: WrapperParts,
  request: WrapperRequest,
  reporter: Reporter,
  callId: string,
): Steps<ModelResponse, ModelEvent> {
  const { plan } = parts
  const { slots, runtime } = plan
  const options = checkRequest({ slots, own: parts.own }, request)
  const run = yield* currentRun()
  const invocationId = parts.logger ? runtime.newId() : ''
  const attempts: ModelAttempt[] = []
  const { budget } = reporter
  const agent = agentOf(request)
  if (Array.isArray(options.params['functions'])) {
    const text = '`functions` is deprecated: register tools, which travel as `tools`'
    yield* sendWarning({ parts, reporter, agent }, 'deprecated', text)
  }
  const { timeout } = options.extra
  const doubt = timeout === undefined ? undefined : kind.timeout.warning('`timeout` of the request', timeout)
  if (doubt) yield* sendWarning({ parts, reporter, agent }, 'timeout', doubt)
  for (const slot of slots) {
    const prepared = prepareRequest(slot, options, { shared: plan.shared, seen: parts.memory })
    checkModel(slot, prepared)
    const call: ConfigCall = {
      parts,
      slot,
      prepared,
      run,
      last: slot.index === slots.length - 1,
      buffer: { hold: Boolean(prepared.extra.filterFunc), held: [], open: false, received: null, used: null },
      budget,
      reporter,
      agent,
      callId,
      invocationId,
      startTime: runtime.now(),
      attempts,
      client: undefined,
    }
    const response = yield* tryConfig(options.extra.answerSchema ? tellShape(call, options.extra.answerSchema) : call)
    if (response) return response
  }
  throw new XError('no-response', 'no config of the list gave a response: add an entry to `configList`')
}

/** Adds the shape of the answer to a request, if the model of the config is known to take one. */
function tellShape(call: ConfigCall, schema: JsonSchema): ConfigCall {
  let capabilities: ModelCapabilities | undefined
  try {
    ;({ capabilities } = clientOf(call))
  } catch {
    // A client that cannot be made fails where it is asked.
  }
  return { ...call, prepared: withAnswerSchema(call.prepared, schema, capabilities) }
}

/** Tries one config: gives the response, or `undefined` when the next one is to be tried. */
function* tryConfig(call: ConfigCall): Steps<ModelResponse | undefined, ModelEvent> {
  const { parts, slot, prepared, run, last, buffer } = call
  const { extra } = prepared
  if (typeof extra.price === 'number') {
    const text = '`price` is one number and counts for both sides: give [prompt, completion] if they differ'
    yield* sendWarning(call, 'price', text)
  }
  parts.logger?.log({
    record: 'cacheSeedValue',
    wrapperId: parts.wrapperId,
    clientId: slot.index,
    cache: prepared.cacheName,
  })
  let got: ConfigAnswer
  try {
    refuseIncapable(call)
    got = yield* inAttempt(call, answerCall(call))
  } catch (error) {
    if (!isModelFailure(error)) throw error
    noteFailure(call, error)
    if (!last && !buffer.open && failoverStep(error.kind, extra.failover) === 'next') return undefined
    throw finalError(call, error)
  }
  const { answer, cost, cached } = got
  // A hit counts only when it is returned: one that the filter rejects does not count.
  if (!cached) recordUsage(call, got)
  if (cost === null) {
    const advice = 'set `price: [prompt, completion]` (US dollars per 1,000 tokens) in its config entry'
    const text = `the price of \`${answer.model}\` is not known and its cost counts as 0: ${advice}`
    yield* sendWarning(call, 'unpriced', text)
  }
  logTurn(call, { response: answer, isCached: cached ? 1 : 0, cost: cost ?? 0 })
  const response = responseOf(call, got)
  const { filterFunc, context = null } = extra
  if (filterFunc) response.passFilter = filterFunc({ context, response })
  if (!response.passFilter && !last) {
    noteAttempt(call, { kind: 'rejected', message: '`filterFunc` refused the answer' })
    return undefined
  }
  if (cached) recordUsage(call, got)
  if (run.face === 'stream' && !buffer.open) {
    if (buffer.held.length === 0) buffer.held = eventsOf(answer)
    yield* releaseEvents(buffer)
  }
  return response
}

/** The response of a wrapper: an answer, and how it came about. */
export function responseOf(
  call: Pick<ConfigCall, 'parts' | 'slot' | 'attempts'>,
  { answer, cost, cached }: ConfigAnswer,
): ModelResponse {
  const client = clientOf(call)
  return {
    ...answer,
    cost: cost ?? 0,
    configId: call.slot.index,
    passFilter: true,
    cached,
    attempts: [...call.attempts],
    messageRetrievalFunction: (asked) => client.messageRetrieval(asked),
  }
}

/** Refuses a call without a model, which neither the entry nor the request names, before anything is asked. */
function checkModel(slot: Slot, { params }: PreparedRequest): void {
  if (!slot.provider || params.model) return
  throw new XError(
    'invalid-config',
    `neither config ${slot.index} nor the request names a \`model\`: add one to the entry or to the request`,
    { details: { configId: slot.index } },
  )
}

/** Refuses a request that the client says it cannot answer. */
function refuseIncapable(call: ConfigCall): void {
  const missing = missingCapability(call.prepared.params, clientOf(call).capabilities)
  if (missing) {
    throw new XError('model-failed', `it cannot take ${missing}`, { kind: 'invalid-request', details: { missing } })
  }
}
