import type { Attributes } from '@opentelemetry/api'
import type { EventUsage, XEvent } from '@x/interfaces'
import { writeValue } from './messages.ts'

/** An event of a type. */
export type EventOf<T extends XEvent['type']> = Extract<XEvent, { readonly type: T }>

type EndEvent = Extract<XEvent, { readonly ms: number }>

/** Characters of a name in an attribute or in the name of a span: models make names up. */
const MAX_NAME_LENGTH = 128

/** Cuts a name that may be long. */
export const shortName = (name: string): string => name.slice(0, MAX_NAME_LENGTH)

/** Attributes of every span: the ids by which events, journals and the log of a host name it. */
export const placeOf = ({ runId, id, resumed }: Pick<XEvent, 'runId'> & StartFields): Attributes => ({
  ...(runId !== null && { 'x.run.id': runId }),
  'x.span.id': id,
  ...(resumed && { 'x.resumed': true }),
})

interface StartFields {
  readonly id: string
  readonly resumed?: true | undefined
}

/** The agent that does the work of a span. */
export const workerOf = (agent: string | null): Attributes => (agent === null ? {} : { 'x.agent': shortName(agent) })

/** The work of an agent. */
export const agentStart = (agent: string, runId: string | null): Attributes => ({
  'gen_ai.operation.name': 'invoke_agent',
  'gen_ai.agent.name': shortName(agent),
  ...conversationOf(runId),
})

const conversationOf = (runId: string | null): Attributes => (runId === null ? {} : { 'gen_ai.conversation.id': runId })

/** Tokens and cost of everything in a chat. */
export function chatEnd({ cost, terminationReason }: EventOf<'chatEnd'>): Attributes {
  const attributes: Attributes = {}
  if (terminationReason !== null) attributes['x.termination_reason'] = terminationReason
  if (!cost) return attributes
  const { totalCost, models } = cost.usageExcludingCachedInference
  let [input, output] = [0, 0]
  for (const { promptTokens, completionTokens } of Object.values(models)) {
    input += promptTokens
    output += completionTokens
  }
  return Object.assign(attributes, {
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    'x.usage.cost': totalCost,
  })
}

/** The facts of an attempt that its span and its metrics share. */
export function attemptOrigin({ provider, endpoint, model }: AttemptFields): Attributes {
  const server = splitEndpoint(endpoint)
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': providerName(provider, endpoint),
    ...(model !== null && { 'gen_ai.request.model': model }),
    ...(server && { 'server.address': server.host, 'server.port': server.port }),
  }
}

type AttemptFields = Pick<EventOf<'modelAttemptStart'>, 'provider' | 'endpoint' | 'model'>

/** Parameters of a request that are numbers, by their names in the conventions. */
const NUMBER_PARAMS: readonly (readonly [param: string, attribute: string])[] = [
  ['temperature', 'gen_ai.request.temperature'],
  ['top_p', 'gen_ai.request.top_p'],
  ['top_k', 'gen_ai.request.top_k'],
  ['max_tokens', 'gen_ai.request.max_tokens'],
  ['max_completion_tokens', 'gen_ai.request.max_tokens'],
  ['frequency_penalty', 'gen_ai.request.frequency_penalty'],
  ['presence_penalty', 'gen_ai.request.presence_penalty'],
  ['seed', 'gen_ai.request.seed'],
]

/** The request of an attempt. Stop sequences are texts that a program has written: content. */
export function attemptStart(event: EventOf<'modelAttemptStart'>, withContent: boolean): Attributes {
  const { configId, streamed, parameters, runId } = event
  const attributes: Attributes = { 'x.config.index': configId, ...conversationOf(runId) }
  if (streamed) attributes['gen_ai.request.stream'] = true
  for (const [param, attribute] of NUMBER_PARAMS) {
    const value = parameters[param]
    if (typeof value === 'number') attributes[attribute] = value
  }
  const { n, stop, response_format: format } = parameters
  if (typeof n === 'number' && n !== 1) attributes['gen_ai.request.choice.count'] = n
  const type = (format as { readonly type?: unknown } | null | undefined)?.type
  if (type === 'json_object' || type === 'json_schema') attributes['gen_ai.output.type'] = 'json'
  const stops = typeof stop === 'string' ? [stop] : stop
  if (withContent && Array.isArray(stops)) attributes['gen_ai.request.stop_sequences'] = stops.map(String)
  return attributes
}

/** The answer of an attempt: `seconds` to its first content, if it was streamed. */
export function attemptEnd(event: EventOf<'modelAttemptEnd'>, seconds: number | undefined): Attributes {
  const { responseId, responseModel, finishReason, cached, sendings, waitedMs, usage, cost } = event
  const attributes: Attributes = cached ? { 'x.cached': true } : usageOf(usage, cost)
  if (responseId !== null) attributes['gen_ai.response.id'] = responseId
  if (responseModel !== null) attributes['gen_ai.response.model'] = responseModel
  if (finishReason !== null) attributes['gen_ai.response.finish_reasons'] = [finishReason]
  if (seconds !== undefined) attributes['gen_ai.response.time_to_first_chunk'] = seconds
  if (sendings > 1) attributes['x.requests'] = sendings
  if (waitedMs !== undefined) attributes['x.waited_ms'] = waitedMs
  return attributes
}

/** The answer of a model that is none of `@x/model`: it has no attempts. */
export function callEnd({ model, finishReason, cached, usage, cost, runId }: EventOf<'modelCallEnd'>): Attributes {
  const attributes: Attributes = cached ? { 'x.cached': true } : usageOf(usage, cost)
  Object.assign(attributes, conversationOf(runId))
  if (model !== null) attributes['gen_ai.response.model'] = model
  if (finishReason !== null) attributes['gen_ai.response.finish_reasons'] = [finishReason]
  return attributes
}

function usageOf(usage: EventUsage | null, cost: number | null): Attributes {
  const attributes: Attributes = {}
  if (cost !== null) attributes['x.usage.cost'] = cost
  if (!usage) return attributes
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage
  attributes['gen_ai.usage.input_tokens'] = promptTokens
  attributes['gen_ai.usage.output_tokens'] = completionTokens
  if (cachedTokens !== undefined) attributes['gen_ai.usage.cache_read.input_tokens'] = cachedTokens
  if (cacheWriteTokens !== undefined) attributes['gen_ai.usage.cache_creation.input_tokens'] = cacheWriteTokens
  if (reasoningTokens !== undefined) attributes['gen_ai.usage.reasoning.output_tokens'] = reasoningTokens
  return attributes
}

/** A call of a tool, or a run of code, which the conventions do not know. */
export const toolStart = (name: string, type: 'function' | 'extension', callId: string | null): Attributes => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': name,
  'gen_ai.tool.type': type,
  ...(callId !== null && { 'gen_ai.tool.call.id': callId }),
})

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
    ...(result !== null && { 'gen_ai.tool.call.result': result }),
  }
}

/** Stands for an error without a code. */
const UNKNOWN_ERROR = '_OTHER'

/** The kind of the error with which a span has ended; undefined if it has ended otherwise. */
export function errorType(event: EndEvent): string | undefined {
  if (event.outcome !== 'error') return undefined
  return (event.type === 'modelAttemptEnd' ? event.kind : null) ?? event.error?.code ?? UNKNOWN_ERROR
}

/** How a span has ended, if neither well nor by an error. */
export const outcomeOf = ({ outcome }: EndEvent): Attributes =>
  outcome === 'ok' || outcome === 'error' ? {} : { 'x.outcome': outcome }

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
