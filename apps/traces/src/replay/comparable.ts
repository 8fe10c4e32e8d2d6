import type { Face } from '@x/interfaces'
import { groupedByPair, runsAtOnce } from './at-once.ts'
import { withSchemaMeaning } from './schema-meaning.ts'
import { snakeCase } from './spelling.ts'
import type { Facts, Recorded, Result, Trace, TraceValue } from './trace.ts'

/** The compared part of a recording or of a replay, without everything that is free. */
export interface Comparable {
  readonly results: readonly Facts[]
  readonly histories?: Facts
  readonly auto_reply_counters?: Facts
  /** By pair of agents when chats ran at once. */
  readonly events?: readonly Facts[] | Readonly<Record<string, readonly Facts[]>>
  readonly model_calls?: Comparable['events']
  readonly model_call_counts?: Facts
  readonly function_calls: Comparable['events']
  readonly prompts?: readonly string[]
  readonly log?: Comparable['events']
  readonly warnings: number
  readonly groups?: Facts
  readonly draws?: readonly Facts[]
}

/** Removes from a recording or a replay everything that the rules leave free. */
export function comparable(recorded: Recorded, trace: Trace, face: Face): Comparable {
  const { warnings = 0 } = recorded
  const functionCalls = (recorded.function_calls ?? []).map((call) => comparableCall(call, trace))
  if (trace.count_model_calls) {
    const results = recorded.results.map((result) => withoutCost(outcome(result)))
    return { results, model_call_counts: recorded.model_call_counts ?? {}, function_calls: functionCalls, warnings }
  }
  const seen: Comparable = {
    results: recorded.results.map(outcome),
    histories: withoutEmpty(recorded.histories ?? {}, (messages) => (messages as readonly unknown[]).length === 0),
    auto_reply_counters: withoutEmpty(recorded.auto_reply_counters ?? {}, (count) => count === 0),
    model_calls: (recorded.model_calls ?? []).map(({ model, params }) => ({
      model,
      params: withSchemaMeaning(params),
    })),
    function_calls: functionCalls,
    events: (recorded.events ?? []).flatMap(comparableEvent),
    prompts: (recorded.prompts ?? []).map((prompt) => (prompt === '>' ? prompt : 'any wording')),
    log: (recorded.log ?? []).filter(({ record }) => record !== UNLOGGED).map(comparableLog),
    warnings,
    groups: Object.fromEntries(Object.entries(recorded.groups ?? {}).filter(([, messages]) => messages.length > 0)),
    draws: recorded.draws ?? [],
  }
  return runsAtOnce(trace, face) ? groupedByPair(seen) : seen
}

/** A call as it is compared: under which key the text of a function from text to text was recorded does not matter. */
function comparableCall(call: Facts, { given }: Trace): Facts {
  const { function: name, ...seen } = call
  return given.functions?.[name as string]?.kind === 'text'
    ? { function: name, seen: Object.values(seen) as TraceValue }
    : call
}

/** How a step ended is a value of its own: an error that is handed on has no code, as a result may be nothing. */
const outcome = (result: Result): Facts =>
  'error' in result ? { ended: 'by an error', code: result.code } : { ended: 'with a value', value: result.value }

/** The cost of a chat with a search in it was not recorded. */
function withoutCost({ value, ...rest }: Facts): Facts {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ...rest, value }
  const { cost: _, ...shown } = value as Facts
  return { ...rest, value: shown }
}

function withoutEmpty(
  table: Readonly<Record<string, Facts>>,
  isEmpty: (value: TraceValue | undefined) => boolean,
): Facts {
  const rows = Object.entries(table).map(
    ([agent, row]) => [agent, Object.fromEntries(Object.entries(row).filter(([, value]) => !isEmpty(value)))] as const,
  )
  return Object.fromEntries(rows.filter(([, row]) => Object.keys(row).length > 0))
}

/** A record that not all recordings have; the event of a received message says the same. */
const UNLOGGED = 'received_message'

/** The reference has five events for a received message; we have one. */
const RECEIVED: ReadonlySet<unknown> = new Set([
  'text',
  'tool_call',
  'tool_response',
  'function_call',
  'function_response',
  'received',
])

const UNCOMPARED: ReadonlySet<unknown> = new Set(['post_carryover_processing', 'generate_code_execution_reply'])

function comparableEvent(event: Facts): Facts[] {
  if (UNCOMPARED.has(event['type'])) return []
  if (RECEIVED.has(event['type'])) {
    const { content, sender_name: sender, recipient_name: recipient } = event
    return [{ type: 'received', content, sender_name: sender, recipient_name: recipient }]
  }
  if (event['type'] === 'clear_conversable_agent_history') return [{ ...event, recipient_name: null }]
  if ('verbose' in event) return [{ ...event, verbose: null }]
  // Messages without a sender.
  if (event['sender_name'] === 'No sender') return [{ ...event, sender_name: null }]
  if (event['type'] !== 'usage_summary') return [event]
  return [{ ...event, actual: usage(event['actual']), total: usage(event['total']) }]
}

/** The reference's event lists the models beside the total, and has nulls for a summary that is none. */
function usage(summary: TraceValue | undefined): TraceValue {
  const { usages, total_cost: total, ...rest } = (summary ?? {}) as Facts
  if (usages === undefined) return summary ?? null
  if (usages === null && total === null) return null
  if (!Array.isArray(usages)) return { ...rest, usages, total_cost: total }
  return { total_cost: total, ...Object.fromEntries(usages.map(({ model, ...used }: Facts) => [model, used])) }
}

function comparableLog(entry: Facts): Facts {
  const { response, reply_func_name: name } = entry
  return {
    ...entry,
    ...(typeof response === 'string' && { response: response.replace(/error_code:[^,]*/u, 'error_code:any') }),
    ...(typeof name === 'string' && { reply_func_name: replyFuncName(name) }),
  }
}

/** The reference has a function of its own for executors, and leading underscores; we have neither. */
const replyFuncName = (name: string): string => snakeCase(name).replace(/^_+|_using_executor$/gu, '')
