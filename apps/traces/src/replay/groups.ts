import { options } from './arguments.ts'
import { GROUP_NAME } from './plain.ts'
import type { Recorder } from './recorder.ts'
import { resolve, type References } from './references.ts'
import type { Trace, TraceValue } from './trace.ts'
import type { GroupChat, World } from './world.ts'

/** Where a group is made. */
interface GroupContext {
  readonly trace: Trace
  readonly world: World
  readonly recorder: Recorder
  readonly references: References
  readonly llmConfig: (config: TraceValue) => unknown
  /** A config with one model as its only entry. */
  readonly llmConfigOf: (model: string) => unknown
}

/** Makes a group of a trace, under the name that it has there. */
export function makeGroup(name: string, { trace, world, recorder, references, ...llm }: GroupContext): GroupChat {
  const given = trace.given.groups?.[name]
  if (!given || !world.groups) throw new Error(`there is no group \`${name}\`, or this world knows none`)
  const {
    select_model: model,
    select_speaker_auto_llm_config: config,
    allowed_or_disallowed_speaker_transitions: transitions,
    ...rest
  } = given
  const made: Record<string, unknown> = {
    ...options(resolve(rest, references) as Record<string, unknown>),
    io: recorder.io,
    random: drawer(trace.given.random ?? [0], recorder),
  }
  if (transitions !== undefined) made['allowedOrDisallowedSpeakerTransitions'] = transitionsOf(transitions, references)
  if (model) made['selectSpeakerAutoLlmConfig'] = llm.llmConfigOf(model)
  else if (config !== undefined) made['selectSpeakerAutoLlmConfig'] = config ? llm.llmConfig(config) : config
  const group = world.groups.create(made)
  Object.defineProperty(group, GROUP_NAME, { value: name })
  return group
}

/** The keys are names of agents, which are the agents themselves in the reference. */
function transitionsOf(given: TraceValue, references: References): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const entries = Object.entries(given as Record<string, TraceValue>)
  return new Map(entries.map(([name, list]) => [references['$agent']!(name), resolve(list, references)]))
}

/** Gives the random numbers in order, and notes who is drawn by each. */
function drawer(numbers: readonly number[], recorder: Recorder): (agents: GroupChat['agents']) => number {
  return (agents) => {
    const number = numbers[Math.min(recorder.draws.length, numbers.length - 1)]!
    const names = agents.map(({ name }) => name)
    recorder.draws.push({ of: names, drawn: names[Math.floor(number * names.length)]! })
    return number
  }
}
