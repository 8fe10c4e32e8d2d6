import type { XEvent } from '@x/interfaces'
import { plain } from '../replay/plain.ts'
import { snakeCase } from '../replay/spelling.ts'
import type { Facts } from '../replay/trace.ts'

/** Our causes of handoffs by the events of the reference. */
const CAUSES: Readonly<Record<string, string>> = {
  on_condition_l_l_m_transition: 'tool',
  on_context_condition_transition: 'test',
  reply_result_transition: 'result',
  after_works_transition: 'afterWork',
}

const RECEIVED: ReadonlySet<unknown> = new Set(['text', 'tool_call', 'tool_response'])

const UNCOMPARED: ReadonlySet<unknown> = new Set([
  ...['post_carryover_processing', 'select_speaker_invalid_input', 'select_speaker_try_count_exceeded'],
  ...['termination_and_human_reply_no_input', 'using_auto_reply'],
])

/** Names that stand for parts of the reference's machinery. */
export const withoutMachinery = (names: readonly string[]): string[] => names.filter((name) => !name.startsWith('_'))

/** An event of a recording as it is compared. */
export function comparableEvent(event: Facts): Facts[] {
  const { type, source_agent: source, target } = event
  if (UNCOMPARED.has(type)) return []
  if (type === 'safeguard') {
    const { event_type: kind, action, source_agent: from, target_agent: to, guardrail_type: guard } = event
    if (kind === 'violation')
      return [{ type, kind, source: from, target: to, check: guard === 'RegexGuardrail' ? 'regex' : 'llm' }]
    return kind === 'action' ? [{ type, kind, source: from, target: to, action }] : []
  }
  const cause = CAUSES[type as string]
  if (cause !== undefined) {
    const { target: kind, name } = target as Facts
    return [{ type: 'handoff', by: cause, source: (source as Facts)['$agent'], target: kind, name }]
  }
  if (RECEIVED.has(type)) {
    const { sender, recipient, content, tool_calls: calls, tool_responses: responses } = event
    return [{ type: 'received', sender, recipient, content: content || null, calls, responses }]
  }
  if (type === 'select_speaker') return [{ type, agents: withoutMachinery(event['agents'] as string[]) }]
  if (type === 'termination') return [{ type, reason: event['reason'] }]
  return [event]
}

/** An event of ours in the spelling of {@link comparableEvent}; none for those that the reference does not have. */
export function plainHandoffEvent(event: XEvent): Facts[] {
  switch (event.type) {
    case 'receivedMessage': {
      // The reference sends no event of a silent message.
      if (event.silent) return []
      const { content, tool_calls: calls, tool_responses: responses } = plain(event.message) as Facts
      const { sender, recipient } = event
      return [{ type: 'received', sender, recipient, content: content || null, calls, responses }]
    }
    case 'handoff': {
      if (event.by === 'guardrail' || event.by === 'groupAfterWork') return []
      const { by, agent: source, target, to: name } = event
      return [{ type: 'handoff', by, source, target: snakeCase(target), name }]
    }
    case 'groupChatRunChat':
      return [{ type: 'group_chat_run_chat', speaker: event.speaker }]
    case 'executeFunction': {
      const { funcName, callId, arguments: args, recipient } = event
      return [{ type: 'execute_function', func_name: funcName, call_id: callId, arguments: plain(args), recipient }]
    }
    case 'executedFunction': {
      const { funcName, callId, content, recipient } = event
      const success = !content.startsWith('Error: ')
      const facts = { func_name: funcName, call_id: callId, content, recipient, is_exec_success: success }
      return [{ type: 'executed_function', ...facts }]
    }
    case 'safeguard': {
      const { source, target, action, check } = event
      const type = 'safeguard'
      return [
        { type, kind: 'violation', source, target, check },
        { type, kind: 'action', source, target, action },
      ]
    }
    case 'selectSpeaker':
      return [{ type: 'select_speaker', agents: [...event.agents] }]
    case 'groupChatResume':
      return [{ type: 'group_chat_resume', last_speaker_name: event.lastSpeaker }]
    case 'chatEnd':
      return event.terminationReason === null ? [] : [{ type: 'termination', reason: event.terminationReason }]
    default:
      return []
  }
}

/** The messages of each group, in the order in which the groups began, as its events tell them. */
export function transcripts(events: readonly XEvent[], managers: ReadonlySet<string>): Facts[] {
  const byChat = new Map<string, Facts[]>()
  const resumed: Facts[][] = []
  for (const event of events) {
    if (event.type === 'groupChatResume') resumed.push(event.messages.slice(0, -1).map((each) => plain(each) as Facts))
    if (event.type !== 'receivedMessage' || !managers.has(event.recipient) || event.chatId === null) continue
    const known = byChat.get(event.chatId) ?? resumed.shift() ?? []
    byChat.set(event.chatId, known)
    known.push({ ...(plain(event.message) as Facts), name: event.sender })
  }
  return [...byChat.values()].map((messages) => ({
    messages,
    speakers: messages.map(({ name }) => name!),
    last_speaker: messages.at(-1)?.['name'],
  }))
}
