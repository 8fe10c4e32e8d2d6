import { isRecord } from '../chat-request.ts'
import { strictName } from '../strict-tools.ts'
import { invalid, type Refusal } from '../wire-error.ts'

/** Refuses tools, and parameters that steer them, that the Responses API refuses. */
export function strictResponseTools({
  tools,
  tool_choice: choice,
}: Readonly<Record<string, unknown>>): Refusal | undefined {
  if ((tools ?? null) === null) {
    if ((choice ?? null) === null || choice === 'auto' || choice === 'none') return undefined
    return invalid(`Tool choice '${String(choice)}' must be specified with 'tools' parameter.`, 'tool_choice')
  }
  if (!Array.isArray(tools))
    return invalid("Invalid type for 'tools': expected an array of objects.", 'tools', 'invalid_type')
  for (const [index, tool] of tools.entries()) {
    const refused = strictTool(tool, `tools[${index}]`)
    if (refused) return refused
  }
  const where = isRecord(choice) && choice['type'] === 'function' ? choice['name'] : undefined
  return isRecord(choice) && choice['type'] === 'function' ? strictName(where, 'tool_choice.name') : undefined
}

function strictTool(tool: unknown, where: string): Refusal | undefined {
  if (!isRecord(tool) || typeof tool['type'] !== 'string') {
    return invalid(`Missing required parameter: '${where}.type'.`, `${where}.type`, 'missing_required_parameter')
  }
  if ('function' in tool)
    return invalid(`Unknown parameter: '${where}.function'.`, `${where}.function`, 'unknown_parameter')
  if (tool['type'] === 'custom') return strictName(tool['name'], `${where}.name`)
  return tool['type'] === 'function' ? strictFunction(tool, where) : undefined
}

function strictFunction({ name, parameters, strict }: Record<string, unknown>, where: string): Refusal | undefined {
  const refused = strictName(name, `${where}.name`)
  if (refused) return refused
  const wrong = (text: string): Refusal =>
    invalid(
      `Invalid schema for function '${String(name)}': ${text}`,
      `${where}.parameters`,
      'invalid_function_parameters',
    )
  if (!isRecord(parameters) || parameters['type'] !== 'object') {
    return wrong(`schema must be a JSON Schema of 'type: "object"'.`)
  }
  if (['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((key) => key in parameters)) {
    return wrong("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
  }
  // Functions are strict unless the request says that they are not.
  if (strict === false) return undefined
  if (parameters['additionalProperties'] !== false) {
    return wrong("In context=(), 'additionalProperties' is required to be supplied and to be false.")
  }
  const properties = isRecord(parameters['properties']) ? Object.keys(parameters['properties']) : []
  const required: unknown = parameters['required']
  const missing = properties.find((key) => !Array.isArray(required) || !required.includes(key))
  return missing === undefined
    ? undefined
    : wrong(
        `In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`,
      )
}
