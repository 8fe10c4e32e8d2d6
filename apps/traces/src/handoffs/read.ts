import { XError } from '@x/kernel'
import type { GivenModel, GivenReply, Trace, TraceValue } from '../replay/trace.ts'
import { spacedJson } from '../replay/template.ts'
import type { HandoffTrace } from './trace.ts'

/** Tells whether a trace has groups with handoffs. */
export const isHandoffTrace = (trace: Trace | HandoffTrace): trace is HandoffTrace => 'title' in trace

/** Keys that the interpreter knows, by the object that holds them; it refuses others. */
const KNOWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  trace: ['name', 'title', 'given', 'steps', 'then', 'defect'],
  given: ['models', 'agents', 'human', 'random', 'tools', 'functions', 'contexts', 'patterns'],
  agent: [
    ...['class', 'options', 'model', 'functions', 'handoffs', 'input_guardrails', 'output_guardrails'],
    ...['update_state', 'context_variables'],
  ],
  handoffs: ['context', 'llm', 'after', 'set_after_work'],
  handoff: ['to', 'when', 'available'],
  guardrail: ['name', 'regex', 'condition', 'model', 'to', 'message'],
  tool: ['description', 'params', 'result', 'results', 'context', 'async'],
  pattern: [
    ...['pattern', 'initial_agent', 'agents', 'user_agent', 'group_manager_args', 'manager_model'],
    ...['context_variables', 'group_after_work', 'selection_message', 'exclude_transit_message', 'summary_method'],
    'inner',
  ],
  step: ['do', 'pattern', 'with', 'as', 'on', 'context', 'condition', 'conditions', 'guardrail', 'expressions'],
  recordings: ['both', 'sync', 'async'],
  recorded: [
    ...['results', 'groups', 'histories', 'model_calls', 'function_calls', 'events', 'prompts', 'random_choices'],
  ],
}

type Things = Readonly<Record<string, unknown>>

/** Reads a trace of a group with handoffs; refuses keys that the interpreter does not know. */
export function readHandoffTrace(value: Things, file: string): HandoffTrace {
  const check = (kind: string, thing: unknown, at: string): void => {
    if (typeof thing !== 'object' || thing === null || Array.isArray(thing)) throw refused(file, `${at} is no object`)
    const unknown = Object.keys(thing).find((key) => !KNOWN_KEYS[kind]!.includes(key))
    if (unknown !== undefined) throw refused(file, `${at}.${unknown} is not known`)
  }
  const each = (kind: string, things: unknown, at: string): void => {
    for (const [key, thing] of Object.entries((things ?? {}) as Things)) check(kind, thing, `${at}.${key}`)
  }
  check('trace', value, 'the trace')
  const { then: recorded, ...rest } = value as unknown as HandoffTrace & { then: HandoffTrace['recorded'] }
  const { given } = rest
  check('given', given, 'given')
  each('agent', given.agents, 'agents')
  for (const [name, agent] of Object.entries(given.agents ?? {})) {
    if (agent.handoffs) check('handoffs', agent.handoffs, `agents.${name}.handoffs`)
    for (const list of [agent.handoffs?.context, agent.handoffs?.llm, agent.handoffs?.after])
      each('handoff', list, name)
    each('guardrail', [...(agent.input_guardrails ?? []), ...(agent.output_guardrails ?? [])], name)
  }
  each('tool', given.tools, 'tools')
  each('pattern', given.patterns, 'patterns')
  each('step', rest.steps, 'steps')
  check('recordings', recorded, 'then')
  each('recorded', recorded, 'then')
  return { ...rest, given: { ...given, ...(given.models && { models: withCalls(given.models) }) }, recorded }
}

const refused = (file: string, wrong: string): XError =>
  new XError('invalid-argument', `the trace \`${file}\` cannot be read: ${wrong}; see the format of the traces`)

/** The models with calls as providers write them. */
const withCalls = (models: Readonly<Record<string, GivenModel>>): Record<string, GivenModel> =>
  Object.fromEntries(
    Object.entries(models).map(([name, model]) => [
      name,
      { ...model, ...(model.replies && { replies: model.replies.map(replyWithCalls) }) },
    ]),
  )

function replyWithCalls(reply: GivenReply): GivenReply {
  if (typeof reply === 'string' || !('tool_calls' in reply) || !reply.tool_calls) return reply
  const calls = reply.tool_calls as readonly { id: string; name: string; arguments?: TraceValue }[]
  return {
    ...reply,
    tool_calls: calls.map(({ id, name, arguments: given = {} }) => ({
      id,
      type: 'function',
      function: { name, arguments: typeof given === 'string' ? given : spacedJson(given) },
    })),
  }
}
