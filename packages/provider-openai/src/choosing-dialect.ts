import type { XError } from '@x/kernel'
import type { CheckedParams, Dialect, LowerContext, LoweredRequest } from '@x/provider-kit'
import { createDialect } from './chat/dialect.ts'
import type { OpenAIKeys } from './config.ts'
import type { NamedProfile } from './endpoint-profile.ts'
import { familyOf } from './family.ts'
import type { Item } from './responses/own-items.ts'
import { lowerCount } from './responses/lower-count.ts'
import { lowerRequest } from './responses/lower-request.ts'
import { createResponsesReader } from './responses/read-answer.ts'
import { isOlderReasoning, isSealedRefused } from './responses/refusals.ts'
import { createWireChoice, type OpenAIApi } from './wire-choice.ts'

/** Most ids of refused items that a client remembers. */
const MOST_REFUSED = 10_000

/**
 * Makes the wire formats of an endpoint: chat completions and the Responses API, each request in one of them. `knows` tells
 * whether the endpoint is known to have the Responses API.
 */
export function createOpenAIDialect(keys: OpenAIKeys, profile: NamedProfile, knows: boolean): Dialect {
  const chat = createDialect(keys, profile)
  const choice = createWireChoice(keys.api, knows)
  /** Models that refused to give their reasoning in sealed form. */
  const unsealed = new Set<string>()
  /** Ids of items that the endpoint refused: of another account, of another model, or not to be found. */
  const refused = new Set<unknown>()

  /** Lowers a request for one API; the other one may have refused it. */
  const lowerAs = (
    params: CheckedParams,
    context: LowerContext,
    api: OpenAIApi,
    refusing?: OpenAIApi,
  ): LoweredRequest => {
    const { model, warn } = context
    const again = (refusal: XError): LoweredRequest | undefined => {
      const other = choice.next(api, refusal, model, params)
      return other && other !== refusing ? lowerAs(params, context, other, api) : undefined
    }
    if (api === 'chat') return { ...chat.lower(params, context), instead: again }
    const family = familyOf(model, keys.reasoningModel)
    const sealed = !unsealed.has(model) && (family.reasoning || !isKnown(model))
    const { body, replayed } = lowerRequest(params, context, {
      ...{ family, sealed, refused, profile },
      toolImages: keys.toolImages,
    })
    const instead = (refusal: XError): LoweredRequest | undefined => {
      if (sealed && isSealedRefused(refusal)) {
        unsealed.add(model)
        return lowerAs(params, context, api, refusing)
      }
      if (isOlderReasoning(refusal) && forget(replayed, refused)) {
        warn('reasoning', `\`${model}\` refused the reasoning of earlier answers: they were sent without it`)
        return lowerAs(params, context, api, refusing)
      }
      return again(refusal)
    }
    return { model, body, reader: createResponsesReader, instead }
  }

  return {
    ...chat,
    lower: (params, context) => lowerAs(params, context, choice.first(context.model, params)),
    ...(knows && {
      lowerCount: (params, context) => lowerCount(params, context, keys, profile),
      readCount: (body) => (body as { input_tokens?: unknown } | null)?.input_tokens,
    }),
  }
}

/** Remembers the ids of items that were refused; returns whether all of them will be left out from now on. */
function forget(items: readonly Item[], refused: Set<unknown>): boolean {
  const ids = items.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  for (const id of ids) if (refused.size < MOST_REFUSED) refused.add(id)
  return ids.length > 0 && ids.every((id) => refused.has(id))
}

/** Tells names of OpenAI's models, whose family says whether they reason. */
const isKnown = (model: string): boolean =>
  /^(?:(?:chat)?gpt-\d|chatgpt-|o\d|codex-)/iu.test(model.slice(model.lastIndexOf('/') + 1))
