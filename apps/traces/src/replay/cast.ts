import type { Agent, CacheStore, Face, Model, Tool } from '@x/interfaces'
import { entries, options } from './arguments.ts'
import { cachesBySeed } from './caches.ts'
import { fencedCode } from './fenced-code.ts'
import { camelCase } from './spelling.ts'
import { finder, resolve, type References } from './references.ts'
import type { Recorder } from './recorder.ts'
import { scriptExecutor, scriptRunner, type GivenCodeResult } from './scripted-code.ts'
import { scriptFunction } from './scripted-functions.ts'
import { scriptModels, type ScriptedModels } from './scripted-models.ts'
import { scriptTool } from './scripted-tool.ts'
import { makeGroup } from './groups.ts'
import type { GivenAgent, Trace, TraceValue } from './trace.ts'
import type { GroupChat, World } from './world.ts'

/** Everything that a trace's steps can name. */
export interface Cast {
  readonly agents: Readonly<Record<string, Agent>>
  readonly groups: Readonly<Record<string, GroupChat>>
  readonly wrappers: Record<string, Model>
  /** Results of earlier steps. */
  readonly values: Record<string, unknown>
  readonly models: ScriptedModels
  readonly references: References
  /** The cache of a seed: one for all agents and wrappers of the trace. */
  readonly cacheOf: (seed: number) => CacheStore
}

/** Builds the agents, models and tools of a trace. */
export function castOf(trace: Trace, world: World, { face, recorder }: { face: Face; recorder: Recorder }): Cast {
  const { given } = trace
  const models = scriptModels(given.models ?? {}, face, recorder)
  const tools = mapValues(given.tools ?? {}, (script, name) => {
    const { description = '', parameters, execute } = scriptTool(name, script, recorder)
    return world.tool({ name, description, parameters, execute })
  })
  const agents: Record<string, Agent> = {}
  const groups: Record<string, GroupChat> = {}
  const values: Record<string, unknown> = {}
  const classes = { ...world.agents, ...classesOfClients(models) }
  const functions: Record<string, unknown> = {}
  const references: References = {
    $agent: finder('agent', agents),
    $group: finder('group', groups),
    $item: (target) => itemOf(values, target as readonly [string, ...(string | number)[]]),
    $tool: finder('tool', tools),
    $fn: finder('function', functions),
    $class: finder('class', classes),
    $value: finder('earlier result', values),
    $method: (target) => {
      const [agent, operation] = target as [string, string]
      return (finder('agent', agents)(agent) as unknown as Record<string, unknown>)[camelCase(operation)]
    },
  }
  for (const [name, script] of Object.entries(given.functions ?? {})) {
    functions[name] = scriptFunction(name, script, recorder, references)
  }
  const cacheOf = cachesBySeed()
  const context = { trace, world, recorder, models, references, cacheOf }
  const groupOf = (name: string): GroupChat =>
    (groups[name] ??= makeGroup(name, {
      ...context,
      llmConfig: (config) => llmConfig(config, context),
      llmConfigOf: (model) => llmConfig(oneEntry(model, {}), context),
    }))
  for (const [name, script] of Object.entries(given.agents ?? {})) {
    const groupchat = script.group === undefined ? undefined : groupOf(script.group)
    agents[name] = makeAgent(name, script, context, groupchat && { groupchat })
  }
  for (const name of Object.keys(given.groups ?? {})) groupOf(name)
  return { agents, groups, wrappers: {}, values, models, references, cacheOf }
}

interface CastContext {
  readonly trace: Trace
  readonly world: World
  readonly recorder: Recorder
  readonly models: ScriptedModels
  readonly references: References
  readonly cacheOf: Cast['cacheOf']
}

/** A part of an earlier result. */
const itemOf = (
  values: Readonly<Record<string, unknown>>,
  [name, ...path]: readonly [string, ...(string | number)[]],
): unknown =>
  path.reduce<unknown>(
    (at, key) => (at as Record<string | number, unknown>)[key],
    finder('earlier result', values)(name),
  )

function makeAgent(name: string, given: GivenAgent, context: CastContext, more: object = {}): Agent {
  const { world, recorder, references } = context
  const Class = finder('class of agents', world.agents)(given.class) as unknown as new (options: object) => Agent
  const { llm_config: llm, reason_config: reason, ...rest } = given.options ?? {}
  const { code_execution_config: code = DEFAULT_CODE[given.class], ...others } = rest
  const resolved = options(resolve(others, references) as Record<string, unknown>)
  const made: Record<string, unknown> = {
    ...resolved,
    ...(resolved['functionMap'] !== undefined && { functionMap: functionsOf(resolved['functionMap'] as FunctionMap) }),
    ...more,
    name,
    io: recorder.io,
    ...(context.trace.log && { logger: recorder.logger }),
  }
  if (code !== undefined) made['codeExecutionConfig'] = codeConfig(name, given, code, context)
  // The reference's searches ask one call after the other: scripted replies come in that order.
  if (given.class === 'ReasoningAgent') {
    made['reasonConfig'] = { concurrency: 1, ...options((reason ?? {}) as Record<string, unknown>) }
  }
  if (llm !== undefined) made['llmConfig'] = typeof llm === 'object' && llm ? llmConfig(llm, context) : llm
  if (given.model) made['llmConfig'] = llmConfig(oneEntry(given.model, given), context)
  if (given.thinker_model) made['thinkerLlmConfig'] = llmConfig(oneEntry(given.thinker_model, given), context)
  if (given.grader_model) made['graderLlmConfig'] = llmConfig(oneEntry(given.grader_model, given), context)
  if (given.thinker_model || given.grader_model) made['random'] = () => 0
  return new Class(made)
}

type FunctionMap = Readonly<Record<string, Tool | ((...args: never[]) => unknown)>>

/** The functions of a map, in which tools may stand for theirs. */
const functionsOf = (map: FunctionMap): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).map(([name, each]) => [name, 'execute' in each ? each.execute : each]))

/** In the reference a user proxy runs code unless it is told not to. */
const DEFAULT_CODE: Readonly<Record<string, TraceValue>> = { UserProxyAgent: {} }

/** A model's config with one entry and no cache, unless the request says so. */
const oneEntry = (model: string, { request = {} }: Pick<GivenAgent, 'request'>): TraceValue => ({
  cache_seed: null,
  ...request,
  config_list: [{ model, model_client_cls: 'ScriptedClient' }],
})

function llmConfig(given: TraceValue, { world, models, references, cacheOf }: CastContext): unknown {
  return world.llmConfig({
    ...entries(resolve(given, references) as Record<string, unknown>),
    providers: [models.provider],
    defaultCache: cacheOf,
  })
}

/** `false`, an executor of one's own beside keys that are kept, or the older style. */
function codeConfig(name: string, given: GivenAgent, code: TraceValue, { world, recorder }: CastContext): unknown {
  if (typeof code !== 'object' || code === null) return code
  const { codeReaders = { executor: fencedCode, runner: fencedCode } } = world
  const { executor, use_docker: useDocker = true, ...rest } = code as Record<string, TraceValue>
  if (executor) {
    const scripted = scriptExecutor(
      executor as unknown as GivenCodeResult[],
      { agent: name, codeReader: codeReaders.executor },
      recorder,
    )
    return { ...options(code as Record<string, TraceValue>), executor: scripted }
  }
  const runner = scriptRunner(
    given.run_code ?? [],
    { useDocker: useDocker as boolean, codeReader: codeReaders.runner },
    recorder,
  )
  return { ...options(rest), runner }
}

function classesOfClients({ clientClass }: ScriptedModels): Readonly<Record<string, unknown>> {
  return Object.fromEntries(['ScriptedClient', 'CustomClient', 'OtherClient'].map((name) => [name, clientClass(name)]))
}

function mapValues<A, B>(object: Readonly<Record<string, A>>, make: (value: A, key: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, make(value, key)]))
}
