import type { ConfigEntry } from '@x/interfaces'
import type { XError } from '@x/kernel'
import { isHostOf, isRecord, type CheckedParams } from '@x/provider-kit'
import type { OpenAIKeys } from './config.ts'
import type { Environment } from './endpoint.ts'
import type { FamilyOf, OpenAIModelFamily } from './family.ts'

/** An API of the endpoint. */
export type OpenAIApi = 'chat' | 'responses'

/** Choice of the API for each request of a client. */
export interface ApiChoice {
  /** Returns the API to ask first. */
  first(model: string, params: CheckedParams): OpenAIApi
  /** Remembers a refusal that names the other API and returns that API; returns undefined for any other refusal. */
  next(refused: OpenAIApi, refusal: XError, model: string, params: CheckedParams): OpenAIApi | undefined
}

/** The requests that a refusal is remembered for: with tools and reasoning, with tools, or all. */
type RefusedRequests = 'reasoningTools' | 'tools' | 'all'

/** Models with a remembered refusal. */
const MAX_MODELS = 1000

/**
 * Makes the choice for one client. `hasResponses` tells whether the endpoint is known to have the Responses API; other
 * endpoints get chat completions until they name the other API.
 */
export function createApiChoice(api: OpenAIKeys['api'], hasResponses: boolean, familyOf: FamilyOf): ApiChoice {
  const refusals = new Map<string, { chat?: RefusedRequests; responses?: RefusedRequests }>()
  /** Whether the endpoint turned out to have no Responses API at all. */
  let missing = false

  const wantsResponses = (model: string, params: CheckedParams): boolean =>
    hasResponses && needsResponses(familyOf(model), params)

  const isRefused = (requested: OpenAIApi, model: string, params: CheckedParams): boolean => {
    if (requested === 'responses' && missing) return true
    const refused = refusals.get(model)?.[requested]
    if (refused === 'tools') return params.tools.length > 0
    return refused === 'all' || (refused === 'reasoningTools' && toolsWithReasoning(params))
  }

  return {
    first(model, params) {
      if (api === 'chat' || api === 'responses') return api
      // The older endpoint for prompts is a third one.
      if (typeof params.given['prompt'] === 'string') return 'chat'
      const wanted = wantsResponses(model, params) ? 'responses' : 'chat'
      const other = wanted === 'chat' ? 'responses' : 'chat'
      return isRefused(wanted, model, params) && !isRefused(other, model, params) ? other : wanted
    },
    next(refused, refusal, model, params) {
      if (api === 'chat' || api === 'responses') return undefined
      const isMissing = refused === 'responses' && hasNoPath(refusal)
      const named = isMissing ? 'all' : refusedFor(refused, refusal)
      if (!named) return undefined
      // A model may refuse tools although it is asked not to reason.
      const requests = named === 'reasoningTools' && !toolsWithReasoning(params) ? 'tools' : named
      missing ||= isMissing
      const earlier = refusals.get(model)
      if (earlier || refusals.size < MAX_MODELS) refusals.set(model, { ...earlier, [refused]: requests })
      const other = refused === 'chat' ? 'responses' : 'chat'
      return isRefused(other, model, params) ? undefined : other
    },
  }
}

/** Tells whether the endpoint of a config is OpenAI's, or the form of Azure that has the Responses API. */
export function hasResponsesApi({ apiType, baseUrl }: ConfigEntry, env: Environment): boolean {
  const isAzure = apiType?.startsWith('azure') ?? false
  const url = baseUrl || env[isAzure ? 'AZURE_OPENAI_ENDPOINT' : 'OPENAI_BASE_URL']
  if (!url) return !isAzure
  if (isHostOf(url, 'openai.com')) return true
  return (isAzure || isHostOf(url, 'azure.com')) && /\/openai\/v1\/*(?:\?|$)/u.test(url)
}

/** Parameters that only the Responses API knows. */
const RESPONSES_PARAMS =
  `include reasoning previous_response_id conversation truncation max_output_tokens max_tool_calls background
  context_management instructions text`.split(/\s+/u)

/** Tells whether OpenAI's chat completions would refuse a request to a model. */
function needsResponses({ api }: OpenAIModelFamily, params: CheckedParams): boolean {
  if (api === 'responses' || api === 'chat') return api === 'responses'
  const { given, tools } = params
  if (RESPONSES_PARAMS.some((key) => given[key] !== undefined) || isRecord(given['prompt'])) return true
  // Tools of the provider, and functions in the other API's form.
  if (tools.some((tool) => !tool.function && !isRecord(tool['custom']))) return true
  if (api === 'responses-for-tools') return toolsWithReasoning(params)
  return api === 'responses-for-effort' && params.reasoning_effort !== undefined && toolsWithReasoning(params)
}

function toolsWithReasoning({ tools, given, reasoning_effort: effort }: CheckedParams): boolean {
  const { reasoning } = given
  const asked = isRecord(reasoning) ? (reasoning['effort'] ?? effort) : effort
  return tools.length > 0 && asked !== 'none'
}

/** Tells which requests a refusal that names the other API is about; undefined when it names none. */
function refusedFor(refused: OpenAIApi, { status, message, details }: XError): RefusedRequests | undefined {
  if (status === undefined || status < 400 || status >= 500 || status === 401 || status === 429) return undefined
  const said = withoutUrl(message)
  if (refused === 'responses') return /chat[/ ]completions/iu.test(said) ? 'all' : undefined
  const names = /\/responses\b|responses api/iu.test(said)
  // Azure names only what does not work.
  if (!names && !/chat_?completion operation does not work/iu.test(said)) return undefined
  return details?.['param'] === 'reasoning_effort' || /\btools?\b/iu.test(said) ? 'reasoningTools' : 'all'
}

/** Tells a path that the endpoint does not have from a model that it does not have. */
function hasNoPath({ status, message, details }: XError): boolean {
  if (status !== 404 && status !== 405 && status !== 501) return false
  return typeof details?.['code'] !== 'string' && !/model|deployment|item/iu.test(withoutUrl(message))
}

/** The message of a failure may end with the URL that was asked. */
const withoutUrl = (message: string): string => message.replace(/ \(`[^`]*`\)$/u, '')
