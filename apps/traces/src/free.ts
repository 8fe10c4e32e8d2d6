import type { Change } from './replay/changes.ts'
import type { Facts, Recorded } from './replay/trace.ts'

/** Events without compared fields. */
const UNCOMPARED: ReadonlySet<unknown> = new Set(['post_carryover_processing', 'generate_code_execution_reply'])

/** Events of the reference for a received message; only sender, recipient and content are compared. */
const RECEIVED: ReadonlySet<unknown> = new Set([
  'text',
  'tool_call',
  'tool_response',
  'function_call',
  'function_response',
])

const OF_A_MESSAGE: ReadonlySet<unknown> = new Set(['type', 'content', 'sender_name', 'recipient_name'])

/** A record that not all recordings have. */
const UNLOGGED = 'received_message'

/** Whether the rules leave a change of a recording free, so that it must not be noticed. */
export function isFree(recorded: Recorded, { path, kind }: Change): boolean {
  const [part, index, key] = path
  if (part === 'log' && recorded.log![index as number]!['record'] === UNLOGGED) return key !== 'record'
  if (part === 'events' && isFreeInEvent(recorded.events![index as number]!, key)) return true
  if (kind === 'removed') return false
  const value = path.reduce<unknown>((at, step) => (at as Facts)[step], recorded)
  if (part === 'results' && key === 'error') return true
  if (part === 'prompts') return value !== '>'
  return isPlatformError(value)
}

function isFreeInEvent(event: Facts, key: string | number | undefined): boolean {
  if (UNCOMPARED.has(event['type'])) return key !== 'type'
  if (key === 'verbose') return true
  if (RECEIVED.has(event['type'])) return key !== undefined && !OF_A_MESSAGE.has(key)
  return event['type'] === 'clear_conversable_agent_history' && key === 'recipient_name'
}

/** An error in the words of the reference's own platform, to its end. */
const isPlatformError = (value: unknown): boolean =>
  typeof value === 'string' &&
  /Error: (?:\w+\(\) (?:missing|got) .*|.*\(char \d+\)|\d+ validation errors? for [^]*)$/u.test(value)
