import type { ChatMessage, ToolCall, ToolResponse } from '@x/interfaces'
import { fingerprint } from './tool-ids.ts'

/**
 * Returns a stored conversation in one plain form: results of several calls each in a message of role `tool`, calls and
 * results of the older style as tool calls, every message with a role, every call with an id of its own that its result
 * names. With `keep`, calls and results of the older style stay. The stored messages are not changed; those that need no
 * change are the same objects.
 */
export function flattenMessages(messages: readonly ChatMessage[], keep: boolean = false): readonly ChatMessage[] {
  const out: ChatMessage[] = []
  const seen = new Map<string, number>()
  /** Calls whose result has not come, oldest first. */
  let open: OpenCall[] = []

  const takeCall = (call: ToolCall, place: number): ToolCall => {
    const { name } = call.function
    const stored = call.id || undefined
    let id = stored ?? `call_${fingerprint(`${out.length}/${place}/${name}`)}`
    const times = seen.get(id) ?? 0
    seen.set(id, times + 1)
    if (times > 0) id = `${id}_${fingerprint(`${id}/${times}`)}`
    open.push({ stored, id, name })
    return id === call.id && call.type === 'function' ? call : { ...call, type: 'function', id }
  }

  const takeResult = (stored: string | undefined, name: string | undefined): OpenCall | undefined => {
    const matches = (call: OpenCall): boolean =>
      stored === undefined ? name === undefined || call.name === name : call.stored === stored
    const at = open.findIndex(matches)
    return at === -1 ? undefined : open.splice(at, 1)[0]
  }

  const result = (message: ChatMessage | ToolResponse): void => {
    const { name, content } = message
    const call = takeResult(message.tool_call_id || undefined, message.role === 'function' ? name : undefined)
    if (call && call.id === message.tool_call_id && message.role === 'tool' && !('tool_responses' in message)) {
      out.push(message.name === call.name ? message : { ...message, name: call.name })
      return
    }
    out.push({ role: 'tool', tool_call_id: call?.id ?? message.tool_call_id ?? '', name: call?.name ?? name, content })
  }

  for (const message of messages) {
    const { role, tool_responses: responses, tool_calls: calls } = message
    const legacy = keep ? undefined : message.function_call
    if (keep && (role === 'function' || (message.function_call && !calls?.length))) {
      out.push(message.function_call && !role ? { ...message, role: 'assistant' } : message)
      continue
    }
    if (responses && responses.length > 0) {
      for (const response of responses) result(response)
      continue
    }
    if (role === 'tool' || role === 'function') {
      result(message)
      continue
    }
    if (!calls && !legacy && role) {
      out.push(message)
      continue
    }
    const all = [
      ...(calls ?? []).filter((call) => call.function?.name),
      ...(legacy?.name ? [{ id: message.id, function: legacy }] : []),
    ]
    if (all.length === 0) {
      out.push(calls || legacy || !role ? withoutCalls(message) : message)
      continue
    }
    open = []
    const rest = withoutCalls(message)
    out.push({ ...rest, role: 'assistant', tool_calls: all.map(takeCall) })
  }
  return out
}

interface OpenCall {
  readonly stored: string | undefined
  readonly id: string
  readonly name: string
}

function withoutCalls(message: ChatMessage): ChatMessage {
  const rest = { ...message, role: message.role ?? 'user' }
  delete rest.tool_calls
  delete rest.function_call
  return rest
}
