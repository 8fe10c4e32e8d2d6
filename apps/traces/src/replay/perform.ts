import { ag2Run } from '@x/agent'
import type { Face, ModelResponse } from '@x/interfaces'
import { chatOptions, chatQueue, config, entries, options } from './arguments.ts'
import type { Cast } from './cast.ts'
import { call, hasOperation, open, type Target } from './operations.ts'
import { plain } from './plain.ts'
import { finder, resolve } from './references.ts'
import type { Recorder } from './recorder.ts'
import { scriptTool } from './scripted-tool.ts'
import { camelCase, snakeCase, withKeys } from './spelling.ts'
import type { Given, Step, TraceValue } from './trace.ts'
import type { World } from './world.ts'

/** The world, the agents and the recorder that steps are performed with. */
export interface Stage {
  readonly given: Given
  readonly world: World
  readonly cast: Cast
  readonly recorder: Recorder
  readonly face: Face
  readonly log: boolean
}

type Values = Record<string, unknown>
type Performance = (step: Step, stage: Stage) => unknown

/** Performs one step and gives its result as plain data. */
export async function perform(step: Step, stage: Stage): Promise<TraceValue> {
  const value = await (PERFORMANCES[step.do] ?? operation)(step, stage)
  if (step.as) stage.cast.values[step.as] = value
  return step.do === 'new_wrapper' ? null : plain(shown(step, value, stage))
}

/** Any operation of an agent or a wrapper that follows the naming law. */
const operation: Performance = (step, stage) =>
  call(targetOf(step, stage), camelCase(step.do), argumentsOf(step, stage), waysOf(stage))

/** The operations with a shape of their own. */
const PERFORMANCES: Readonly<Record<string, Performance>> = {
  new_wrapper({ with: given, as }, stage) {
    const { cast, world, recorder, log } = stage
    const wrapper = new world.ModelWrapper({
      ...entries(resolve(given, cast.references) as Values),
      providers: [cast.models.provider],
      defaultCache: cast.cacheOf,
      io: recorder.io,
      logger: log ? recorder.logger : undefined,
    })
    cast.wrappers[as ?? ''] = wrapper
    return wrapper
  },

  create: (step, stage) =>
    call(targetOf(step, stage), 'create', [config(withOf(step, stage))], { ...waysOf(stage), see: () => {} }),

  instantiate: (step, { world, cast }) => open(world.ModelWrapper, 'instantiate')(...argsOf(step, cast)),

  extract: ({ of }, { world, cast }) =>
    world.ModelWrapper.extractTextOrCompletionObject(finder('earlier result', cast.values)(of ?? '') as ModelResponse),

  get({ path = [], ...step }, stage) {
    const target = targetOf(step, stage)
    if (path[0] === '_root') return rootOf(target, stage)
    const value = path.reduce<unknown>(attribute, target)
    // The places of the hooks are names written as text.
    return path.at(-1) === 'hook_lists' ? withKeys(value as Values, snakeCase) : value
  },

  chats_of_module: ({ with: given }, stage) => {
    const { chat_queue: queue } = resolve(given, stage.cast.references) as Values
    return call(stage.world.functions, 'initiateChats', [chatQueue(queue)], waysOf(stage))
  },

  run: (step, stage) => {
    const { message, executor_kwargs: executor, ...rest } = withOf(step, stage)
    const executorKwargs = executor ? { executorKwargs: options(executor as Values) } : {}
    return call(
      targetOf(step, stage),
      'run',
      [message, { ...ag2Run, ...options(rest), ...executorKwargs }],
      waysOf(stage),
    )
  },

  register_tool_for_llm: (step, stage) => register(step, stage, 'registerForLlm'),
  register_tool_for_execution: (step, stage) => register(step, stage, 'registerForExecution'),

  execute_code_blocks: (step, stage) => {
    const [pairs] = argsOf(step, stage.cast) as [readonly (readonly [string, string])[]]
    const blocks = pairs.map(([language, code]) => ({ language, code }))
    return call(targetOf(step, stage), 'executeCodeBlocks', [blocks], waysOf(stage))
  },

  reset_group: (step, stage) => call(targetOf(step, stage), 'reset', [], waysOf(stage)),

  set(step, stage) {
    const target = targetOf(step, stage) as Values
    const name = camelCase(step.name ?? '')
    if (!(name in target)) throw new Error(`the attribute \`${name}\` is not known`)
    target[name] = withOf(step, stage)['value']
    return null
  },

  async rate_node(step, stage) {
    const { path, value, rating_details: details, ...rest } = withOf(step, stage)
    const node = reasoningOf(stage).node(path as string[], {
      ...(value !== undefined && { value: value as number }),
      ...(details !== undefined && { ratingDetails: details as string }),
    })
    const reward = await call(targetOf(step, stage), 'rateNode', [node, options(rest)], waysOf(stage))
    return { reward, rating_details: node.ratingDetails }
  },
}

/** Reads an attribute by the reference's name, or the result of an operation; refuses unknown names. */
function attribute(at: unknown, name: string): unknown {
  const key = camelCase(name)
  if (at instanceof Map) return [...at].find(([agent]) => (agent as { name?: unknown } | null)?.name === name)?.[1]
  if (typeof at !== 'object' || at === null || !(key in at || name in at)) {
    throw new Error(`the attribute \`${name}\` is not known`)
  }
  if (hasOperation(at, key)) return open(at, key)()
  return (at as Values)[key in at ? key : name]
}

/** Operations whose positional arguments may be left out although options follow. */
const OPTIONAL_ARGUMENTS: Readonly<Record<string, number>> = { clear_history: 1 }

/** Operations that take a queue of chats by position. */
const CHAT_LIST_OPERATIONS: ReadonlySet<string> = new Set(['initiate_chats', 'register_nested_chats'])

function argumentsOf(step: Step, stage: Stage): unknown[] {
  const args = argsOf(step, stage.cast)
  if (CHAT_LIST_OPERATIONS.has(step.do)) args[0] = chatQueue(args[0])
  if (step.do === 'register_hook') args[0] = camelCase(String(args[0]))
  if (!step.with) return args
  while (args.length < (OPTIONAL_ARGUMENTS[step.do] ?? 0)) args.push(undefined)
  const given = withOf(step, stage)
  return [...args, step.do === 'initiate_chat' ? chatOptions(given) : options(given)]
}

/** A registered tool, or a bare function with its arguments' schema. */
function register(step: Step, stage: Stage, name: string): unknown {
  const { given, cast, recorder } = stage
  const bare = step.fn === undefined ? undefined : given.functions?.[step.fn]
  const tool = bare?.kind === 'tool' ? scriptTool(step.fn!, bare, recorder) : cast.references['$tool']!(step.tool ?? '')
  return call(targetOf(step, stage), name, [tool, options(withOf(step, stage))], waysOf(stage))
}

/** Converts a result for the comparison: an answer to its content, everything else as it is. */
function shown(step: Step, value: unknown, { world }: Stage): unknown {
  if (step.do !== 'create') return value
  const response = value as ModelResponse
  return {
    text: world.ModelWrapper.extractTextOrCompletionObject(response),
    cost: response.cost,
    config_id: response.configId,
    pass_filter: response.passFilter,
    model: response.model,
  }
}

function targetOf({ on = '', group, wrapper }: Step | Omit<Step, 'path'>, { cast }: Stage): Target {
  if (group !== undefined) return finder('group', cast.groups)(group)
  if (wrapper !== undefined) return finder('wrapper', cast.wrappers)(wrapper)
  return typeof on === 'string' ? finder('agent', cast.agents)(on) : (resolve(on, cast.references) as Target)
}

function reasoningOf({ world }: Stage): NonNullable<World['reasoning']> {
  if (!world.reasoning) throw new Error('this world has no trees of thoughts')
  return world.reasoning
}

const rootOf = (target: Target, stage: Stage): unknown => reasoningOf(stage).root(target as never)

const argsOf = (step: Step, cast: Cast): unknown[] => (step.args ?? []).map((value) => resolve(value, cast.references))

const withOf = (step: Step, { cast }: Stage): Values => (resolve(step.with ?? {}, cast.references) ?? {}) as Values

const waysOf = ({ face, recorder }: Stage): { face: Face; see: Recorder['see'] } => ({ face, see: recorder.see })
