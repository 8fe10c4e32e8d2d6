import { isRecord } from '../chat-request.ts'
import { invalid, type Refusal } from '../wire-error.ts'

const MESSAGE_ROLES = ['assistant', 'system', 'developer', 'user']
const ASSISTANT_PARTS = ['output_text', 'refusal']
const USER_PARTS = ['input_text', 'input_image', 'input_file']

/** Keys of parts, by their type. */
const PART_KEYS: Readonly<Record<string, string>> = {
  input_text: 'type text prompt_cache_breakpoint',
  input_image: 'type image_url file_id detail prompt_cache_breakpoint',
  input_file: 'type file_id file_data file_url filename detail prompt_cache_breakpoint',
  output_text: 'type text annotations logprobs',
  refusal: 'type refusal',
}

/** Refuses roles and contents of messages that the Responses API refuses. */
export function strictContent(
  { role, content }: Readonly<Record<string, unknown>>,
  where: string,
): Refusal | undefined {
  if (!MESSAGE_ROLES.includes(role as string)) {
    return invalid(
      `Invalid value: '${String(role)}'. Supported values are: '${MESSAGE_ROLES.join("', '")}'.`,
      `${where}.role`,
      'invalid_value',
    )
  }
  if (typeof content === 'string') return undefined
  if (!Array.isArray(content)) {
    return invalid(
      `Invalid type for '${where}.content': expected one of a string or array of objects.`,
      `${where}.content`,
      'invalid_type',
    )
  }
  const allowed = role === 'assistant' ? ASSISTANT_PARTS : USER_PARTS
  for (const [index, part] of content.entries()) {
    const at = `${where}.content[${index}]`
    const type = isRecord(part) ? part['type'] : undefined
    if (!isRecord(part) || !allowed.includes(type as string)) {
      return invalid(
        `Invalid value: '${String(type)}'. Supported values are: '${allowed.join("', '")}'.`,
        at,
        'invalid_value',
      )
    }
    const keys = PART_KEYS[type as string]!.split(' ')
    const unknown = Object.keys(part).find((key) => !keys.includes(key))
    if (unknown !== undefined)
      return invalid(`Unknown parameter: '${at}.${unknown}'.`, `${at}.${unknown}`, 'unknown_parameter')
  }
  return undefined
}
