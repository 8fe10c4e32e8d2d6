import type { ModelParams } from '@x/interfaces'
import { objectSchema, type NameMap } from '@x/provider-kit'
import type { ModelFamily } from './family.ts'
import { strictSchema } from './strict-schema.ts'

/** Says that a parameter was left out or changed. */
export type Warn = (topic: string, text: string) => void

/** Parameters that reasoning models refuse. */
const SAMPLING = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'stop',
]

/** Gives the request parameters as the model takes them; messages are lowered apart. */
export function lowerParams(params: ModelParams, family: ModelFamily, names: NameMap, warn: Warn): object {
  const { messages: _, stream: __, stream_options: ___, ...body } = params
  for (const key of Object.keys(body)) if (body[key] === undefined || body[key] === null) delete body[key]
  const tier = body['service_tier']
  if (family.tiers && (tier === 'flex' || tier === 'priority') && !family.tiers.includes(tier)) {
    drop(body, ['service_tier'], params.model, warn)
  }
  if (!family.effort) drop(body, ['reasoning_effort'], params.model, warn)
  if (family.reasoning) fitReasoning(body, family, warn)
  else if (!family.temperature) drop(body, ['temperature', 'top_p'], params.model, warn)
  lowerTools(body, names)
  lowerFormat(body)
  return body
}

function fitReasoning(body: Record<string, unknown>, family: ModelFamily, warn: Warn): void {
  if (body['max_tokens'] !== undefined) {
    body['max_completion_tokens'] ??= body['max_tokens']
    delete body['max_tokens']
  }
  const quiet = body['reasoning_effort'] === 'none' && family.samplingWithoutEffort
  if (!quiet) drop(body, SAMPLING, body['model'], warn)
}

function drop(body: Record<string, unknown>, keys: readonly string[], model: unknown, warn: Warn): void {
  for (const key of keys) {
    if (body[key] === undefined) continue
    delete body[key]
    warn('parameter', `\`${String(model)}\` does not take \`${key}\`: it was left out`)
  }
}

interface WireTool {
  type?: string
  function?: { name: string; parameters?: object; strict?: boolean }
}

function lowerTools(body: Record<string, unknown>, names: NameMap): void {
  const tools = body['tools'] as WireTool[] | undefined
  if (!tools || tools.length === 0) {
    // Without tools the endpoint refuses what steers them.
    for (const key of ['tools', 'tool_choice', 'parallel_tool_calls']) delete body[key]
  } else {
    body['tools'] = tools.map((tool) =>
      tool.function ? { ...tool, function: lowerFunction(tool.function, names) } : tool,
    )
    const choice = body['tool_choice'] as WireTool | string | undefined
    if (typeof choice === 'object' && choice.function) {
      body['tool_choice'] = { ...choice, function: { ...choice.function, name: names.to(choice.function.name) } }
    }
  }
  const functions = body['functions'] as { name: string }[] | undefined
  if (functions?.length === 0) {
    delete body['functions']
    delete body['function_call']
  }
}

function lowerFunction<F extends { name: string; parameters?: object; strict?: boolean }>(fn: F, names: NameMap): F {
  const plain = fn.parameters && Object.keys(fn.parameters).length > 0 ? objectSchema(fn.parameters) : fn.parameters
  const parameters = fn.strict && plain ? strictSchema(plain) : plain
  return { ...fn, name: names.to(fn.name), ...(parameters && { parameters }) }
}

function lowerFormat(body: Record<string, unknown>): void {
  const format = body['response_format'] as { type?: string; json_schema?: { schema?: object; strict?: boolean } }
  const { schema, strict } = format?.json_schema ?? {}
  if (!schema || !strict) return
  body['response_format'] = { ...format, json_schema: { ...format.json_schema, schema: strictSchema(schema) } }
}
