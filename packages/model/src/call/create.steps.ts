import type { Listener, ModelAttempt, ModelEvent, ModelResponse, ModelRunOptions } from '@x/interfaces'
import { face, wait, XError, type Steps } from '@x/kernel'
import { answerCall, type ConfigAnswer } from './answer.steps.ts'
import { recordUsage, finalError, logTurn, noteAttempt, noteFailure, type Attempt } from './attempt.ts'
import { missingCapability } from '../request/capability.ts'
import { clientOf, type WrapperParts } from './wrapper-parts.ts'
import { failoverStep, isModelFailure } from './failover.ts'
import type { ConfigCall } from './fetch-answer.steps.ts'
import { prepareRequest, type PreparedRequest } from '../request/prepare-request.ts'
import { checkRequest, type WrapperRequest } from '../request/check-request.ts'
import type { Slot } from '../config/slot.ts'
import { eventsOf, releaseEvents, type StreamBuffer } from './stream.steps.ts'

/** Asks the configs in order until one answers and the filter accepts (the create rules of the spec). */
export function* create(
  parts: WrapperParts,
  request: WrapperRequest,
  { emit, budget }: Pick<ModelRunOptions, 'emit' | 'budget'>,
): Steps<ModelResponse, ModelEvent> {
  const options = checkRequest(parts, request)
  const run = yield* face()
  const warn: ConfigCall['warn'] = (topic, text) => sendWarning(parts, emit, topic, text)
  const invocationId = parts.logger ? parts.runtime.newId() : ''
  const attempts: ModelAttempt[] = []
  if (Array.isArray(options.functions)) {
    yield* warn('deprecated', '`functions` is deprecated: register tools, which travel as `tools`')
  }
  for (const slot of parts.slots) {
    const prepared = prepareRequest(slot, options, parts.shared)
    checkModel(slot, prepared)
    const buffer: StreamBuffer = { hold: Boolean(prepared.extra.filterFunc), held: [], open: false }
    const last = slot.index === parts.slots.length - 1
    const startTime = parts.runtime.now()
    const turn: Attempt = { parts, slot, prepared, invocationId, startTime, attempts }
    const response = yield* tryConfig(turn, { parts, slot, prepared, run, last, buffer, budget, warn })
    if (response) return response
  }
  throw new XError('no-response', 'no config of the list gave a response: add an entry to `configList`')
}

/** Tries one config: gives the response, or nothing when the next one is to be tried. */
function* tryConfig(turn: Attempt, call: ConfigCall): Steps<ModelResponse | undefined, ModelEvent> {
  const { parts, slot, prepared, run, last, buffer, warn } = call
  if (typeof prepared.extra.price === 'number') {
    yield* warn('price', '`price` is one number and counts for both sides: give [prompt, completion] if they differ')
  }
  parts.logger?.log({
    record: 'cacheSeedValue',
    wrapperId: parts.wrapperId,
    clientId: slot.index,
    cache: prepared.cacheName,
  })
  let got: ConfigAnswer
  try {
    refuseIncapable(parts, slot, prepared)
    got = yield* answerCall(call)
  } catch (error) {
    if (!isModelFailure(error)) throw error
    noteFailure(turn, error)
    if (!last && !buffer.open && failoverStep(error.kind, prepared.extra.failover) === 'next') return undefined
    throw finalError(turn, error)
  }
  const { answer, cost, cached } = got
  // A hit counts only when it is handed out: one that the filter rejects is not.
  if (!cached) recordUsage(turn, got)
  if (cost === null) {
    const advice = 'set `price: [prompt, completion]` (US dollars per 1,000 tokens) in its config entry'
    yield* warn('unpriced', `the price of \`${answer.model}\` is not known and its cost counts as 0: ${advice}`)
  }
  logTurn(turn, { response: answer, isCached: cached ? 1 : 0, cost: cost ?? 0 })
  const response = responseOf(turn, got)
  const { filterFunc, context = null } = prepared.extra
  if (filterFunc) response.passFilter = filterFunc({ context, response })
  if (!response.passFilter && !last) {
    noteAttempt(turn, { kind: 'rejected', message: '`filterFunc` refused the answer' })
    return undefined
  }
  if (cached) recordUsage(turn, got)
  if (run.face === 'stream' && !buffer.open) {
    if (buffer.held.length === 0) buffer.held = eventsOf(answer)
    yield* releaseEvents(buffer)
  }
  return response
}

function responseOf({ parts, slot, attempts }: Attempt, { answer, cost, cached }: ConfigAnswer): ModelResponse {
  const client = clientOf(parts, slot)
  return {
    ...answer,
    cost: cost ?? 0,
    configId: slot.index,
    passFilter: true,
    cached,
    attempts: [...attempts],
    messageRetrievalFunction: (asked) => client.messageRetrieval(asked),
  }
}

/** A model that neither the entry nor the call names is missed before anything is asked. */
function checkModel(slot: Slot, { params }: PreparedRequest): void {
  if (!slot.provider || params.model) return
  throw new XError(
    'invalid-config',
    `neither config ${slot.index} nor the request names a \`model\`: add one to the entry or to the request`,
    { details: { configId: slot.index } },
  )
}

/** A client that says it cannot do what is asked is not asked. */
function refuseIncapable(parts: WrapperParts, slot: Slot, { params }: PreparedRequest): void {
  const missing = missingCapability(params, clientOf(parts, slot).capabilities)
  if (missing) {
    throw new XError('model-failed', `it cannot take ${missing}`, { kind: 'invalid-request', details: { missing } })
  }
}

/** Sends a warning, the same one once. */
function* sendWarning(
  parts: WrapperParts,
  emit: Listener | undefined,
  topic: string,
  text: string,
): Steps<void, never> {
  const said = `${topic}: ${text}`
  if (parts.sentWarnings.has(said)) return
  parts.sentWarnings.add(said)
  const event = { type: 'warning', topic, text } as const
  yield* wait(emit ? emit(event) : parts.io.send(event), 'the listener of a warning')
}
