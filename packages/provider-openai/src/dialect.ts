import type { XError } from '@x/kernel'
import {
  type CheckedParams,
  type Dialect,
  type LowerContext,
  type LoweredRequest,
  isRecord,
  type AnswerReader,
} from '@x/provider-kit'
import type { OpenAIKeys } from './config.ts'
import type { NamedProfile } from './endpoint-profiles.ts'
import { familyOf } from './family.ts'
import type { Item } from './responses/own-items.ts'
import { lowerCount, lowerRequest } from './responses/lower-request.ts'
import { createResponsesReader } from './responses/read-answer.ts'
import { createApiChoice } from './api-choice.ts'
import { idRule, lowerMessages } from './chat/lower-messages.ts'
import { optionNames } from './refused-params.ts'
import { lowerParams } from './chat/lower-params.ts'
import { createReader } from './chat/read-answer.ts'
import { resultMediaRule } from './content-parts.ts'

/** Ids of refused items that a client remembers. */
const MAX_REFUSED_IDS = 10_000

/**
 * Makes the wire format of an endpoint: each request goes to chat completions or to the Responses API. `hasResponses` tells
 * whether the endpoint is known to have the Responses API.
 */
export function createOpenAIDialect(keys: OpenAIKeys, profile: NamedProfile, hasResponses: boolean): Dialect {
  const chat = createChatDialect(keys, profile)
  const choice = createApiChoice(keys.api, hasResponses)
  /** Models that refused to send their reasoning in sealed form. */
  const unsealed = new Set<string>()
  /** Ids of items that the endpoint refused: of another account, of another model, or unknown ones. */
  const refusedIds = new Set<unknown>()

  const lower = (params: CheckedParams, context: LowerContext): LoweredRequest => {
    const { model, warn } = context
    const api = choice.first(model, params)
    const usesOtherApi = (refusal: XError): boolean =>
      choice.next(api, refusal, model, params) !== undefined && choice.first(model, params) !== api
    if (api === 'chat') return { ...chat.lower(params, context), learn: usesOtherApi }
    const family = familyOf(model, keys.reasoningModel)
    const sealed = !unsealed.has(model) && (family.reasoning || !isOpenAIModel(model))
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
    return { model, body, reader: createResponsesReader, learn }
  }

  return {
    ...chat,
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

/** Tells names of models of OpenAI, of which the family says whether they reason. */
const isOpenAIModel = (model: string): boolean =>
  /^(?:(?:chat)?gpt-\d|chatgpt-|o\d|codex-)/iu.test(model.slice(model.lastIndexOf('/') + 1))

/** Makes the wire format of chat completions, and of the older endpoint for prompts. */
function createChatDialect({ reasoningModel, toolImages }: OpenAIKeys, profile: NamedProfile): Dialect {
  return {
    provider: 'openai',
    optionNames: optionNames(profile),
    ids: idRule(profile),
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: (model) => ({
      streaming: true,
      ...(familyOf(model, reasoningModel).structured && {
        structuredOutput: 'schema',
        structuredOutputWithTools: true,
      }),
    }),
    lower(params, context) {
      const { model, names, abilities, warn } = context
      const family = familyOf(model, reasoningModel)
      const body = lowerParams(params, context, { family, profile })
      const { systemRole: role } = family
      const systemRole = profile.systemRole === 'system' && role === 'developer' ? 'system' : role
      const withTools = body['tools'] !== undefined || params.messages.some(({ tool_calls: calls }) => calls?.length)
      const takesInResult = resultMediaRule('chat', { toolImages }, profile, abilities)
      const facts = { systemRole, names, profile, model, withTools, takesInResult, warn }
      const messages = 'prompt' in body ? {} : { messages: lowerMessages(params.messages, facts) }
      const { audio } = body
      const audioFormat = isRecord(audio) ? audio['format'] : undefined
      const reader = (): AnswerReader => createReader({ names, profile, model, audioFormat })
      return { model, body: { ...body, ...messages }, reader }
    },
    reader: () => createReader({ names: { to: (name) => name, from: (name) => name }, profile, model: '' }),
  }
}

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
