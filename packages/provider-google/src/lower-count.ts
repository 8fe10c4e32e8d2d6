import type { CheckedParams, LoweredRequest, LowerContext } from '@x/provider-kit'
import { isVertex, modelPath } from './endpoint.ts'
import { lower, type LowerConfig } from './lower.ts'

/** Fields of a request that Vertex counts; it has no way to send a whole request. */
const COUNTED: ReadonlySet<string> = new Set(['contents', 'systemInstruction', 'tools', 'generationConfig'])

/** Returns the request that asks how many tokens the input of another request has. */
export function lowerCount(params: CheckedParams, context: LowerContext, config: LowerConfig): LoweredRequest {
  const { model, body } = lower(params, context, config)
  const counted = isVertex(config.baseUrl)
    ? Object.fromEntries(Object.entries(body).filter(([key]) => COUNTED.has(key)))
    : { generateContentRequest: { model: modelPath(model), ...body } }
  return { model, body: counted, operation: 'countTokens' }
}
