import type { ChatMessage } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { isRecord, recordOf } from '../json/wire-values.ts'

/**
 * Makes a request of messages by `lower`. Where that fails because a message has not the form of its type, as data without
 * types may, it fails with `invalid-argument`, which names the place. Nothing is checked before. `others` are the other
 * parameters.
 */
export function lowerMessagesBy<T>(messages: readonly ChatMessage[], lower: () => T, others: object = {}): T {
  try {
    return lower()
  } catch (error) {
    const fault = isXError(error) ? undefined : faultIn(messages)
    throw fault === undefined ? unlessJson(error, () => ({ messages, ...others })) : unsendable(fault, error)
  }
}

/** Returns the error that a request caused; it names values that JSON does not have, such as a BigInt. */
export function unlessJson(error: unknown, request: () => object): unknown {
  if (!(error instanceof TypeError)) return error
  try {
    JSON.stringify(request())
    return error
  } catch {
    return unsendable('it has a value that JSON lacks, such as a BigInt or a cycle', error)
  }
}

const unsendable = (fault: string, cause: unknown): XError =>
  new XError('invalid-argument', `the request cannot be sent: ${fault}`, { cause })

function faultIn(messages: readonly unknown[]): string | undefined {
  for (const [at, message] of messages.entries()) {
    const place = `\`messages[${at}]`
    if (!isRecord(message)) return `${place}\` is not an object`
    const { content, tool_calls: calls, tool_responses: responses } = message
    const fault =
      faultOfList(content, 'content', Array.isArray(content) ? faultOfPart : undefined) ??
      faultOfList(calls, 'tool_calls', faultOfCall) ??
      faultOfList(responses, 'tool_responses', faultOfObject)
    if (fault !== undefined) return `${place}.${fault}`
  }
  return undefined
}

/** Returns the fault of a list of a message; without a check there is none, nor of a list that is absent. */
function faultOfList(list: unknown, name: string, check?: (item: unknown) => string | undefined): string | undefined {
  if (!check || list === undefined || list === null) return undefined
  if (!Array.isArray(list)) return `${name}\` is not a list`
  const faults = list.map(check)
  const at = faults.findIndex((fault) => fault !== undefined)
  return at === -1 ? undefined : `${name}[${at}]\` ${faults[at]}`
}

const faultOfObject = (item: unknown): string | undefined => (isRecord(item) ? undefined : 'is not an object')

function faultOfCall(call: unknown): string | undefined {
  const { id, function: called } = recordOf(call)
  if (!isRecord(called) || typeof called['name'] !== 'string') return 'has no `function.name`'
  return id === undefined || id === null || typeof id === 'string' ? undefined : 'has an `id` that is not a text'
}

/** Texts that a part has to have, by its type: the first key has an object with one of the others. */
const PART_TEXTS: Readonly<Record<string, readonly string[]>> = {
  image_url: ['url'],
  input_audio: ['data'],
  file: ['file_id', 'file_data'],
}

function faultOfPart(part: unknown): string | undefined {
  if (!isRecord(part)) return 'is not an object'
  const type = String(part['type'])
  if (type === 'text') return typeof part['text'] === 'string' ? undefined : 'has no `text`'
  const names = Object.hasOwn(PART_TEXTS, type) ? PART_TEXTS[type]! : []
  const value = part[type]
  if (names.length === 0 || typeof value === 'string') return undefined
  const hasText = isRecord(value) && names.some((name) => typeof value[name] === 'string')
  return hasText ? undefined : `has no \`${names.map((name) => `${type}.${name}`).join('` or `')}\` that is a text`
}
