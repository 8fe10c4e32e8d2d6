import type { ChatMessage } from '@x/interfaces'
import type { XError } from '@x/kernel'
import {
  type CheckedParams,
  type Dialect,
  type LowerContext,
  type LoweredRequest,
  isRecord,
  listOf,
  type AnswerReader,
  type Media,
} from '@x/provider-kit'
import type { OpenAIKeys } from './config.ts'
import type { NamedProfile } from './endpoint-profiles.ts'
import type { FamilyOf, OpenAIModelFamily } from './family.ts'
import type { Item } from './responses/own-items.ts'
import { lowerCount, lowerRequest } from './responses/lower-request.ts'
import { BACKGROUND, createResponsesReader } from './responses/read-answer.ts'
import { createApiChoice } from './api-choice.ts'
import { BATCHES } from './batches.ts'
import { idRule, lowerMessages } from './chat/lower-messages.ts'
import { optionNames, RefusedParams } from './refused-params.ts'
import { lowerParams } from './chat/lower-params.ts'
import { ChunkReader } from './chat/read-answer.ts'
import { resultMediaRule } from './content-parts.ts'
import { EMBED_LIMITS, type EmbeddingsEndpoint, lowerTexts, readVectors } from './embeddings.ts'

/** Ids of refused items that a client remembers. */
const MAX_REFUSED_IDS = 10_000

/**
 * Makes the wire format of an endpoint: each request goes to chat completions or to the Responses API. `hasResponses` tells
 * whether the endpoint is known to have the Responses API.
 */
export function createOpenAIDialect(
  keys: OpenAIKeys & { readonly familyOf: FamilyOf },
  profile: NamedProfile,
  hasResponses: boolean,
): Dialect {
  const { familyOf } = keys
  const chat = createChatDialect(keys, profile)
  const lowerChat = fittedToRefusals(chat)
  const choice = createApiChoice(keys.api, hasResponses, familyOf)
  /** Models that refused to send their reasoning in sealed form. */
  const unsealed = new Set<string>()
  const endpoint: EmbeddingsEndpoint = { name: profile.name }
  /** Ids of items that the endpoint refused: of another account, of another model, or unknown ones. */
  const refusedIds = new Set<unknown>()

  const responsesReader = (): AnswerReader => createResponsesReader(profile.failureRules)

  const lower = (params: CheckedParams, context: LowerContext): LoweredRequest => {
    const { model, warn } = context
    const api = choice.first(model, params)
    const usesOtherApi = (refusal: XError): boolean =>
      choice.next(api, refusal, model, params) !== undefined && choice.first(model, params) !== api
    if (api === 'chat') {
      const { body, reader, learn = () => false } = lowerChat(params, context)
      return { model, body, reader, learn: (refusal) => usesOtherApi(refusal) || learn(refusal) }
    }
    const family = familyOf(model)
    const sealed = !unsealed.has(model) && (family.reasoning || !family.known)
    const { body, replayed } = lowerRequest(params, context, {
      ...{ family, sealed, refusedIds, profile },
      toolImages: keys.toolImages,
    })
    const learn = (refusal: XError): boolean => {
      if (sealed && isSealedRefused(refusal)) {
        unsealed.add(model)
        return true
      }
      if (isOlderReasoning(refusal) && rememberRefused(replayed, refusedIds)) {
        warn('reasoning', `\`${model}\` refused the reasoning of earlier answers: they were sent without it`)
        return true
      }
      return usesOtherApi(refusal)
    }
    return { model, body, reader: responsesReader, learn }
  }

  return {
    ...chat,
    embeddings: {
      limits: EMBED_LIMITS,
      lower: (given, context) => lowerTexts(given, context, endpoint),
      read: readVectors,
    },
    batches: BATCHES,
    background: BACKGROUND,
    lower,
    ...(hasResponses && {
      lowerCount: (params, context) => lowerCount(params, context, keys, profile),
      readCount: (body) => (body as { input_tokens?: unknown } | null)?.input_tokens,
    }),
  }
}

/** Remembers the ids of refused items; returns whether all of them will be left out from now on. */
function rememberRefused(items: readonly Item[], refusedIds: Set<unknown>): boolean {
  const ids = items.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  for (const id of ids) if (refusedIds.size < MAX_REFUSED_IDS) refusedIds.add(id)
  return ids.length > 0 && ids.every((id) => refusedIds.has(id))
}

/** The part of a request that its messages do not change. */
interface LoweredParams {
  readonly given: CheckedParams['given']
  readonly model: string
  readonly family: OpenAIModelFamily
  readonly body: Readonly<Record<string, unknown>>
}

/** Makes the wire format of chat completions, and of the older endpoint for prompts. */
function createChatDialect(
  { familyOf, toolImages }: Pick<OpenAIKeys, 'toolImages'> & { readonly familyOf: FamilyOf },
  profile: NamedProfile,
): Dialect {
  const rules = { ids: idRule(profile), owners: optionNames(profile), profile }
  /** The latest parameters: nearly all requests of a client have the same. Those that make a warning are lowered each time. */
  let latest: LoweredParams | undefined
  const lowered = (params: CheckedParams, context: LowerContext): LoweredParams => {
    const { model } = context
    if (latest && latest.given === params.given && latest.model === model) return latest
    let hasWarned = false
    const warn: LowerContext['warn'] = (topic, text) => {
      hasWarned = true
      context.warn(topic, text)
    }
    const family = familyOf(model)
    const made = {
      given: params.given,
      model,
      family,
      body: lowerParams(params, { ...context, warn }, { family, profile }),
    }
    // Names of tools depend on the history.
    latest = hasWarned || params.tools.length > 0 ? undefined : made
    return made
  }
  return {
    provider: 'openai',
    optionNames: rules.owners,
    ids: rules.ids,
    failureRules: profile.failureRules,
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: (model) => ({
      streaming: true,
      ...(familyOf(model).structured && {
        structuredOutput: 'schema',
        structuredOutputWithTools: true,
      }),
    }),
    lower(params, context) {
      const { model, names, schemas, abilities, warn } = context
      const { family, body } = lowered(params, context)
      const { systemRole: role } = family
      const systemRole = profile.systemRole === 'system' && role === 'developer' ? 'system' : role
      const withTools = body['tools'] !== undefined || params.messages.some(hasCalls)
      const takesInResult = (media: Media): boolean =>
        resultMediaRule('chat', { toolImages }, profile, abilities)(media)
      const facts = { systemRole, names, schemas, ...rules, model, withTools, takesInResult, warn }
      const { audio } = body
      const audioFormat = isRecord(audio) ? audio['format'] : undefined
      const reader = (): AnswerReader => new ChunkReader({ names, profile, model, audioFormat })
      if ('prompt' in body) return { model, body: { ...body }, reader }
      return { model, body: { ...body, messages: lowerMessages(params.messages, facts) }, reader }
    },
    reader: () => new ChunkReader({ names: { to: (name) => name, from: (name) => name }, profile, model: '' }),
  }
}

const hasCalls = ({ tool_calls: calls }: ChatMessage): boolean => (calls?.length ?? 0) > 0

/**
 * Makes requests without what their model has refused: the schema of an answer, which is told in words, a forced call, or a
 * parameter.
 */
function fittedToRefusals(chat: Dialect): Dialect['lower'] {
  const schemaless = new Set<string>()
  const unforced = new Set<string>()
  const refused = new RefusedParams()
  return (params, context) => {
    const request = chat.lower(params, context)
    const { model, warn } = context
    let body = refused.without(request.body, model, warn)
    const schema = schemaless.has(model) ? schemaIn(body) : undefined
    if (schema !== undefined) {
      warn('response_format', `\`${model}\` takes no schema of its answer: it was told the schema in words`)
      body = withSchemaInWords(body, schema)
    }
    if (unforced.has(model) && isForcedChoice(body['tool_choice'])) {
      warn('tool_choice', `\`${model}\` cannot be made to call a tool: the choice was left to it`)
      body = { ...body, tool_choice: 'auto' }
    }
    const learn = (refusal: XError): boolean => {
      if (schemaIn(body) !== undefined && isSchemaRefused(refusal)) schemaless.add(model)
      else if (isForcedChoice(body['tool_choice']) && isChoiceRefused(refusal)) unforced.add(model)
      else return refused.learn(refusal, { model, body })
      return true
    }
    return { ...request, body, learn }
  }
}

const isForcedChoice = (choice: unknown): boolean => choice === 'required' || isRecord(choice)

/** Returns the schema of the answer in a request. */
function schemaIn({ response_format: format }: LoweredRequest['body']): unknown {
  const described = isRecord(format) ? format['json_schema'] : undefined
  return isRecord(described) ? described['schema'] : undefined
}

/** Returns a request that asks for JSON and tells the schema of the answer in words. */
function withSchemaInWords(body: LoweredRequest['body'], schema: unknown): LoweredRequest['body'] {
  const content = `Answer with nothing but JSON that fits this JSON Schema: ${JSON.stringify(schema)}`
  const messages = [{ role: 'system', content }, ...listOf(body['messages'])]
  return { ...body, response_format: { type: 'json_object' }, messages }
}

/** Tells whether a refusal says that the model, or the endpoint, takes no schema of an answer. */
const isSchemaRefused = ({ message }: XError): boolean =>
  /response[ _]format/iu.test(message) &&
  /unavailable|not support|enabled only/iu.test(message) &&
  !/invalid (?:json )?schema/iu.test(message)

/** Tells whether a refusal says that the model, while it thinks, cannot be made to call a tool. */
const isChoiceRefused = ({ message }: XError): boolean =>
  /tool_choice/iu.test(message) && /thinking|does not support this tool_choice/iu.test(message)

/** Tells whether a refusal says that the model has no reasoning in sealed form. */
const isSealedRefused = ({ message }: XError): boolean =>
  /encrypted[ _]content.{0,40} not (?:supported|available)/iu.test(message)

/**
 * Tells whether a refusal is about items that were sent back: reasoning of another account or model, or items that the
 * endpoint does not find, know or take in this order.
 */
function isOlderReasoning({ status, message, details }: XError): boolean {
  if (status !== undefined && status !== 400 && status !== 404 && status !== 422) return false
  const { code, param } = details ?? {}
  if (code === 'invalid_encrypted_content') return true
  if (/encrypted content|reasoning (?:input )?items?\b|item (?:with id )?'\w+'/iu.test(message)) return true
  return typeof param === 'string' && /^input\[\d+\]/u.test(param) && /unknown parameter|invalid value/iu.test(message)
}
