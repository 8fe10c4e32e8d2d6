import type { Listener, ModelAttempt, ModelEvent, ModelResponse, ModelRunOptions } from '@x/interfaces'
import { face, wait, XError, type Steps } from '@x/kernel'
import { answered, type Answered } from './answer.steps.ts'
import { enterUsage, finalError, logTurn, noteAttempt, noteFailure, type Attempt } from './attempt.ts'
import { missingCapability } from '../request/capability.ts'
import { clientOf, type Core } from './wrapper-parts.ts'
import { failoverStep, isModelFailure } from './failover.ts'
import type { Ask } from './fetch-answer.steps.ts'
import { questionFor, type Question } from '../request/question.ts'
import { checkedRequest, type WrapperRequest } from '../request/check-request.ts'
import type { Slot } from '../config/slot.ts'
import { eventsOf, handedOut, type Outlet } from './stream.steps.ts'

/** Asks the configs in order until one answers and the filter accepts (the create rules of the spec). */
export function* create(
  core: Core,
  request: WrapperRequest,
  { emit, budget }: Pick<ModelRunOptions, 'emit' | 'budget'>,
): Steps<ModelResponse, ModelEvent> {
  const options = checkedRequest(core, request)
  const run = yield* face()
  const warn: Ask['warn'] = (topic, text) => warned(core, emit, topic, text)
  const invocationId = core.logger ? core.runtime.newId() : ''
  const attempts: ModelAttempt[] = []
  if (Array.isArray(options.functions)) {
    yield* warn('deprecated', '`functions` is deprecated: register tools, which travel as `tools`')
  }
  for (const slot of core.slots) {
    const question = questionFor(slot, options, core.family)
    checkModel(slot, question)
    const outlet: Outlet = { hold: Boolean(question.extra.filterFunc), held: [], open: false }
    const last = slot.index === core.slots.length - 1
    const startTime = core.runtime.now()
    const turn: Attempt = { core, slot, question, invocationId, startTime, attempts }
    const response = yield* tried(turn, { core, slot, question, run, last, outlet, budget, warn })
    if (response) return response
  }
  throw new XError('no-response', 'no config of the list gave a response: add an entry to `configList`')
}

/** Tries one config: gives the response, or nothing when the next one is to be tried. */
function* tried(turn: Attempt, ask: Ask): Steps<ModelResponse | undefined, ModelEvent> {
  const { core, slot, question, run, last, outlet, warn } = ask
  if (typeof question.extra.price === 'number') {
    yield* warn('price', '`price` is one number and counts for both sides: give [prompt, completion] if they differ')
  }
  core.logger?.log({
    record: 'cacheSeedValue',
    wrapperId: core.wrapperId,
    clientId: slot.index,
    cache: question.cacheName,
  })
  let got: Answered
  try {
    refuseIncapable(core, slot, question)
    got = yield* answered(ask)
  } catch (error) {
    if (!isModelFailure(error)) throw error
    noteFailure(turn, error)
    if (!last && !outlet.open && failoverStep(error.kind, question.extra.failover) === 'next') return undefined
    throw finalError(turn, error)
  }
  const { answer, cost, cached } = got
  // A hit counts only when it is handed out: one that the filter rejects is not.
  if (!cached) enterUsage(turn, got)
  if (cost === null) {
    const advice = 'set `price: [prompt, completion]` (US dollars per 1,000 tokens) in its config entry'
    yield* warn('unpriced', `the price of \`${answer.model}\` is not known and its cost counts as 0: ${advice}`)
  }
  logTurn(turn, { response: answer, isCached: cached ? 1 : 0, cost: cost ?? 0 })
  const response = responseOf(turn, got)
  const { filterFunc, context = null } = question.extra
  if (filterFunc) response.passFilter = filterFunc({ context, response })
  if (!response.passFilter && !last) {
    noteAttempt(turn, { kind: 'rejected', message: '`filterFunc` refused the answer' })
    return undefined
  }
  if (cached) enterUsage(turn, got)
  if (run.face === 'stream' && !outlet.open) {
    if (outlet.held.length === 0) outlet.held = eventsOf(answer)
    yield* handedOut(outlet)
  }
  return response
}

function responseOf({ core, slot, attempts }: Attempt, { answer, cost, cached }: Answered): ModelResponse {
  const client = clientOf(core, slot)
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
function checkModel(slot: Slot, { params }: Question): void {
  if (!slot.provider || params.model) return
  throw new XError(
    'invalid-config',
    `neither config ${slot.index} nor the request names a \`model\`: add one to the entry or to the request`,
    { details: { configId: slot.index } },
  )
}

/** A client that says it cannot do what is asked is not asked. */
function refuseIncapable(core: Core, slot: Slot, { params }: Question): void {
  const missing = missingCapability(params, clientOf(core, slot).capabilities)
  if (missing) {
    throw new XError('model-failed', `it cannot take ${missing}`, { kind: 'invalid-request', details: { missing } })
  }
}

/** Sends a warning, the same one once. */
function* warned(core: Core, emit: Listener | undefined, topic: string, text: string): Steps<void, never> {
  const said = `${topic}: ${text}`
  if (core.spoken.has(said)) return
  core.spoken.add(said)
  const event = { type: 'warning', topic, text } as const
  yield* wait(emit ? emit(event) : core.io.send(event), 'the listener of a warning')
}
