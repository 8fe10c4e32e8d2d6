import type { ToolCall } from '@x/interfaces'
import { isRecord, parseJson, type LowerContext } from '@x/provider-kit'
import type { NamedProfile } from './endpoint-profiles.ts'
import { isOpenAI } from './refused-params.ts'

/** Text before and behind the input of a custom tool, which becomes the one argument of a call. */
export const INPUT_WRAPPER = ['{"input":"', '"}'] as const

/** Escapes a piece of the input of a custom tool for a text between the two of `INPUT_WRAPPER`. */
export const escapedInput = (input: string): string => JSON.stringify(input).slice(1, -1)

/** Returns the input of a custom tool, which is the one argument of an earlier call. */
export function customInput(args: unknown): string {
  const read = typeof args === 'string' ? parseJson(args) : args
  return isRecord(read) && typeof read['input'] === 'string' ? read['input'] : argumentsText(args)
}

/** Returns arguments as text; missing ones are the empty object. */
function argumentsText(args: unknown): string {
  if (typeof args === 'string') return args === '' ? '{}' : args
  return JSON.stringify(args ?? {})
}

/**
 * Returns the arguments of an earlier call as the endpoint takes them. Servers of open models parse them, and refuse the whole
 * conversation for a text that is no object, which their models write now and then: there it is wrapped.
 */
export function sentArguments(
  called: ToolCall['function'],
  schemas: LowerContext['schemas'],
  endpoint: Pick<NamedProfile, 'name'>,
): string {
  const text = schemas.encodeArguments(called.name, argumentsText(called.arguments))
  if (isOpenAI(endpoint.name) || (READ.has(called) && text === called.arguments)) return text
  if (!isRecord(parseJson(text))) return JSON.stringify({ rawInvalidInput: text })
  if (text.length >= MIN_REMEMBERED_LENGTH && text === called.arguments && Object.isFrozen(called)) READ.add(called)
  return text
}

/** Calls with long arguments that cannot change and were read: each request brings those of the earlier ones again. */
const READ = new WeakSet<object>()
const MIN_REMEMBERED_LENGTH = 1000

/** Returns a text, or the empty text for another type. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
