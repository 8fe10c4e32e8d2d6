import type { Agent, Face, LlmConfig, SharedVariables, Tool, ToolContext } from '@x/interfaces'
import { entries, options } from '../replay/arguments.ts'
import { cachesBySeed } from '../replay/caches.ts'
import { createRecorder, type Recorder } from '../replay/recorder.ts'
import { scriptModels } from '../replay/scripted-models.ts'
import { spacedJson } from '../replay/template.ts'
import type { Facts, TraceValue } from '../replay/trace.ts'
import type { World } from '../replay/world.ts'
import { typist, type Typist } from './typist.ts'
import type { GivenGroupTool, GivenHandoff, GivenMember, HandoffTrace, RecordedGroups } from './trace.ts'
import type { HandoffWorld } from './world.ts'

/** Everything that the steps of a trace can name. */
export interface GroupCast {
  readonly agents: Readonly<Record<string, Agent>>
  /** The handoffs of each agent, in the order in which they were given; steps add to them. */
  readonly handoffs: Record<string, Added[]>
  readonly contexts: Readonly<Record<string, ReturnType<HandoffWorld['variables']>>>
  readonly patternOf: (name: string) => object
  readonly targetOf: (given: Facts) => unknown
  readonly guardrailOf: (given: Facts) => object
  readonly recorder: Recorder
  readonly typist: Typist
  readonly choices: string[][]
  readonly world: HandoffWorld
}

/** A handoff as it was given, and the time at which it counts. */
export interface Added extends GivenHandoff {
  readonly time: 'context' | 'llm' | 'after'
}

/** Builds the agents, models and patterns of a trace. */
export function groupCastOf(
  trace: HandoffTrace,
  world: World & { readonly handoffs: HandoffWorld },
  face: Face,
  recorded: RecordedGroups,
): GroupCast {
  const { given } = trace
  const people = typist(given.human ?? [], recorded)
  const base = createRecorder({}, face)
  const recorder: Recorder = { ...base, see: (event) => (people.see(event), base.see(event)) }
  const io = { send: (event: Parameters<Recorder['see']>[0]) => recorder.see(event), input: people.input }
  const models = scriptModels(given.models ?? {}, face, recorder)
  const choices: string[][] = []
  const cacheOf = cachesBySeed()
  const configOf = (model: string): LlmConfig =>
    world.llmConfig({
      ...entries({ cache_seed: null, config_list: [{ model, model_client_cls: 'ScriptedClient' }] }),
      providers: [models.provider],
      defaultCache: cacheOf,
    })
  const { handoffs } = world
  const testOf = (test: Facts | undefined): ((variables: Facts) => unknown) | undefined => {
    if (!test) return undefined
    if (test['expression'] !== undefined) return handoffs.expression(test['expression'] as string)
    return (variables) => truth(variables[test['variable'] as string])
  }
  const agents: Record<string, Agent> = {}
  const patterns: Record<string, object> = {}
  const targetOf = (target: Facts): unknown => makeTarget(target)
  const makeTarget = ({ target, ...its }: Facts): unknown => {
    if (target === 'agent') return agents[its['agent'] as string]
    if (target === 'agent_name') return its['agent']
    const make = handoffs.targets[target as string]
    if (!make) throw new Error(`there is no target \`${JSON.stringify(target)}\``)
    return make(targetOptions(its))
  }
  const targetOptions = (its: Facts): Record<string, unknown> => {
    const {
      agents: names,
      pattern,
      fn,
      chat_queue: queue,
      selection_message: selection,
      extra_args: more,
      ...rest
    } = its
    return {
      ...options(rest),
      ...(names !== undefined && { agents: (names as string[]).map((name) => agents[name]) }),
      ...(pattern !== undefined && { pattern: patternOf(pattern as string) }),
      ...(fn !== undefined && { fn: functionOf(fn as string, (more ?? {}) as Facts), name: fn }),
      ...(queue !== undefined && { chatQueue: (queue as Facts[]).map(chatOf) }),
      ...(selection !== undefined && { selectionMessage: textOf(selection as Facts) }),
    }
  }
  const chatOf = ({ recipient, carryover_config: carryover, summary_args: summary, ...chat }: Facts): object => ({
    ...options(chat),
    ...(summary !== undefined && { summaryArgs: options(summary as Facts) }),
    recipient: agents[(recipient as { $agent: string }).$agent],
    ...(carryover !== undefined && { carryoverConfig: options(carryover as Facts) }),
  })
  const guardrailOf = ({ name, regex, condition, model, to, message }: Facts): object => ({
    name,
    check: regex === undefined ? { condition, llmConfig: configOf(model as string) } : new RegExp(regex as string, 'u'),
    to: targetOf(to as Facts),
    ...(message !== undefined && { activationMessage: message }),
  })
  const functionOf = (name: string, more: Facts = {}): unknown => {
    const script = given.functions?.[name]
    if (!script) throw new Error(`there is no function \`${name}\``)
    return Object.defineProperty(scripted(name, script, more), 'name', { value: name })
  }
  const scripted = (name: string, script: Facts, more: Facts): ((...args: never[]) => unknown) => {
    switch (script['kind']) {
      case 'termination':
        return ({ content }: Facts) => typeof content === 'string' && content.includes(script['contains'] as string)
      case 'state_hook':
        return (agent: Agent, messages: unknown[], { contextVariables }: { contextVariables: SharedVariables }) => {
          const before = contextVariables.toJSON()
          recorder.callFunction(name, { agent: agent.name, messages: messages.length, context_variables: before })
          contextVariables.update((script['set'] ?? {}) as object)
          const toggled = script['toggle'] as string | undefined
          if (toggled !== undefined) contextVariables.set(toggled, !contextVariables.get(toggled))
        }
      case 'target':
        return ({ message, variables }: { message: Facts; variables: object }) => {
          recorder.callFunction(name, { output: message['content'], context_variables: variables, ...more })
          const { to, messages, context_variables: changes } = script
          const isText = typeof messages === 'string'
          return {
            target: targetOf(to as Facts),
            ...(isText ? { message: messages } : messages && { messages: messages as object }),
            ...(changes !== undefined && { contextVariables: changes }),
          }
        }
      case 'summary':
        return (sender: Agent, recipient: Agent) =>
          (script['template'] as string).replace('{sender}', sender.name).replace('{recipient}', recipient.name)
      default:
        throw new Error(`the function \`${name}\` has the unknown kind \`${JSON.stringify(script['kind'])}\``)
    }
  }
  const tools: Record<string, Tool> = {}
  for (const [name, tool] of Object.entries(given.tools ?? {})) {
    tools[name] = world.tool({ name, ...toolOf(name, tool, { recorder, face, targetOf, handoffs }) })
  }
  const added: Record<string, Added[]> = {}
  for (const [name, script] of Object.entries(given.agents ?? {})) {
    agents[name] = memberOf(name, script, { world, io, configOf, tools, functionOf, given })
    added[name] = handoffsOf(script)
  }
  const variablesOf = (its: Facts | undefined): unknown => {
    const name = its?.['$context'] as string | undefined
    return name === undefined ? its : contexts[name]
  }
  const contexts = Object.fromEntries(
    Object.entries(given.contexts ?? {}).map(([name, values]) => [name, handoffs.variables(values)]),
  )
  const oursOf = ({ time, to, when, available }: Added): object => {
    const common = { to: targetOf(to), ...(available && { available: testOf(available) }) }
    if (time === 'llm') return { ...common, when: textOf(when!) }
    return { ...common, [time === 'after' ? 'after' : 'when']: testOf(when) ?? true }
  }
  const member = (name: string): object => {
    const { input_guardrails: inputs = [], output_guardrails: outputs = [] } = given.agents![name]!
    return {
      agent: agents[name],
      handoffs: added[name]!.map(oursOf),
      inputGuardrails: inputs.map(guardrailOf),
      outputGuardrails: outputs.map(guardrailOf),
    }
  }
  const patternOf = (name: string): object => {
    const known = patterns[name]
    if (known) return known
    const its = given.patterns![name]!
    const { is_termination_msg: ends, ...args } = its.group_manager_args ?? {}
    const managerArgs: Record<string, unknown> = {
      ...options(args),
      io,
      ...(ends !== undefined && { isTerminationMsg: functionOf((ends as { $fn: string }).$fn) }),
      ...(its.manager_model !== undefined && { llmConfig: configOf(its.manager_model) }),
    }
    const summary = its.summary_method as string | { $fn: string } | undefined
    patterns[name] = handoffs.pattern(its.pattern, {
      initialAgent: agents[its.initial_agent] ?? its.initial_agent,
      agents: its.agents.map(member),
      groupManagerArgs: managerArgs,
      random: (among: readonly Agent[]) => {
        const index = given.random?.[Math.min(choices.length, given.random.length - 1)] ?? 0
        choices.push(among.map((agent) => agent.name))
        return ((index % among.length) + 0.5) / among.length
      },
      ...(its.user_agent !== undefined && { userAgent: member(its.user_agent) }),
      ...(its.context_variables !== undefined && { contextVariables: variablesOf(its.context_variables) }),
      ...(its.group_after_work !== undefined && { groupAfterWork: targetOf(its.group_after_work) }),
      ...(its.selection_message !== undefined && { selectionMessage: textOf(its.selection_message) }),
      ...(its.exclude_transit_message !== undefined && { excludeTransitMessage: its.exclude_transit_message }),
      ...(summary !== undefined && { summaryMethod: typeof summary === 'string' ? summary : functionOf(summary.$fn) }),
    })
    return patterns[name]
  }
  return {
    agents,
    handoffs: added,
    contexts,
    patternOf,
    targetOf,
    guardrailOf,
    recorder,
    typist: people,
    choices,
    world: handoffs,
  }
}

/** The truth of a value as the reference's language has it. */
export function truth(value: TraceValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
}

const textOf = (given: Facts): string => (given['string'] ?? given['context_str']) as string

function handoffsOf({ handoffs = {} }: GivenMember): Added[] {
  const { context = [], llm = [], after = [], set_after_work: set } = handoffs
  return [
    ...context.map((each) => ({ ...each, time: 'context' as const })),
    ...llm.map((each) => ({ ...each, time: 'llm' as const })),
    ...after.map((each) => ({ ...each, time: 'after' as const })),
    ...(set ? [{ to: set, time: 'after' as const }] : []),
  ]
}

interface MemberContext {
  readonly world: World & { readonly handoffs: HandoffWorld }
  readonly io: object
  readonly configOf: (model: string) => LlmConfig
  readonly tools: Readonly<Record<string, Tool>>
  readonly functionOf: (name: string) => unknown
  readonly given: HandoffTrace['given']
}

function memberOf(name: string, script: GivenMember, context: MemberContext): Agent {
  const { world, io, configOf, tools, functionOf } = context
  const { class: kind = 'ConversableAgent', options: its = {}, model, functions = [], update_state: updates } = script
  const Class = world.agents[kind] as unknown as new (options: object) => Agent
  const { human_input_mode: mode = 'NEVER', ...rest } = its
  const own = functions.map((each) => tools[each]!)
  return new Class({
    ...options(rest),
    ...(mode !== null && { humanInputMode: mode }),
    name,
    io,
    ...(model !== undefined && { llmConfig: configOf(model), functions: own }),
    ...(model === undefined && { functionMap: Object.fromEntries(own.map((each) => [each.name, each.execute])) }),
    ...(script.context_variables && { contextVariables: script.context_variables }),
    ...(updates && {
      updateAgentStateBeforeReply: updates.map(({ $fn: fn, system_message: template }) =>
        fn === undefined ? world.handoffs.systemMessage(template as string) : functionOf(fn as string),
      ),
    }),
  })
}

interface ToolWorld {
  readonly recorder: Recorder
  readonly face: Face
  readonly targetOf: (given: Facts) => unknown
  readonly handoffs: HandoffWorld
}

function toolOf(name: string, given: GivenGroupTool, { recorder, face, targetOf, handoffs }: ToolWorld) {
  const { params = {}, results = [given.result ?? { value: null }] } = given
  let turn = 0
  const run = (args: Facts, { contextVariables }: ToolContext): unknown => {
    const full: Facts = { ...defaultsOf(params), ...args }
    const before = contextVariables?.toJSON() ?? {}
    recorder.callFunction(name, { arguments: full, ...(given.context && { context_variables: before }) })
    const result = results[Math.min(turn++, results.length - 1)]!
    if (result['set'] !== undefined) contextVariables?.update(result['set'] as object)
    return resultOf(result, { args: full, variables: before as Facts }, { targetOf, handoffs })
  }
  const execute = given.async && face !== 'sync' ? async (args: Facts, context: ToolContext) => run(args, context) : run
  const required = Object.keys(params).filter((key) => params[key]!['default'] === undefined)
  const parameters = { type: 'object', properties: params, required } as never
  return { description: given.description ?? '', parameters, execute: execute as never }
}

const defaultsOf = (params: Readonly<Record<string, Facts>>): Facts =>
  Object.fromEntries(
    Object.entries(params).flatMap(([key, { default: value }]) => (value === undefined ? [] : [[key, value]])),
  )

function resultOf(
  result: Facts,
  { args, variables }: { readonly args: Facts; readonly variables: Facts },
  { targetOf, handoffs }: Pick<ToolWorld, 'targetOf' | 'handoffs'>,
): unknown {
  if (result['raise'] !== undefined) throw new Error(result['raise'] as string)
  if (result['template'] !== undefined) return filled(result['template'] as string, args, variables)
  if (result['target'] !== undefined) {
    const target = result['target'] as Facts
    // A name that stands alone is a text here.
    return targetOf(target['target'] === 'agent_name' ? { ...target, target: 'agent' } : target)
  }
  if (result['reply_result'] === undefined) return result['value']
  const { message, target, context_variables: changes } = result['reply_result'] as Facts
  return handoffs.replyResult({
    message: filled(message as string, args, variables),
    ...(target && { target: targetOf(target as Facts) }),
    ...(changes && { contextVariables: changes }),
  })
}

const filled = (template: string, args: Facts, variables: Facts): string =>
  template.replaceAll(/\{(?:cv\[(\w+)\]|(\w+))\}/gu, (_, variable: string | undefined, arg: string) => {
    const value = variable === undefined ? args[arg] : variables[variable]
    return typeof value === 'string' ? value : spacedJson(value)
  })
