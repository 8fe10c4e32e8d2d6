import type { StoredAnswer } from '@x/interfaces'

/** Tells an answer from anything else that a store may give: from another version, another program, or a broken store. */
export function isStoredAnswer(value: unknown): value is StoredAnswer {
  if (!isRecord(value) || !isRecord(value['answer']) || !isAmount(value['cost'])) return false
  const { choices, model, usage } = value['answer']
  if (typeof model !== 'string' || !Array.isArray(choices)) return false
  return isUsage(usage) && choices.every(isChoice)
}

function isChoice(choice: unknown): boolean {
  if (!isRecord(choice) || typeof choice['index'] !== 'number' || !isRecord(choice['message'])) return false
  const { content, tool_calls: calls, function_call: call } = choice['message']
  const isContent =
    isAbsent(content) || typeof content === 'string' || (Array.isArray(content) && content.every(isRecord))
  return isContent && isTextOrAbsent(choice['finish_reason']) && (isAbsent(call) || isCall(call)) && areCalls(calls)
}

const areCalls = (calls: unknown): boolean =>
  isAbsent(calls) || (Array.isArray(calls) && calls.every((each) => isRecord(each) && isCall(each['function'])))

const isCall = (call: unknown): boolean =>
  isRecord(call) && typeof call['name'] === 'string' && typeof call['arguments'] === 'string'

const isUsage = (usage: unknown): boolean =>
  isAbsent(usage) ||
  (isRecord(usage) &&
    isAmount(usage['prompt_tokens']) &&
    isAmount(usage['completion_tokens']) &&
    isAmount(usage['total_tokens']))

/** Null stands for a cost that is not known; stores of other programs leave it out. */
const isAmount = (value: unknown): boolean => isAbsent(value) || (typeof value === 'number' && value >= 0)

const isTextOrAbsent = (value: unknown): boolean => isAbsent(value) || typeof value === 'string'

const isAbsent = (value: unknown): boolean => value === undefined || value === null

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
