import type { Change } from '../replay/changes.ts'
import type { Facts } from '../replay/trace.ts'
import { endsEarly } from './comparable.ts'
import type { HandoffTrace, RecordedGroups } from './trace.ts'

/** Events of which nothing is compared but that they are of these types. */
const UNCOMPARED: ReadonlySet<unknown> = new Set([
  ...['post_carryover_processing', 'select_speaker_invalid_input', 'using_auto_reply'],
  'termination_and_human_reply_no_input',
])

const COMPARED_SAFEGUARDS: ReadonlySet<unknown> = new Set(['violation', 'action'])

/** Whether the rules leave a change of a recording free, so that it need not be noticed. */
export function isFreeHere({ given }: HandoffTrace, recorded: RecordedGroups, { path, kind }: Change): boolean {
  const [part, index, key, ...rest] = path
  const at = (steps: Change['path']): unknown =>
    steps.reduce<unknown>((value, step) => (value as Facts | undefined)?.[step], recorded)
  if (part === 'results') return isFreeInResult(recorded.results[index as number] ?? {}, [key, ...rest], kind)
  if (endsEarly(recorded)) return true
  if (part === 'groups') return key === 'agents' || key === 'context_variables' || isUnused(recorded, index)
  if (part === 'histories') return !given.agents?.[index as string]
  if (String(at(path)).startsWith('_') && isListed(path)) return true
  if (part === 'events') return isFreeInEvent(recorded, index as number, key)
  if (part !== 'model_calls') return false
  return isFreeInModelCall(at([part, index!]) as Facts, rest)
}

/** Whether a name stands in a list of names, and not as the name of who speaks. */
const isListed = (path: Change['path']): boolean => path.includes('agents') || path[0] === 'random_choices'

const isUnused = ({ groups = [] }: RecordedGroups, index: Change['path'][number] | undefined): boolean =>
  ((groups[index as number]?.['messages'] ?? []) as readonly unknown[]).length === 0

function isFreeInResult(result: Facts, [key, part, ...rest]: readonly unknown[], kind: Change['kind']): boolean {
  if (key === 'error') return true
  const value = result['value'] as Facts | undefined
  if (part === 'justification' || (part === 'reply' && value?.['activated'] === false)) return true
  if (part === 'event_types') return kind === 'removed'
  const [index, field] = rest as [number, string]
  if (part !== 'chat_history' || field !== 'name') return false
  const messages = value?.['chat_history'] as readonly Facts[] | undefined
  return messages?.[index]?.['role'] === 'assistant'
}

function isFreeInEvent(
  { events = [] }: RecordedGroups,
  index: number,
  key: Change['path'][number] | undefined,
): boolean {
  const [event, before] = [events[index] ?? events.at(-1)!, events[index - 1] ?? events.at(-2)]
  if (UNCOMPARED.has(event['type'])) return key !== 'type'
  if (event['type'] === 'safeguard' && !COMPARED_SAFEGUARDS.has(event['event_type'])) return key !== 'type'
  const isTwin = event['reason'] === 'no-reply' && before?.['type'] === 'termination'
  // The last one may be taken out where an agent has ended the chat already.
  if (key === undefined) return isTwin
  return event['type'] === 'termination' && key !== 'reason' && key !== 'type'
}

function isFreeInModelCall({ params }: Facts, rest: Change['path']): boolean {
  const [part, index, field] = rest
  if (part === 'response_format') return true
  if (part === 'tools') return field === 'type'
  const message = ((params as Facts)['messages'] as readonly Facts[])[index as number] ?? {}
  const { role, content } = message
  if (role === 'system' && typeof content === 'string' && content.includes('**Condition: ')) return field === 'content'
  const selection = (content as Facts | null)?.['$selection']
  return selection === 'several-named' && rest.includes('agents')
}
