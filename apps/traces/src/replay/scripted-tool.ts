import type { JsonSchema } from '@x/interfaces'
import type { Recorder } from './recorder.ts'
import { fill } from './template.ts'
import type { GivenTool, GivenToolResult } from './trace.ts'

/** A scripted function with one arguments object, and its description for models. */
export interface ScriptedTool {
  readonly name: string
  readonly description: string | undefined
  readonly parameters: JsonSchema
  readonly execute: (args: Record<string, unknown>) => unknown
}

/**
 * Makes the function of a scripted tool. It fills in defaults, records its arguments and does what the script says. An
 * asynchronous one ends at once in the blocking face, as the reference runs it to its end there.
 */
export function scriptTool(name: string, given: GivenTool, recorder: Recorder): ScriptedTool {
  const run = (args: Record<string, unknown>): unknown => {
    const full = complete(name, given, args)
    recorder.callFunction(name, { arguments: full })
    return outcome(given.result, full)
  }
  const execute =
    given.async && recorder.face !== 'sync'
      ? async (args: Record<string, unknown>): Promise<unknown> => run(args)
      : (args: Record<string, unknown>): unknown => run(args)
  Object.defineProperty(execute, 'name', { value: name })
  return { name, description: given.description, parameters: schemaOf(given), execute }
}

function complete(name: string, { params = {} }: GivenTool, args: Record<string, unknown>): Record<string, unknown> {
  const full: Record<string, unknown> = { ...args }
  const unknown = Object.keys(args).find((key) => !Object.hasOwn(params, key))
  if (unknown !== undefined) throw new Error(`${name}() was called with \`${unknown}\`, which it does not know`)
  for (const [key, { default: fallback }] of Object.entries(params)) {
    if (Object.hasOwn(args, key)) continue
    if (fallback === undefined) throw new Error(`${name}() was called without \`${key}\``)
    full[key] = fallback
  }
  return full
}

function outcome(result: GivenToolResult, args: Record<string, unknown>): unknown {
  if ('raise' in result) throw new Error(result.raise)
  if ('template' in result) return fill(result.template, args)
  if ('sum' in result) return result.sum.reduce((sum, key) => sum + Number(args[key]), 0)
  return result.value
}

function schemaOf({ params = {} }: GivenTool): JsonSchema {
  const required = Object.keys(params).filter((key) => params[key]?.default === undefined)
  return { type: 'object', properties: params, required }
}
