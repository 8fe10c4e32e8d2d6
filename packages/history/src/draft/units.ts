import type { ChatMessage } from '@x/interfaces'

/** Messages that go together, by their first and behind their last position: calls with their results, or one message. */
export interface Unit {
  readonly from: number
  readonly to: number
}

/** Divides messages into units: a message with calls and the results behind it are one. */
export function unitsOf(messages: readonly ChatMessage[]): Unit[] {
  const units: Unit[] = []
  for (let from = 0; from < messages.length;) {
    const to = endOfUnit(messages, from)
    units.push({ from, to })
    from = to
  }
  return units
}

function endOfUnit(messages: readonly ChatMessage[], from: number): number {
  const first = messages[from]!
  const open = new Set<string | undefined>((first.tool_calls ?? []).map(({ id }) => id))
  if (open.size === 0 && !first.function_call) return from + 1
  let to = from + 1
  for (let index = from + 1; index < messages.length; index++) {
    const { role, tool_call_id: id, tool_calls: calls, function_call: call } = messages[index]!
    if (calls || call) break
    const isResult = role === 'function' ? Boolean(first.function_call) : role === 'tool'
    // A result that stands right behind belongs here, whatever its identifier; a later one only when it is waited for.
    if (isResult && (index === to || open.has(id))) {
      open.delete(id)
      to = index + 1
    } else if (open.size === 0) break
  }
  return to
}
