import { isRecord } from './chat-request.ts'
import { invalid, type Refusal } from './wire-error.ts'

const FUNCTION_NAME_PATTERN = /^[a-zA-Z0-9_-]+$/u
const MAX_NAME_LENGTH = 64

/** Refuses tools and functions that the API refuses. */
export function strictTools(body: Record<string, unknown>): Refusal | undefined {
  const { tools, functions, tool_choice: choice, parallel_tool_calls: parallel } = body
  for (const [key, list] of Object.entries({ tools, functions })) {
    if (list === undefined || list === null) continue
    if (!Array.isArray(list))
      return invalid(`Invalid type for '${key}': expected an array of objects.`, key, 'invalid_type')
    if (list.length === 0) {
      return invalid(
        `Invalid '${key}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        key,
        'empty_array',
      )
    }
    for (const [index, entry] of list.entries()) {
      const refused =
        key === 'tools' ? strictTool(entry, `tools[${index}]`) : strictFunction(entry, `functions[${index}]`)
      if (refused) return refused
    }
  }
  for (const [key, steers] of Object.entries({ tool_choice: choice, parallel_tool_calls: parallel })) {
    if ((steers ?? null) === null || (tools ?? null) !== null) continue
    return invalid(`Invalid value for '${key}': '${key}' is only allowed when 'tools' are specified.`, key)
  }
  return undefined
}

function strictTool(tool: unknown, where: string): Refusal | undefined {
  if (!isRecord(tool) || tool['type'] !== 'function') {
    return invalid(`Missing required parameter: '${where}.type'.`, `${where}.type`, 'missing_required_parameter')
  }
  return strictFunction(tool['function'], `${where}.function`)
}

function strictFunction(declared: unknown, where: string): Refusal | undefined {
  if (!isRecord(declared))
    return invalid(`Missing required parameter: '${where}'.`, where, 'missing_required_parameter')
  const { name, parameters } = declared
  const refused = strictName(name, `${where}.name`)
  if (refused) return refused
  if (parameters === undefined) return undefined
  const combined = isRecord(parameters) && ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((key) => key in parameters)
  if (combined) {
    return invalid(
      `Invalid schema for function '${String(name)}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
      `${where}.parameters`,
      'invalid_function_parameters',
    )
  }
  if (isRecord(parameters) && (parameters['type'] === 'object' || Object.keys(parameters).length === 0))
    return undefined
  return invalid(
    `Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"'.`,
    `${where}.parameters`,
    'invalid_function_parameters',
  )
}

/** Refuses a name of a function that the API refuses. */
export function strictName(name: unknown, where: string): Refusal | undefined {
  if (typeof name !== 'string' || name === '') {
    return invalid(`Missing required parameter: '${where}'.`, where, 'missing_required_parameter')
  }
  if (name.length > MAX_NAME_LENGTH) {
    return invalid(
      `Invalid '${where}': string too long. Expected a string with maximum length ${MAX_NAME_LENGTH}, but got a string with length ${name.length} instead.`,
      where,
      'string_above_max_length',
    )
  }
  if (FUNCTION_NAME_PATTERN.test(name)) return undefined
  return invalid(
    `Invalid '${where}': string does not match pattern. Expected a string that matches the pattern '${FUNCTION_NAME_PATTERN.source}'.`,
    where,
    'invalid_value',
  )
}
