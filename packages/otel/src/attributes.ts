import type { Attributes } from '@opentelemetry/api'
import type { EventUsage, XEvent } from '@x/interfaces'
import { writeValue } from './messages.ts'

/** An event of a type. */
export type EventOf<T extends XEvent['type']> = Extract<XEvent, { readonly type: T }>

type EndEvent = Extract<XEvent, { readonly ms: number }>

/** Characters of a name in an attribute or in the name of a span: models make names up. */
const MAX_NAME_LENGTH = 128

/** Cuts a name that may be long. */
export const shortName = (name: string): string => name.slice(0, MAX_NAME_LENGTH).toWellFormed()

/** Adds the attributes of every span: the ids by which events, journals and the log of a host name it. */
export function addPlace(attributes: Attributes, { runId, id, resumed }: Pick<XEvent, 'runId'> & StartFields): void {
  if (runId !== null) attributes['x.run.id'] = runId
  attributes['x.span.id'] = id
  if (resumed) attributes['x.resumed'] = true
}

interface StartFields {
  readonly id: string
  readonly resumed?: true | undefined
}

/** Adds the agent that does the work of a span. */
export function addWorker(attributes: Attributes, agent: string | null): Attributes {
  if (agent !== null) attributes['x.agent'] = shortName(agent)
  return attributes
}

/** The work of an agent. */
export function agentStart(agent: string, runId: string | null): Attributes {
  const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': shortName(agent) }
  return addConversation(attributes, runId)
}

function addConversation(attributes: Attributes, runId: string | null): Attributes {
  if (runId !== null) attributes['gen_ai.conversation.id'] = runId
  return attributes
}

/** Tokens and cost of everything in a chat, and the model that was asked first. */
export function chatEnd(
  { cost, terminationReason }: EventOf<'chatEnd'>,
  origin: Pick<AttemptOrigin, 'ofAgent'> | undefined,
): Attributes {
  const attributes: Attributes = { ...origin?.ofAgent }
  if (terminationReason !== null) attributes['x.termination_reason'] = terminationReason
  if (!cost) return attributes
  const { totalCost, models } = cost.usageExcludingCachedInference
  let input = 0
  let output = 0
  for (const model in models) {
    const { promptTokens, completionTokens } = models[model]!
    input += promptTokens
    output += completionTokens
  }
  attributes['gen_ai.usage.input_tokens'] = input
  attributes['gen_ai.usage.output_tokens'] = output
  attributes['x.usage.cost'] = totalCost
  return attributes
}

/** The facts of an attempt that its span and its metrics share. */
export class AttemptOrigin {
  /** Name of the span. */
  readonly name: string
  readonly attributes: Attributes
  /** Attributes of an agent that asks the model. */
  readonly ofAgent: Attributes
  /** Attributes of metrics, by the model that has answered. */
  readonly #measured = new Map<string | null, MeasuredAttributes>()
  readonly #fields: OriginFields

  constructor({ provider, endpoint, model, operation }: OriginFields) {
    this.#fields = { provider, endpoint, model, operation }
    const server = splitEndpoint(endpoint)
    this.ofAgent = {
      'gen_ai.provider.name': providerName(provider, endpoint),
      ...(model !== null && { 'gen_ai.request.model': model }),
    }
    this.name = model === null ? operation : `${operation} ${model}`
    this.attributes = {
      'gen_ai.operation.name': operation,
      ...this.ofAgent,
      ...(server && { 'server.address': server.host, 'server.port': server.port }),
    }
  }

  /** True if an attempt has this origin. */
  fits({ provider, endpoint, model, operation }: OriginFields): boolean {
    const own = this.#fields
    const isSame = own.model === model && own.endpoint === endpoint && own.provider === provider
    return isSame && own.operation === operation
  }

  /** Returns the attributes of the metrics of an answer. They are kept: models are few, and answers many. */
  measured(responseModel: string | null): MeasuredAttributes {
    const known = this.#measured.get(responseModel)
    if (known) return known
    const call = { ...this.attributes, ...(responseModel !== null && { 'gen_ai.response.model': responseModel }) }
    const ofTokens = (type: 'input' | 'output'): Attributes => ({ ...call, 'gen_ai.token.type': type })
    const made = { call, input: ofTokens('input'), output: ofTokens('output') }
    if (this.#measured.size < MAX_KEPT) this.#measured.set(responseModel, made)
    return made
  }
}

/** The attributes of the metrics of an answer. */
export interface MeasuredAttributes {
  readonly call: Attributes
  readonly input: Attributes
  readonly output: Attributes
}

type OriginFields = Pick<EventOf<'modelAttemptStart'>, 'provider' | 'endpoint' | 'model'> & {
  readonly operation: 'chat' | 'embeddings'
}

/** Most origins that are kept, and models of each: servers make names of models up. */
const MAX_KEPT = 100

/** The origins of the attempts of a tracer. */
export class AttemptOrigins {
  readonly #known = new Map<string, AttemptOrigin>()
  #last: AttemptOrigin | undefined

  of(
    { provider, endpoint, model }: Omit<OriginFields, 'operation'>,
    operation: OriginFields['operation'] = 'chat',
  ): AttemptOrigin {
    const fields = { provider, endpoint, model, operation }
    // Most attempts follow one to the same model.
    if (!this.#last?.fits(fields)) this.#last = this.#find(fields)
    return this.#last
  }

  #find(fields: OriginFields): AttemptOrigin {
    const key = JSON.stringify([fields.operation, fields.provider, fields.endpoint, fields.model])
    const known = this.#known.get(key)
    if (known) return known
    const made = new AttemptOrigin(fields)
    if (this.#known.size < MAX_KEPT) this.#known.set(key, made)
    return made
  }
}

/** Parameters of a request that are numbers, by their names in the conventions. */
const NUMBER_PARAMS: Readonly<Record<string, string>> = {
  temperature: 'gen_ai.request.temperature',
  top_p: 'gen_ai.request.top_p',
  top_k: 'gen_ai.request.top_k',
  max_tokens: 'gen_ai.request.max_tokens',
  max_completion_tokens: 'gen_ai.request.max_tokens',
  frequency_penalty: 'gen_ai.request.frequency_penalty',
  presence_penalty: 'gen_ai.request.presence_penalty',
  seed: 'gen_ai.request.seed',
}

/** The request of an attempt, behind its origin. Stop sequences are texts that a program has written: content. */
export function attemptStart(
  origin: Attributes,
  { configId, streamed, parameters, runId, agent }: EventOf<'modelAttemptStart'>,
  withContent: boolean,
): Attributes {
  const attributes: Attributes = { ...origin, 'x.config.index': configId }
  addConversation(attributes, runId)
  addWorker(attributes, agent)
  if (streamed) attributes['gen_ai.request.stream'] = true
  for (const param in parameters) {
    const value = parameters[param]
    const attribute = typeof value === 'number' && Object.hasOwn(NUMBER_PARAMS, param) && NUMBER_PARAMS[param]
    if (attribute) attributes[attribute] = value
  }
  const { n, stop, response_format: format } = parameters
  if (typeof n === 'number' && n !== 1) attributes['gen_ai.request.choice.count'] = n
  const type = (format as { readonly type?: unknown } | null | undefined)?.type
  if (type === 'json_object' || type === 'json_schema') attributes['gen_ai.output.type'] = 'json'
  const stops = typeof stop === 'string' ? [stop] : stop
  if (withContent && Array.isArray(stops))
    attributes['gen_ai.request.stop_sequences'] = stops.map((text) => String(text).toWellFormed())
  return attributes
}

/** The answer of an attempt: `seconds` to its first content, if it was streamed. */
export function attemptEnd(event: EventOf<'modelAttemptEnd'>, seconds: number | undefined): Attributes {
  const { responseId, responseModel, finishReason, cached, sendings, waitedMs, usage, cost } = event
  const attributes: Attributes = {}
  if (cached) attributes['x.cached'] = true
  else addUsage(attributes, usage, cost)
  if (responseId !== null) attributes['gen_ai.response.id'] = responseId
  if (responseModel !== null) attributes['gen_ai.response.model'] = responseModel
  if (finishReason !== null) attributes['gen_ai.response.finish_reasons'] = [finishReason]
  if (seconds !== undefined) attributes['gen_ai.response.time_to_first_chunk'] = seconds
  if (sendings > 1) attributes['x.requests'] = sendings
  if (waitedMs !== undefined) attributes['x.waited_ms'] = waitedMs
  return attributes
}

/** The answer of a model that is none of `@x/model`: it has no attempts. */
export function callEnd(origin: Attributes, event: EventOf<'modelCallEnd'>): Attributes {
  const { model, agent, finishReason, cached, usage, cost, runId } = event
  const attributes: Attributes = { ...origin }
  if (cached) attributes['x.cached'] = true
  else addUsage(attributes, usage, cost)
  addConversation(attributes, runId)
  addWorker(attributes, agent)
  if (model !== null) attributes['gen_ai.response.model'] = model
  if (finishReason !== null) attributes['gen_ai.response.finish_reasons'] = [finishReason]
  return attributes
}

function addUsage(attributes: Attributes, usage: EventUsage | null, cost: number | null): void {
  if (cost !== null) attributes['x.usage.cost'] = cost
  if (!usage) return
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage
  attributes['gen_ai.usage.input_tokens'] = promptTokens
  attributes['gen_ai.usage.output_tokens'] = completionTokens
  if (cachedTokens !== undefined) attributes['gen_ai.usage.cache_read.input_tokens'] = cachedTokens
  if (cacheWriteTokens !== undefined) attributes['gen_ai.usage.cache_creation.input_tokens'] = cacheWriteTokens
  if (reasoningTokens !== undefined) attributes['gen_ai.usage.reasoning.output_tokens'] = reasoningTokens
}

/** The vectors of a request, and what they cost. */
export function embedEnd(end: {
  readonly model: string | null
  readonly tokens: number | null
  readonly cost: number | null
  readonly dimensions: number | null
}): Attributes {
  const attributes: Attributes = {}
  if (end.model !== null) attributes['gen_ai.response.model'] = end.model
  if (end.dimensions !== null) attributes['gen_ai.embeddings.dimension.count'] = end.dimensions
  if (end.tokens !== null) attributes['gen_ai.usage.input_tokens'] = end.tokens
  if (end.cost !== null) attributes['x.usage.cost'] = end.cost
  return attributes
}

/** A call of a tool, or a run of code, which the conventions do not know. */
export function toolStart(name: string, type: 'function' | 'extension', agent: string | null): Attributes {
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.type': type }
  return addWorker(attributes, agent)
}

/** The end of a call of a tool. A person may have changed its arguments. */
export function toolEnd({ arguments: given, result, approval }: EventOf<'toolEnd'>, withContent: boolean): Attributes {
  const attributes: Attributes = approval ? { 'x.approval.allowed': approval.allow } : {}
  return withContent ? Object.assign(attributes, toolContent(given, result)) : attributes
}

/** The content of a call: what it is given, and what comes back. */
export function toolContent(given: unknown, result: string | null): Attributes {
  const text = given === null ? undefined : writeValue(given)
  return {
    ...(text !== undefined && { 'gen_ai.tool.call.arguments': text }),
    ...(result !== null && { 'gen_ai.tool.call.result': result.toWellFormed() }),
  }
}

/** Stands for an error without a code. */
const UNKNOWN_ERROR = '_OTHER'

/** The kind of the error with which a span has ended; undefined if it has ended otherwise. */
export function errorType(event: EndEvent): string | undefined {
  if (event.outcome !== 'error') return undefined
  return (event.type === 'modelAttemptEnd' ? event.kind : null) ?? event.error?.code ?? UNKNOWN_ERROR
}

/** Ends of the hosts of endpoints, with the providers as the conventions name them. */
const HOSTS: readonly (readonly [end: string, provider: string])[] = [
  ['api.openai.com', 'openai'],
  ['.openai.azure.com', 'azure.ai.openai'],
  ['.services.ai.azure.com', 'azure.ai.inference'],
  ['models.inference.ai.azure.com', 'azure.ai.inference'],
  ['api.anthropic.com', 'anthropic'],
  ['generativelanguage.googleapis.com', 'gcp.gemini'],
  ['aiplatform.googleapis.com', 'gcp.vertex_ai'],
  ['.amazonaws.com', 'aws.bedrock'],
  ['api.mistral.ai', 'mistral_ai'],
  ['api.deepseek.com', 'deepseek'],
  ['api.groq.com', 'groq'],
  ['api.x.ai', 'x_ai'],
  ['api.perplexity.ai', 'perplexity'],
  ['api.cohere.com', 'cohere'],
  ['api.cohere.ai', 'cohere'],
  ['.ml.cloud.ibm.com', 'ibm.watsonx.ai'],
]

/** Ends of the names of adapters, with the provider whose wire format they speak. */
const ADAPTERS: readonly (readonly [end: string, provider: string])[] = [
  ['provider-openai', 'openai'],
  ['provider-anthropic', 'anthropic'],
  ['provider-google', 'gcp.gen_ai'],
]

/** Stands for a provider that is not known. */
const UNKNOWN_PROVIDER = '_OTHER'

/** Returns the provider of an attempt as the conventions name it: by the host of its endpoint, or else by its adapter. */
export function providerName(adapter: string | null, endpoint: string | null): string {
  const host = splitEndpoint(endpoint)?.host ?? ''
  const known = HOSTS.find(([end]) => host === end || host.endsWith(end.startsWith('.') ? end : `-${end}`))
  if (known) return known[1]
  if (adapter === null) return UNKNOWN_PROVIDER
  return ADAPTERS.find(([end]) => adapter.endsWith(end))?.[1] ?? adapter
}

/** Port of an endpoint whose host tells none. */
const DEFAULT_PORT = 443

/** Splits the host of an endpoint, which may have a port; undefined without one. */
export function splitEndpoint(endpoint: string | null): { readonly host: string; readonly port: number } | undefined {
  if (endpoint === null || endpoint === '') return undefined
  const [port] = /:\d{1,5}$/u.exec(endpoint) ?? []
  if (port === undefined) return { host: endpoint, port: DEFAULT_PORT }
  return { host: endpoint.slice(0, -port.length), port: Number(port.slice(1)) }
}
