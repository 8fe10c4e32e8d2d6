import { isRecord } from '../chat-request.ts'
import { strictName } from '../strict-tools.ts'
import { invalid, type Refusal } from '../wire-error.ts'
import { strictContent } from './strict-content.ts'

/** Facts of a request, for the check of its input. */
export interface InputFacts {
  /** True if the model accepts reasoning items. */
  readonly reasons: boolean
  /** True if items are stored, so that an id may replace an item. */
  readonly stored: boolean
}

type Item = Readonly<Record<string, unknown>>

const MAX_CALL_ID_LENGTH = 64

/** Keys of items that are checked; items of other types pass. */
const ITEM_KEYS: Readonly<Record<string, string>> = {
  message: 'type role content id status phase',
  function_call: 'type id call_id name arguments status namespace caller async',
  function_call_output: 'type id call_id output status name namespace caller',
  custom_tool_call: 'type id call_id name input namespace caller async',
  custom_tool_call_output: 'type id call_id output caller',
  reasoning: 'type id summary content encrypted_content',
}

const ID_PREFIXES: Readonly<Record<string, string>> = { message: 'msg', function_call: 'fc', reasoning: 'rs' }

/** Refuses input that the Responses API refuses: shapes of items, calls without results, reasoning without its item. */
export function strictInput(input: unknown, facts: InputFacts): Refusal | undefined {
  if (typeof input === 'string') return undefined
  if (!Array.isArray(input))
    return invalid("Invalid type for 'input': expected one of a string or array of objects.", 'input', 'invalid_type')
  if (input.length === 0) return invalid("Missing required parameter: 'input'.", 'input', 'missing_required_parameter')
  for (const [index, item] of input.entries()) {
    const where = `input[${index}]`
    if (!isRecord(item)) return invalid(`Invalid type for '${where}': expected an object.`, where, 'invalid_type')
    const refused = strictItem(item, where, facts)
    if (refused) return refused
  }
  return strictOrder(input as Item[]) ?? strictPairs(input as Item[])
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const typeOf = ({ type, role }: Item): string => (typeof type === 'string' ? type : role === undefined ? '' : 'message')

function strictItem(item: Item, where: string, facts: InputFacts): Refusal | undefined {
  const type = typeOf(item)
  if (type === '')
    return invalid(`Missing required parameter: '${where}.type'.`, `${where}.type`, 'missing_required_parameter')
  const keys = ITEM_KEYS[type]?.split(' ')
  const unknown = Object.keys(item).find((key) => keys && !keys.includes(key))
  if (unknown !== undefined)
    return invalid(`Unknown parameter: '${where}.${unknown}'.`, `${where}.${unknown}`, 'unknown_parameter')
  const [id, callId] = [textIn(item['id']), textIn(item['call_id'])]
  const prefix = ID_PREFIXES[type]
  if (prefix && id !== undefined && !id.startsWith(prefix)) {
    return invalid(
      `Invalid '${where}.id': '${id}'. Expected an ID that begins with '${prefix}'.`,
      `${where}.id`,
      'invalid_value',
    )
  }
  if (/call(?:_output)?$/u.test(type) && callId !== undefined) {
    const { length } = callId
    if (length === 0 || length > MAX_CALL_ID_LENGTH) {
      return invalid(
        `Invalid '${where}.call_id': string too long. Expected a string with maximum length ${MAX_CALL_ID_LENGTH}, but got a string with length ${length} instead.`,
        `${where}.call_id`,
        'string_above_max_length',
      )
    }
  }
  if (type === 'message') return strictContent(item, where)
  if (type === 'function_call') return strictCall(item, where)
  if (type === 'reasoning') return strictReasoning(item, where, facts)
  return type === 'function_call_output'
    ? (needed(item, ['call_id', 'output'], where) ?? strictOutput(item['output'], where))
    : undefined
}

/** Checks the output of a call: a text, or parts as in a message of a user. */
const strictOutput = (output: unknown, where: string): Refusal | undefined =>
  strictContent({ role: 'user', content: output }, `${where}.output`)

const strictCall = (item: Item, where: string): Refusal | undefined =>
  needed(item, ['call_id', 'name', 'arguments'], where) ??
  strictName(item['name'], `${where}.name`) ??
  (typeof item['arguments'] === 'string'
    ? undefined
    : invalid(`Invalid type for '${where}.arguments': expected a string.`, `${where}.arguments`, 'invalid_type'))

function strictReasoning(item: Item, where: string, { reasons, stored }: InputFacts): Refusal | undefined {
  if (!reasons) {
    return invalid(
      'Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.',
      'input',
    )
  }
  const refused = needed(item, ['id', 'summary'], where)
  if (refused || stored || typeof item['encrypted_content'] === 'string') return refused
  const text = `Item with id '${String(item['id'])}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`
  return { ...invalid(text, 'input'), status: 404 }
}

function needed(item: Item, keys: readonly string[], where: string): Refusal | undefined {
  const missing = keys.find((key) => item[key] === undefined)
  if (missing === undefined) return undefined
  return invalid(
    `Missing required parameter: '${where}.${missing}'.`,
    `${where}.${missing}`,
    'missing_required_parameter',
  )
}

/** Checks that every call has its output, and every output its call. */
function strictPairs(input: readonly Item[]): Refusal | undefined {
  const calls = new Map<unknown, string>()
  for (const item of input) {
    const type = typeOf(item)
    const id = item['call_id']
    if (/^(?:function|custom_tool|computer|local_shell|shell|apply_patch)_call$/u.test(type)) calls.set(id, type)
    if (!type.endsWith('_call_output')) continue
    const kind = type.replace(/_call_output$/u, '').replaceAll('_', ' ')
    if (!calls.delete(id))
      return invalid(`No tool call found for ${kind} call output with call_id ${String(id)}.`, 'input')
  }
  const [open] = calls
  if (!open) return undefined
  return invalid(`No tool output found for ${open[1].replaceAll('_', ' ')} ${String(open[0])}.`, 'input')
}

/** Checks that reasoning is followed by its item, and that an item with a reasoning id follows that reasoning. */
function strictOrder(input: readonly Item[]): Refusal | undefined {
  const seen = new Set<unknown>()
  for (const [index, item] of input.entries()) {
    const type = typeOf(item)
    const { id } = item
    const next = input[index + 1]
    const follows = next && next['role'] !== 'user' && !typeOf(next).endsWith('_output')
    if (type === 'reasoning' && !follows) {
      return invalid(
        `Item '${String(id)}' of type 'reasoning' was provided without its required following item.`,
        'input',
      )
    }
    if (type === 'reasoning') seen.add(id)
    const needs = typeof id === 'string' ? /_after_(rs_\w+)$/u.exec(id)?.[1] : undefined
    if (needs !== undefined && !seen.has(needs)) {
      return invalid(
        `Item '${String(id)}' of type '${type}' was provided without its required 'reasoning' item: '${needs}'.`,
        'input',
      )
    }
  }
  return undefined
}
