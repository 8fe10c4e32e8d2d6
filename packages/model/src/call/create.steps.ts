import type {
  ChatMessage,
  EventBody,
  JsonSchema,
  MaybePromise,
  ModelAttempt,
  ModelCapabilities,
  ModelEvent,
  ModelParams,
  ModelResponse,
  OpenCall,
  RunOptions,
  RunScope,
  ToolIssue,
  UsageSummary,
} from '@x/interfaces'
import { currentRun, isThenable, type Steps, wait, XError } from '@x/kernel'
import { callOutcome, inSpan, type Span, UnheardSpan } from '@x/kernel/run'
import { answerCall } from './answer.steps.ts'
import {
  addAttempt,
  attemptSpan,
  finalError,
  logCompletion,
  noteFailure,
  recordUsage,
  restoreUsage,
} from './attempt.ts'
import { clientOf, type ConfigAnswer, type ConfigCall, newConfigCall, newSentRequests } from './config-call.ts'
import { isModelFailure } from './sending-policy.ts'
import { nextStep } from './sending.steps.ts'
import { Reporter, sendWarning } from './reporter.steps.ts'
import { eventsOf, releaseEvents } from './stream.steps.ts'
import type { WrapperParts } from './wrapper-parts.ts'
import { doubtfulTimeouts } from '../config/entry.ts'
import type { Slot } from '../config/slot.ts'
import { agentOf, checkRequest, type WrapperRequest } from '../request/check-request.ts'
import { type PreparedRequest, prepareRequest } from '../request/prepare-request.ts'
import { SettingsReader } from '../request/settings.ts'
import { answerCheckFor, issuesOf, placesText, withAnswerSchema } from '../request/response-format.ts'

/**
 * Makes a model call. In a run that a tool or function passes on, the call is one of the run's own: it has a place, the
 * journal keeps and recalls its answer, and its start and end are events. An agent calls its model in a run that keeps the
 * answer itself.
 */
export function create(
  parts: WrapperParts,
  request: WrapperRequest,
  options: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>,
): Steps<ModelResponse, ModelEvent> {
  const reporter = new Reporter(parts, options)
  const { scope } = reporter
  const cachedRequest = withChatCache(reporter, request)
  // Outside of runs, a call without a listener is not a span.
  return scope && scope.callKind !== 'model'
    ? createInScope(parts, cachedRequest, reporter, scope)
    : askConfigs(parts, cachedRequest, reporter)
}

/** Adds the cache of the surrounding chat to a request without a cache of its own. */
function withChatCache({ cache }: Reporter, request: WrapperRequest): WrapperRequest {
  return cache && request.cache === undefined && request.cacheSeed === undefined ? { ...request, cache } : request
}

/** Makes a call with a place and a span of its own. Its end is handed out before the journal keeps the answer. */
function* createInScope(
  parts: WrapperParts,
  request: WrapperRequest,
  reporter: Reporter,
  scope: RunScope,
): Steps<ModelResponse, ModelEvent> {
  const { run } = reporter
  const open = (reporter.open = run && scope.open?.(run, { kind: 'model' }))
  open?.noteInput?.({
    messages: request.messages ?? request.prompt ?? null,
    settings: new SettingsReader(parts.plan.slots).of(request),
  })
  const value = open?.known?.value as JournaledAnswer | GivenReply | undefined
  const known = value && 'reply' in value ? givenAnswer(parts, value) : value
  try {
    const held = known ? undefined : open?.beforeCall?.()
    if (held) yield* wait(held, 'the journal of a chat')
    const isTold =
      !scope.skipsParts &&
      reporter.takes('modelCallStart') &&
      (!known || open?.isUntold === true || scope.tellsRecalled === true)
    const span = isTold ? new CallSpan(reporter, scope, agentOf(request), open) : undefined
    const asking = known ? recallAnswer(parts, known, scope) : askConfigs(parts, request, reporter)
    const response = yield* span ? inSpan(yield* currentRun(), span, asking) : asking
    if (!span && !known && open?.recorded) yield* wait(open.keep(journaledAnswer(response)), 'the journal of a chat')
    return response
  } finally {
    open?.end()
  }
}

/** The span of a call outside of an agent's own question. */
class CallSpan implements Span<ModelResponse> {
  readonly id: string
  readonly parentId: string | null
  readonly common: Span<ModelResponse>['common']
  readonly #reporter: Reporter
  readonly #scope: RunScope
  readonly #open: OpenCall | undefined

  constructor(reporter: Reporter, scope: RunScope, agent: string | null, open: OpenCall | undefined) {
    this.id = open?.spanId ?? scope.newSpanId()
    this.parentId = scope.spanId
    this.common = { type: 'modelCall', agent }
    this.#reporter = reporter
    this.#scope = scope
    this.#open = open
    reporter.spanId = this.id
  }

  now(): number {
    return this.#scope.now()
  }

  atEnd(response: ModelResponse | undefined): object {
    return callOutcome(response ?? null)
  }

  keep(response: ModelResponse, isTold: boolean): MaybePromise<void> {
    const open = this.#open
    return open?.recorded && !open.known ? open.keep(journaledAnswer(response), isTold) : undefined
  }

  send(event: EventBody): MaybePromise<void> {
    return this.#reporter.report(this.#open?.known ? Object.assign({ ...event }, { recalled: true }) : event)
  }

  sendStart(event: EventBody): MaybePromise<void> {
    const marked = this.#open?.known || this.#open?.begunBefore ? { ...event, resumed: true } : event
    return this.send(marked as EventBody)
  }
}

/** Asks the configs in order until one answers and the filter accepts. */
function* askConfigs(
  parts: WrapperParts,
  request: WrapperRequest,
  reporter: Reporter,
): Steps<ModelResponse, ModelEvent> {
  const { plan } = parts
  const { slots, runtime } = plan
  const options = checkRequest(parts, request)
  const run = yield* currentRun()
  const invocationId = parts.logger ? runtime.newId() : ''
  const attempts: ModelAttempt[] = []
  const sent = newSentRequests()
  const agent = agentOf(request)
  if (Array.isArray(options.params['functions'])) {
    const text = '`functions` is deprecated: register tools, which are sent as `tools`'
    yield* sendWarning({ parts, reporter, agent }, 'deprecated', text)
  }
  const { answerSchema, timeout, timeouts } = options.extra
  const doubts = timeout !== undefined || timeouts ? doubtfulTimeouts({ timeout, timeouts }, 'the request') : []
  for (const text of doubts) yield* sendWarning({ parts, reporter, agent }, 'timeout', text)
  for (const slot of slots) {
    const prepared = prepareRequest(slot, options, parts)
    requireModel(slot, prepared)
    const last = slot.index === slots.length - 1
    const call = newConfigCall({ parts, slot, prepared, run, last, reporter, agent, invocationId, attempts, sent })
    const response = yield* tryConfig(answerSchema ? addAnswerSchema(call, answerSchema) : call)
    if (response) return response
  }
  throw new XError('no-response', 'no config of the list gave a response: add an entry to `configList`')
}

/** Tries one config: returns the response, or `undefined` if the next config is to be tried. */
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
  let result: ConfigAnswer
  try {
    refuseIncapable(call)
    const span = attemptSpan(call)
    if (span?.isHeard) result = yield* inSpan(run, span, answerCall(call))
    else {
      const told = span && new UnheardSpan(span)
      try {
        result = yield* answerCall(call)
        told?.end(result)
      } catch (error) {
        throw told ? told.fail(error) : error
      } finally {
        told?.close()
      }
    }
  } catch (error) {
    if (!isModelFailure(error)) throw error
    noteFailure(call, error)
    if (nextStep(call, error).step === 'next') return undefined
    throw finalError(call, error)
  }
  const { answer, cost, cached } = result
  // A hit counts only when it is returned, not when the filter rejects it.
  if (!cached) recordUsage(call, result)
  if (cost === null && parts.memory.isNewUnpriced(answer.model)) {
    yield* sendWarning(call, 'unpriced', unpricedText(answer.model))
  }
  logCompletion(call, { response: answer, isCached: cached ? 1 : 0, cost: cost ?? 0 })
  const unanswered = call.sent.unanswered?.summary
  const response = responseOf(call, unanswered ? { ...result, unanswered } : result)
  if (prepared.format !== undefined) yield* noteSchemaIssues(call, response)
  const { filterFunc, context = null } = extra
  if (filterFunc) response.passFilter = filterFunc({ context, response })
  if (filterFunc && !response.passFilter && !last) {
    addAttempt(call, { kind: 'rejected', message: '`filterFunc` refused the answer' })
    return undefined
  }
  if (cached) recordUsage(call, result)
  if (run.face === 'stream' && !buffer.open) {
    if (buffer.held.length === 0) buffer.held = eventsOf(answer)
    yield* releaseEvents(buffer)
  }
  return response
}

/** Notes in a response what in its texts does not fit the `response_format` of the caller, and warns of it. */
function* noteSchemaIssues(call: ConfigCall, response: ModelResponse): Steps<void, never> {
  const { format, params } = call.prepared
  const check = answerCheckFor(format, params.response_format)
  if (check === undefined) return
  if (typeof check === 'string') {
    yield* sendWarning(call, 'schema', `answers are not checked against their \`response_format\`: ${check}`)
    return
  }
  const issues: ToolIssue[] = []
  for (const { index, message, finish_reason } of response.choices) {
    const { content, tool_calls, function_call } = message
    // A call of a tool is no answer yet, and a refusal none at all.
    if (tool_calls?.length || function_call || finish_reason === 'content_filter') continue
    const found = issuesOf(typeof content === 'string' ? content : '', check, call.run.face === 'sync')
    const path = response.choices.length > 1 ? ['choices', index] : []
    for (const issue of isThenable(found) ? yield* wait(found, 'the check of an answer') : found) {
      issues.push({ ...issue, path: [...path, ...issue.path] })
    }
  }
  if (issues.length === 0) return
  response.schemaIssues = issues
  yield* sendWarning(
    call,
    'schema',
    `an answer of \`${response.model}\` does not fit its \`response_format\`: ${placesText(issues)}`,
  )
}

/** Warning of a model whose price is not known. */
export const unpricedText = (model: string): string =>
  `the price of \`${model}\` is not known and its cost counts as 0: set \`price: [prompt, completion]\` (US dollars per 1,000 tokens) in its config entry`

/** Makes a response of the answer of a config. */
export function responseOf(
  call: Pick<ConfigCall, 'parts' | 'slot' | 'attempts'>,
  { answer, cost, cached, unanswered }: ConfigAnswer & Pick<ModelResponse, 'unanswered'>,
): ModelResponse {
  const client = clientOf(call)
  const response: ModelResponse = {
    ...answer,
    cost: cost ?? 0,
    configId: call.slot.index,
    passFilter: true,
    cached,
    attempts: [...call.attempts],
    messageRetrievalFunction: (answered) => client.messageRetrieval(answered),
  }
  if (cost === null) response.unpriced = true
  if (unanswered) response.unanswered = unanswered
  keepLayout(call, answer, cost)
  return response
}

/** Keeps a response of numbers alone with its config, once: V8 drops the layout of objects of which none is left. */
function keepLayout(call: Parameters<typeof responseOf>[0], answer: ConfigAnswer['answer'], cost: number | null): void {
  const { slot } = call
  if (slot.response !== undefined) return
  slot.response = null
  const empty: Record<string, unknown> = { ...answer }
  for (const key in empty) if (typeof empty[key] !== 'number') empty[key] = null
  slot.response = responseOf(call, { answer: empty as unknown as typeof answer, cost, cached: false })
}

/** Refuses a call for which neither the entry nor the request names a model. */
export function requireModel(slot: Slot, { params }: PreparedRequest): void {
  if (!slot.provider || params.model) return
  throw new XError(
    'invalid-config',
    `neither config ${slot.index} nor the request names a \`model\`: add one to the entry or to the request`,
    { details: { configId: slot.index } },
  )
}

/** Adds the schema of the answer, if the model is known to support it. */
function addAnswerSchema(call: ConfigCall, schema: JsonSchema): ConfigCall {
  let capabilities: ModelCapabilities | undefined
  try {
    ;({ capabilities } = clientOf(call))
  } catch {
    // A client that cannot be made throws again where it is called.
  }
  return { ...call, prepared: withAnswerSchema(call.prepared, schema, capabilities) }
}

/** Refuses a request that needs a capability which the client is known to lack. */
function refuseIncapable(call: ConfigCall): void {
  const missing = missingCapability(call.prepared.params, clientOf(call).capabilities)
  if (missing) {
    throw new XError('model-failed', `it cannot take ${missing}`, { kind: 'invalid-request', details: { missing } })
  }
}

function missingCapability(params: ModelParams, can: ModelCapabilities | undefined): string | undefined {
  if (!can) return undefined
  if (can.tools === false && Array.isArray(params['tools']) && params['tools'].length > 0) return 'tools'
  if (can.images === false && params.messages.some(hasImages)) return 'images'
  const format = params['response_format'] as { type?: string } | undefined
  if (can.structuredOutput === 'none' && format && format.type !== 'text') return 'a `response_format`'
  return undefined
}

const hasImages = ({ content }: ChatMessage): boolean =>
  Array.isArray(content) && content.some(({ type }) => type === 'image_url')

/** An answer as a journal keeps it. */
interface JournaledAnswer extends ConfigAnswer, Pick<ModelResponse, 'unanswered' | 'schemaIssues'> {
  readonly configId: number
}

/** A reply that somebody has put in the place of an answer, as journals keep those of agents. */
interface GivenReply {
  readonly reply: string | ChatMessage
}

/** Makes the answer that a given reply stands for; nobody has paid for it. */
function givenAnswer({ plan }: WrapperParts, { reply }: GivenReply): JournaledAnswer {
  const message: ChatMessage = {
    role: 'assistant',
    content: null,
    ...(typeof reply === 'string' ? { content: reply } : reply),
  }
  const choice = { index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' } as const
  const model = plan.slots[0]?.client.model ?? ''
  return { answer: { id: 'given', model, created: 0, choices: [choice] }, cost: 0, configId: 0, cached: true }
}

const journaledAnswer = (response: ModelResponse): JournaledAnswer => {
  const { id, model, created, choices, usage, configId, cached, unanswered, schemaIssues } = response
  const cost = response.unpriced ? null : response.cost
  const answer = { id, model, created, choices, ...(usage && { usage }) }
  return { answer, cost, configId, cached, ...(unanswered && { unanswered }), ...(schemaIssues && { schemaIssues }) }
}

/** Returns the answer of an earlier run without asking a client, and counts its usage. */
function* recallAnswer(
  parts: WrapperParts,
  { configId, schemaIssues, ...result }: JournaledAnswer,
  scope: RunScope,
): Steps<ModelResponse, ModelEvent> {
  const { slots } = parts.plan
  const { answer, cost, cached, unanswered } = result
  const { model, usage } = answer
  const modelUsage = {
    cost: cost ?? 0,
    promptTokens: usage?.prompt_tokens ?? 0,
    completionTokens: usage?.completion_tokens ?? 0,
    totalTokens: usage?.total_tokens ?? 0,
  }
  const total: UsageSummary = {
    totalCost: modelUsage.cost,
    models: { [model]: modelUsage },
    ...(cost === null && { unpriced: [model] }),
  }
  restoreUsage(parts, scope, { actual: cached ? null : total, total })
  if (unanswered) restoreUsage(parts, scope, { actual: unanswered, total: unanswered })
  if ((yield* currentRun()).face === 'stream') yield* eventsOf(answer)
  const response = responseOf({ parts, slot: slots[configId] ?? slots[0]!, attempts: [] }, result)
  if (schemaIssues) response.schemaIssues = schemaIssues
  return response
}
