import type { XError } from '@x/kernel'
import type { CheckedParams, Dialect, LowerContext, LoweredRequest } from '@x/provider-kit'
import { createDialect } from './chat/dialect.ts'
import type { OpenAIKeys } from './config.ts'
import { familyOf } from './family.ts'
import { lowerRequest } from './responses/lower-request.ts'
import { createResponsesReader } from './responses/read-answer.ts'
import { isOlderReasoning, isSealedRefused } from './responses/refusals.ts'
import { createWireChoice, type OpenAIApi } from './wire-choice.ts'

/** Form of a request: an API, and what the endpoint refused of it. */
interface Form {
  readonly api: OpenAIApi
  /** Whether to send answers back as the items they came in. */
  readonly replay: boolean
  /** API that has refused the request, and is not asked again. */
  readonly refused?: OpenAIApi | undefined
}

/**
 * Makes the wire formats of an endpoint: chat completions and the Responses API, each request in one of them. `knows` tells
 * whether the endpoint is known to have the Responses API.
 */
export function createOpenAIDialect(keys: OpenAIKeys, knows: () => boolean): Dialect {
  const chat = createDialect(keys)
  const choice = createWireChoice(keys.api, knows)
  /** Models that refused to give their reasoning in sealed form. */
  const unsealed = new Set<string>()

  const lowerAs = (params: CheckedParams, context: LowerContext, form: Form): LoweredRequest => {
    const { model, warn } = context
    const again = (refusal: XError): LoweredRequest | undefined => {
      const api = choice.next(form.api, refusal, model, params)
      return api && api !== form.refused ? lowerAs(params, context, { ...form, api, refused: form.api }) : undefined
    }
    if (form.api === 'chat') return { ...chat.lower(params, context), instead: again }
    const family = familyOf(model, keys.reasoningModel)
    const sealed = !unsealed.has(model) && (family.reasoning || !isKnown(model))
    const { body, replays } = lowerRequest(params, context, { family, sealed, replay: form.replay })
    const instead = (refusal: XError): LoweredRequest | undefined => {
      if (sealed && isSealedRefused(refusal)) {
        unsealed.add(model)
        return lowerAs(params, context, form)
      }
      if (replays && isOlderReasoning(refusal)) {
        warn('reasoning', `\`${model}\` refused the reasoning of earlier answers: they were sent without it`)
        return lowerAs(params, context, { ...form, replay: false })
      }
      return again(refusal)
    }
    return { model, body, reader: createResponsesReader, instead }
  }

  return {
    ...chat,
    lower: (params, context) => lowerAs(params, context, { api: choice.first(context.model, params), replay: true }),
  }
}

/** Tells names of OpenAI's models, whose family says whether they reason. */
const isKnown = (model: string): boolean =>
  /^(?:(?:chat)?gpt-|o\d|codex-)/iu.test(model.slice(model.lastIndexOf('/') + 1))
