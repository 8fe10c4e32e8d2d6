import { schemaMeaning } from '../replay/schema-meaning.ts'
import { isFacts, type Facts, type TraceValue } from '../replay/trace.ts'
import { comparableEvent, withoutMachinery } from './events.ts'
import type { HandoffTrace, RecordedGroups } from './trace.ts'

/** Whether a recording is compared by how its steps ended alone: ours may refuse earlier, and then nothing was said. */
export const endsEarly = ({ results }: RecordedGroups): boolean =>
  results.some(({ error, code }) => error !== undefined && code !== null)

/** Removes the free parts of a recording or of a replay. */
export function comparableGroups(trace: HandoffTrace, its: RecordedGroups, recorded: RecordedGroups): Facts {
  const isRecorded = its === recorded
  const results = its.results.map((result, index) => outcome(result, recorded.results[index] ?? {}))
  if (endsEarly(recorded)) return { results }
  const events = isRecorded ? (its.events ?? []).flatMap(comparableEvent) : [...(its.events ?? [])]
  return {
    results,
    groups: (its.groups ?? []).filter(wasUsed).map(comparableGroup),
    histories: histories(trace, its),
    model_calls: (its.model_calls ?? []).map((call) => modelCall(trace, call)),
    function_calls: its.function_calls ?? [],
    // A step with a response shows its own events.
    events: recorded.events ? withoutTwins(events) : null,
    prompts: its.prompts ?? [],
    random_choices: (its.random_choices ?? []).map((names) => withoutMachinery(names)),
  }
}

const wasUsed = ({ messages }: Facts): boolean => (messages as readonly unknown[]).length > 0

/** Where an agent ends the chat, the reference tells of the manager's end, too. */
const withoutTwins = (events: readonly Facts[]): Facts[] =>
  events.filter((event, index) => {
    const before = events[index - 1]
    return !(event['type'] === 'termination' && event['reason'] === 'no-reply' && before?.['type'] === 'termination')
  })

function outcome(result: Facts, recorded: Facts): Facts {
  if (result['error'] !== undefined) return { ended: 'by an error', code: result['code'] }
  const { value } = result
  const other = recorded['value']
  if (!isFacts(value)) return { ended: 'with a value', value }
  return chatOutcome(value, other)
}

function chatOutcome(value: Facts, other: TraceValue | undefined): Facts {
  if ('activated' in value) return { activated: value['activated'], reply: value['activated'] ? value['reply'] : null }
  if ('event_types' in value) return { ...value, event_types: typesOf(value, other), prompts: null }
  const { cost, chat_history: history, ...rest } = value
  const hasCost = isFacts(other) && 'cost' in other
  const messages = history && (history as readonly Facts[]).map((message) => comparableMessage(message, null))
  return { ...rest, ...(hasCost && { cost }), ...(messages && { chat_history: messages }) }
}

/** The types of a run's events, as far as the recording has them in this order. */
function typesOf(value: Facts, recorded: TraceValue | undefined): TraceValue {
  const spelt = (types: TraceValue | undefined): string[] =>
    ((types ?? []) as string[])
      .flatMap((type) => comparableEvent({ type, target: {}, source_agent: {} }))
      .map((event) => event['type'] as string)
  const theirs = isFacts(recorded) ? spelt(recorded['event_types']) : []
  const wanted = theirs.filter((type, index) => type !== 'termination' || theirs[index - 1] !== 'termination')
  const ours = spelt(value['event_types'])
  let next = 0
  for (const type of ours) if (type === wanted[next]) next++
  return wanted.slice(0, next)
}

/** A message whose missing text is one thing; the name of an agent's own message is free. */
function comparableMessage(message: Facts, own: string | null): Facts {
  const { content, name, role, tool_calls: calls, tool_responses: responses, ...rest } = message
  const isOwn = role === 'assistant' && (name === undefined || name === null || name === own || own === null)
  return {
    ...rest,
    role,
    content: content === '' && calls ? null : (content ?? null),
    ...(calls && { tool_calls: calls }),
    ...(responses && { tool_responses: responses }),
    ...(!isOwn && { name }),
  }
}

function comparableGroup(group: Facts): Facts {
  const { messages, speakers, last_speaker: last } = group
  const shown = (messages as readonly Facts[]).map((message) => comparableMessage(message, ''))
  return { messages: shown, speakers, last_speaker: last }
}

function histories({ given }: HandoffTrace, { histories: table = {} }: RecordedGroups): Facts {
  const rows = Object.entries(table).filter(([name]) => given.agents?.[name])
  return Object.fromEntries(
    rows.flatMap(([agent, row]) => {
      const lists = Object.entries(row).filter(([, messages]) => messages.length > 0)
      const shown = lists.map(([other, messages]) => [other, messages.map((each) => comparableMessage(each, agent))])
      return shown.length > 0 ? [[agent, Object.fromEntries(shown)]] : []
    }),
  ) as Facts
}

function modelCall(trace: HandoffTrace, { model, params }: { readonly model: string; readonly params: Facts }): Facts {
  const { given } = trace
  const own = Object.entries(given.agents ?? {}).find(([, agent]) => agent.model === model)?.[0] ?? ''
  const { messages, tools, response_format: format, ...rest } = params
  const guards = Object.values(given.agents ?? {}).flatMap((agent) => [
    ...(agent.input_guardrails ?? []),
    ...(agent.output_guardrails ?? []),
  ])
  const conditions = guards.filter((each) => each['model'] === model).map((each) => each['condition'] as string)
  const shown = (messages as readonly Facts[]).map((message) =>
    selection(guarded(comparableMessage(message, own), conditions)),
  )
  return {
    model,
    ...rest,
    messages: shown,
    ...(format && { response_format: true }),
    tools: toolsOf(tools),
  }
}

/** The prompt of a guardrail is known by its condition. */
function guarded(message: Facts, conditions: readonly string[]): Facts {
  const { role, content } = message
  const known = role === 'system' && conditions.find((each) => typeof content === 'string' && content.includes(each))
  return known ? { ...message, content: { condition: known } } : message
}

const WORDINGS: Readonly<Record<string, string>> = {
  roles: 'select_speaker_message_template',
  choose: 'select_speaker_prompt_template',
  'several-named': 'select_speaker_auto_multiple_template',
  'none-named': 'select_speaker_auto_none_template',
}

/** The reference's wordings of a choice as ours; parts of its machinery are no candidates. */
function selection(message: Facts): Facts {
  const { content, name } = message
  if (typeof content === 'string' && name === 'checking_agent') {
    return { ...message, content: content.replaceAll(/'_\w+'(?:, )?|, '_\w+'/gu, '') }
  }
  if (!isFacts(content) || content['$selection'] === undefined) return message
  const kind = content['$selection'] as string
  const names = withoutMachinery(content['agents'] as string[])
  const roles = names.map((each) => [each, { $default: 'system_message' }])
  return {
    ...message,
    content: {
      $prompt: WORDINGS[kind],
      ...(kind === 'roles' && { roles }),
      ...(kind !== 'several-named' && { agents: names }),
    },
  }
}

const toolsOf = (tools: TraceValue | undefined): Facts[] =>
  ((tools ?? []) as Facts[])
    .map((tool) => {
      const { name, description, parameters } = tool['function'] as Facts
      return { name, description, parameters: schemaMeaning(parameters) }
    })
    .toSorted((one, other) => ((one.name as string) < (other.name as string) ? -1 : 1))
