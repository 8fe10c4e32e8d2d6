import type { ConfigEntry, Listener, ModelAttempt, ModelEvent, ModelResponse, Run } from '@x/interfaces'
import { face, throwIfAborted, wait, XError, type Steps } from '@x/kernel'
import { answered, type Answered, type Ask } from './answer.steps.ts'
import { missingCapability } from './capability.ts'
import { clientOf, type Core } from './core.ts'
import { finalFailure } from './failure.ts'
import { failoverStep, isModelFailure, type ModelFailure } from './failover.ts'
import { tokens } from './price.ts'
import { questionFor, type Question } from './question.ts'
import { redact } from './redact.ts'
import { checkedRequest, type WrapperRequest } from './request.ts'
import type { Slot } from './slot.ts'
import { eventsOf, handedOut, type Outlet } from './stream.steps.ts'

/** One call of a wrapper on its way through the configs. */
interface Call {
  readonly core: Core
  readonly options: ConfigEntry
  readonly run: Run
  readonly invocationId: string
  readonly attempts: ModelAttempt[]
  readonly warn: Ask['warn']
}

/** Asks the configs in order until one answers and the filter accepts (the create rules of the spec). */
export function* create(
  core: Core,
  request: WrapperRequest,
  emit: Listener | undefined,
): Steps<ModelResponse, ModelEvent> {
  const call: Call = {
    core,
    options: checkedRequest(core, request),
    run: yield* face(),
    invocationId: core.logger ? core.runtime.newId() : '',
    attempts: [],
    warn: (topic, text) => warned(core, emit, topic, text),
  }
  if (Array.isArray(request['functions'])) {
    yield* call.warn('deprecated', '`functions` is deprecated: register tools, which travel as `tools`')
  }
  for (const slot of core.slots) {
    const response = yield* tried(call, slot)
    if (response) return response
  }
  throw new XError('no-response', 'no config of the list gave a response: add an entry to `configList`')
}

/** Tries one config: gives the response, or nothing when the next one is to be tried. */
function* tried(call: Call, slot: Slot): Steps<ModelResponse | undefined, ModelEvent> {
  const { core, attempts, run } = call
  const last = slot.index === core.slots.length - 1
  const question = questionFor(slot, call.options, core.family)
  checkModel(slot, question)
  if (typeof slot.stored.price === 'number') {
    yield* call.warn(
      'price',
      '`price` is one number and counts for both sides: give [prompt, completion] if they differ',
    )
  }
  core.logger?.log({
    record: 'cacheSeedValue',
    wrapperId: core.wrapperId,
    clientId: slot.index,
    cache: question.cacheName,
  })
  const outlet: Outlet = { hold: Boolean(question.extra.filterFunc), held: [], open: false }
  const startTime = core.runtime.now()
  let got: Answered
  try {
    refuseIncapable(core, slot, question)
    got = yield* answered({ core, slot, question, run, last, outlet, warn: call.warn })
  } catch (error) {
    if (!isModelFailure(error)) throw error
    const kept = failed(call, slot, question, error, startTime)
    if (!last && !outlet.open && failoverStep(error.kind, question.extra.failover) === 'next') return undefined
    throw kept
  }
  const response = yield* settled(call, slot, question, got, startTime)
  if (!accepted(question, response) && !last) {
    attempts.push(attempt(call, slot, question, startTime, 'rejected', '`filterFunc` did not accept the answer'))
    return undefined
  }
  if (got.cached) enter(call, slot, question, got)
  if (run.face === 'stream' && !outlet.open) {
    if (outlet.held.length === 0) outlet.held = eventsOf(got.answer)
    yield* handedOut(outlet)
  }
  return response
}

/** Puts an answer into the ledger and the log and makes the response of it. */
function* settled(
  call: Call,
  slot: Slot,
  question: Question,
  got: Answered,
  startTime: number,
): Steps<ModelResponse, never> {
  const { core, attempts } = call
  const { answer, cost, cached } = got
  // A hit counts only when it is handed out: one that the filter rejects is not.
  if (!cached) enter(call, slot, question, got)
  if (cost === null) {
    yield* call.warn(
      'unpriced',
      `the price of \`${answer.model}\` is not known and its cost counts as 0: set \`price: [prompt, completion]\` (US dollars per 1,000 tokens) in its config entry`,
    )
  }
  log(call, slot, question, answer, startTime, cached ? 1 : 0, cost ?? 0)
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

function accepted({ extra }: Question, response: ModelResponse): boolean {
  const { filterFunc, context = null } = extra
  if (filterFunc) response.passFilter = filterFunc({ context, response })
  return response.passFilter
}

function enter({ core }: Call, slot: Slot, { extra }: Question, { answer, cost, cached }: Answered): void {
  const usage = clientOf(core, slot).getUsage(answer)
  core.ledger.add({
    configId: slot.index,
    usage: {
      ...usage,
      promptTokens: tokens(usage.promptTokens),
      completionTokens: tokens(usage.completionTokens),
      totalTokens: tokens(usage.totalTokens),
      cost,
    },
    cached,
    tags: extra.tags ?? [],
    agent: extra.agent ?? null,
    at: core.runtime.now(),
  })
}

/** Writes a failed attempt down and gives the error that ends the call if nothing follows. */
function failed(call: Call, slot: Slot, question: Question, error: ModelFailure, startTime: number): XError {
  const { details, status, kind } = error
  const code = details?.['code'] ?? status ?? kind
  log(call, slot, question, `error_code:${String(code)}, config ${slot.index} failed`, startTime, 0, 0)
  const secrets = call.core.slots.flatMap((each) => each.secrets)
  call.attempts.push(attempt(call, slot, question, startTime, kind, redact(error.message, secrets), status))
  return finalFailure(error, slot, [...call.attempts], secrets)
}

function attempt(
  { core }: Call,
  slot: Slot,
  { params }: Question,
  startTime: number,
  ...[kind, message, status]: [ModelAttempt['kind'], string, number?]
): ModelAttempt {
  const row = { configId: slot.index, model: params.model ?? null, kind, message, ms: core.runtime.now() - startTime }
  return status === undefined ? row : { ...row, status }
}

function log(
  { core, invocationId }: Call,
  slot: Slot,
  { params, extra }: Question,
  response: unknown,
  ...[startTime, isCached, cost]: [number, 0 | 1, number]
): void {
  core.logger?.log({
    record: 'chatCompletion',
    invocationId,
    clientId: slot.index,
    wrapperId: core.wrapperId,
    agent: extra.agent ?? null,
    request: params,
    response,
    isCached,
    cost,
    startTime,
  })
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
