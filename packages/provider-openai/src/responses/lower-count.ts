import type { CheckedParams, LoweredRequest, LowerContext } from '@x/provider-kit'
import type { OpenAIKeys } from '../config.ts'
import type { NamedProfile } from '../endpoint-profile.ts'
import { familyOf } from '../family.ts'
import { lowerRequest } from './lower-request.ts'

/** Fields of a request that its tokens depend on; the endpoint refuses others. */
const COUNTED: ReadonlySet<string> = new Set(
  `model input instructions tools tool_choice parallel_tool_calls reasoning text truncation previous_response_id
   conversation personality`.split(/\s+/u),
)

/** Returns the request that asks how many tokens the input of another request has, whichever API answers that. */
export function lowerCount(
  params: CheckedParams,
  context: LowerContext,
  { reasoningModel, toolImages }: OpenAIKeys,
  profile: NamedProfile,
): LoweredRequest {
  const { model } = context
  const family = familyOf(model, reasoningModel)
  const rules = { family, sealed: family.reasoning, refused: new Set(), profile, toolImages }
  const { body } = lowerRequest(params, context, rules)
  const counted = Object.fromEntries(Object.entries(body).filter(([key]) => COUNTED.has(key)))
  return { model, body: counted, operation: 'countTokens' }
}
