type Message = Readonly<Record<string, unknown>>

/** Returns the input of a request as messages: calls are the assistant's, results have the role `tool`. */
export function messagesOfInput(input: unknown): Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!Array.isArray(input)) return []
  return input.filter(isItem).flatMap((item): Message[] => {
    const { type, role, content, call_id: id, output, name, arguments: args } = item
    if (typeof role === 'string') return [{ role, content }]
    if (type === 'function_call_output') return [{ role: 'tool', tool_call_id: id, content: output }]
    if (type !== 'function_call') return []
    const call = { id, type: 'function', function: { name, arguments: args } }
    return [{ role: 'assistant', content: null, tool_calls: [call] }]
  })
}

const isItem = (value: unknown): value is Message => typeof value === 'object' && value !== null
