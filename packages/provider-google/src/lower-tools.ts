import type { FunctionSchema } from '@x/interfaces'
import { vendorOf, isRecord, toolExtras, type CheckedParams, type LowerContext } from '@x/provider-kit'
import type { GoogleModelFamily } from './family.ts'

/** A function as the provider takes it. */
export interface FunctionDeclaration {
  readonly name: string
  readonly description?: string
  readonly parameters?: object
  readonly parametersJsonSchema?: object
}

/** Whether the model calls functions. */
interface CallingConfig {
  readonly mode: 'ANY' | 'AUTO' | 'NONE' | 'VALIDATED'
  readonly allowedFunctionNames?: readonly string[]
}

/** Tools as the provider takes them. */
export interface LoweredTools {
  readonly tools: Record<string, unknown>[]
  /** Functions among the tools. */
  readonly declarations: readonly FunctionDeclaration[]
  readonly toolConfig?: { functionCallingConfig: CallingConfig } | undefined
}

/** Facts of a request that its tools depend on. */
export interface ToolContext {
  readonly names: LowerContext['names']
  /** Table of what the model takes in a schema. */
  readonly table: GoogleModelFamily['schema']
  /** Whether schemas are sent in the older subset of OpenAPI. */
  readonly openApi: boolean
  readonly schemas: LowerContext['schemas']
  readonly warn: LowerContext['warn']
}

/** Returns tools as the provider takes them; tools in the form of the provider pass. */
export function lowerTools(
  given: CheckedParams['tools'],
  choice: CheckedParams['tool_choice'],
  context: ToolContext,
): LoweredTools {
  const declared = given.flatMap((tool) =>
    tool.function ? [{ ...declareFunction(tool.function, context), ...googleExtras(tool, context.warn) }] : [],
  )
  const others = given.filter((tool) => !tool.function).map((tool) => ({ ...tool }))
  const all = [...(declared.length > 0 ? [{ functionDeclarations: declared }] : []), ...others]
  const strict = given.some((tool) => tool.function?.strict === true)
  const config = declared.length > 0 ? callingConfig(choice, strict, context) : undefined
  return {
    tools: all,
    declarations: declared,
    ...(config && { toolConfig: { functionCallingConfig: config } }),
  }
}

/** Returns the further fields of a function that the provider knows: it refuses all others. */
function googleExtras(tool: CheckedParams['tools'][number], warn: LowerContext['warn']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(toolExtras(tool, 'google', warn)).filter(([key]) => {
      if (vendorOf(key, 'tool') === 'google') return true
      warn('tools', `the field \`${key}\` of tools was left out: the provider does not know it`)
      return false
    }),
  )
}

/** Declares one function; without arguments it gets no schema, because the provider refuses an empty one. */
function declareFunction(
  { name, description, parameters }: FunctionSchema,
  { names, openApi, table, schemas }: ToolContext,
): FunctionDeclaration {
  const declared = { name: names.to(name), ...(description && { description }) }
  if (!parameters || hasNoArguments(parameters, openApi)) return declared
  const { parameters: schema } = schemas.tool(name, parameters, table)
  return { ...declared, ...(openApi ? { parameters: schema } : { parametersJsonSchema: schema }) }
}

/** Tells a schema without arguments; free keys of one type are arguments, where the form of schemas has them. */
function hasNoArguments(schema: Readonly<Record<string, unknown>>, openApi: boolean): boolean {
  const { properties, additionalProperties: others } = schema
  if (properties !== undefined && !(isRecord(properties) && Object.keys(properties).length === 0)) return false
  if (!openApi && isRecord(others) && Object.keys(others).length > 0) return false
  return properties !== undefined || Object.keys(schema).every((key) => EMPTY_SCHEMA_KEYS.has(key))
}

const EMPTY_SCHEMA_KEYS: ReadonlySet<string> = new Set([
  'type',
  'description',
  'required',
  '$schema',
  'additionalProperties',
])

function callingConfig(choice: unknown, strict: boolean, { names, warn }: ToolContext): CallingConfig | undefined {
  // A forced choice wins over checked arguments: the provider does not combine them.
  if (choice === 'required' || choice === 'any') return { mode: 'ANY' }
  if (choice === 'none') return { mode: 'NONE' }
  const called: unknown = isRecord(choice) ? (choice['function'] ?? choice) : undefined
  const name: unknown = isRecord(called) ? called['name'] : undefined
  if (typeof name === 'string') return { mode: 'ANY', allowedFunctionNames: [names.to(name)] }
  if (choice !== undefined && choice !== 'auto') {
    warn('tool_choice', 'the choice of a tool was left out: the provider does not know this form of it')
  }
  if (strict) return { mode: 'VALIDATED' }
  return choice === 'auto' ? { mode: 'AUTO' } : undefined
}

/** Leaves the choice of a tool to a model that cannot be made to call one. */
export function fitCalling(
  config: LoweredTools['toolConfig'],
  { forcedTools }: GoogleModelFamily,
  thinks: boolean,
  warn: LowerContext['warn'],
): LoweredTools['toolConfig'] {
  const canBeForced = forcedTools === 'always' || (forcedTools === 'without-thinking' && !thinks)
  if (config?.functionCallingConfig.mode !== 'ANY' || canBeForced) return config
  warn('tool_choice', 'the model cannot be made to call a tool: the choice was left to it')
  return { functionCallingConfig: { mode: 'AUTO' } }
}
