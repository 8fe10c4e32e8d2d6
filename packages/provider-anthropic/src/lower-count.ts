import type { CheckedParams, LoweredRequest, LowerContext } from '@x/provider-kit'
import { lower, type LowerConfig } from './lower.ts'

/** Fields of a request that its tokens depend on; the endpoint refuses others. */
const COUNTED: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
  'context_management',
  'mcp_servers',
])

/** Returns the request that asks how many tokens the input of another request has. */
export function lowerCount(params: CheckedParams, context: LowerContext, config: LowerConfig): LoweredRequest {
  const { model, body, headers } = lower(params, context, config)
  const counted = Object.fromEntries(Object.entries(body).filter(([key]) => COUNTED.has(key)))
  return { model, body: counted, headers, operation: 'countTokens' }
}
