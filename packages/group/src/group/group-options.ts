import { ConversableAgent, consoleIo } from '@x/agent'
import { platformRandom } from '@x/agent/steps'
import type { Agent, ChatMessage, Io, LlmConfig, ModelClientClass, Role } from '@x/interfaces'
import { checkOptions, kind, nearestName, type OptionKinds } from '@x/kernel/options'
import {
  groupChatError,
  type SelectCandidates,
  type SelectSpeaker,
  type SpeakerTransitions,
  type TransformMessages,
} from './group.ts'
import {
  SELECT_SPEAKER_SYSTEM_TEMPLATE,
  SELECT_SPEAKER_MULTIPLE_TEMPLATE,
  SELECT_SPEAKER_NONE_TEMPLATE,
  SELECT_SPEAKER_PROMPT_TEMPLATE,
} from './templates.ts'

/** Options of a group chat. */
export interface GroupChatOptions {
  /** The members, in the order of `round_robin`; their names must differ even when `_` is read as a space. */
  readonly agents: readonly ConversableAgent[]
  /** The common history so far; default: empty. */
  readonly messages?: readonly ChatMessage[] | undefined
  /** Most messages of a run, the first one included; default 10. */
  readonly maxRound?: number | undefined
  /** Name of the member that replies when a person interrupts; default `Admin`. */
  readonly adminName?: string | undefined
  /** Whether tool calls go to members that can execute them; default true. */
  readonly funcCallFilter?: boolean | undefined
  /**
   * Method that chooses the next speaker: `auto` (the model of the manager; default), `manual` (a person), `random`,
   * `round_robin`, or a function.
   */
  readonly speakerSelectionMethod?: string | SelectSpeaker | undefined
  /** Narrows the eligible speakers, whatever the method; default: no narrowing. */
  readonly candidates?: SelectCandidates | null | undefined
  /** Retries when the answer of a model names no member, or several; default 2. */
  readonly maxRetriesForSelectingSpeaker?: number | undefined
  /** Whether the last speaker may speak again, or a list of the members that may; default: true without transitions. */
  readonly allowRepeatSpeaker?: boolean | readonly Agent[] | null | undefined
  /** The followers of each member that are allowed or disallowed (`speakerTransitionsType`); default: anyone may follow. */
  readonly allowedOrDisallowedSpeakerTransitions?: SpeakerTransitions | null | undefined
  /** `allowed` or `disallowed`, in any case of letters; required with transitions. */
  readonly speakerTransitionsType?: string | null | undefined
  /** Whether `CLEAR HISTORY` in a message clears the histories; default false. */
  readonly enableClearHistory?: boolean | undefined
  /** Whether the members are introduced to each other first; default false. */
  readonly sendIntroductions?: boolean | undefined
  /** System message of `auto`; `{roles}` and `{agentlist}` are filled in. */
  readonly selectSpeakerMessageTemplate?: string | undefined
  /** Last message of the request of `auto`; `{agentlist}` is filled in, and null omits the message. */
  readonly selectSpeakerPromptTemplate?: string | null | undefined
  /** Question of `auto` after an answer with several names. */
  readonly selectSpeakerAutoMultipleTemplate?: string | undefined
  /** Question of `auto` after an answer without a name. */
  readonly selectSpeakerAutoNoneTemplate?: string | undefined
  /** Changes the messages that `auto` sends to the model after the system message; default: no change. */
  readonly selectSpeakerTransformMessages?: TransformMessages | null | undefined
  /** Whether `auto` sends its messages and attempts as events; default false. */
  readonly selectSpeakerAutoVerbose?: boolean | undefined
  /** Client class that entries of `selectSpeakerAutoLlmConfig` name, or a list of such classes. */
  readonly selectSpeakerAutoModelClientCls?: ModelClientClass | readonly ModelClientClass[] | null | undefined
  /** The models of `auto`; default: those of the manager. */
  readonly selectSpeakerAutoLlmConfig?: LlmConfig | false | null | undefined
  /** Role of the questions of `auto`; default `system`. */
  readonly roleForSelectSpeakerMessages?: string | undefined
  /** Receives the warnings of the group, and asks a person outside of runs; default: the console. */
  readonly io?: Io | undefined
  /** Returns a random number in [0, 1) that picks one of the given agents; default: the platform's. */
  readonly random?: ((agents: readonly Agent[]) => number) | undefined
}

const TEMPLATE_KIND = {
  expected: 'a text that is not empty',
  takes: (value: unknown): boolean => typeof value === 'string' && value !== '',
}

/** Names of the methods that choose a speaker. */
export const SPEAKER_SELECTION_METHODS = ['auto', 'manual', 'random', 'round_robin'] as const

/** The method that a misspelt name means; undefined for a method in any case of letters, and for a name that is like none. */
export function intendedMethod(name: unknown): string | undefined {
  if (typeof name !== 'string' || SPEAKER_SELECTION_METHODS.some((each) => each === name.toLowerCase()))
    return undefined
  return nearestName(name, SPEAKER_SELECTION_METHODS, true)
}

const METHOD_KIND: OptionKinds<GroupChatOptions>['speakerSelectionMethod'] = {
  expected: 'the name of a method, or a function',
  // A name that is like none is refused by the first choice, as recorded.
  takes: (value) => typeof value === 'function' || (typeof value === 'string' && intendedMethod(value) === undefined),
  remedy(value) {
    const method = intendedMethod(value)
    return method && `did you mean '${method}'?`
  },
}

const GROUP_CHAT_KINDS: OptionKinds<GroupChatOptions> = {
  agents: { ...kind.list, expected: 'a list of agents' },
  messages: { ...kind.list, expected: 'a list of messages' },
  maxRound: kind.limit(0),
  adminName: kind.text,
  funcCallFilter: kind.flag,
  speakerSelectionMethod: METHOD_KIND,
  candidates: kind.orNull(kind.call),
  maxRetriesForSelectingSpeaker: kind.whole(0),
  allowRepeatSpeaker: {
    expected: 'true, false, a list of agents, or null',
    takes: (value) => value === null || typeof value === 'boolean' || Array.isArray(value),
  },
  allowedOrDisallowedSpeakerTransitions: {
    expected: 'a map of agents to lists of agents, or null',
    takes: (value) => typeof value === 'object' && !Array.isArray(value),
  },
  speakerTransitionsType: {
    expected: "'allowed', 'disallowed', or null",
    takes: (value) => value === null || isTransitionsType(value),
  },
  enableClearHistory: kind.flag,
  sendIntroductions: kind.flag,
  selectSpeakerMessageTemplate: TEMPLATE_KIND,
  selectSpeakerPromptTemplate: kind.orNull(kind.text),
  selectSpeakerAutoMultipleTemplate: TEMPLATE_KIND,
  selectSpeakerAutoNoneTemplate: TEMPLATE_KIND,
  selectSpeakerTransformMessages: kind.orNull(kind.call),
  selectSpeakerAutoVerbose: kind.flag,
  selectSpeakerAutoModelClientCls: { ...kind.any, expected: 'a client class, a list of them, or null' },
  selectSpeakerAutoLlmConfig: kind.orNull(ConversableAgent.optionKinds.llmConfig),
  roleForSelectSpeakerMessages: TEMPLATE_KIND,
  io: ConversableAgent.optionKinds.io,
  random: kind.call,
}

const OF_MANAGER = 'give it to the manager, as in `new GroupChatManager({ groupchat, llmConfig })`'

/** Words of other libraries, and of patterns and managers, for the options of a group. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  'members participants team workers': 'write `agents`',
  'maxTurns maxSteps maxIterations maxMessages turns rounds': 'write `maxRound`',
  'selectionMethod speakerSelection selector strategy method': 'write `speakerSelectionMethod`',
  'llmConfig llm name isTerminationMsg systemMessage': OF_MANAGER,
  model: 'give `llmConfig: llmConfig(model)` to the manager: `new GroupChatManager({ groupchat, llmConfig })`',
  'silent verbose': 'write `new GroupChatManager({ groupchat, silent: true })`',
  'initialAgent userAgent handoffs groupAfterWork contextVariables':
    'it belongs to a pattern, as in `roundRobinPattern({ initialAgent, agents })`, which `initiateGroupChat` runs',
}

const isTransitionsType = (value: unknown): boolean =>
  typeof value === 'string' && ['allowed', 'disallowed'].includes(value.toLowerCase())

/** The options of a group with their defaults; options that may change later are not read-only. */
export interface GroupSettings {
  readonly agents: readonly ConversableAgent[]
  maxRound: number
  adminName: string
  funcCallFilter: boolean
  speakerSelectionMethod: string | SelectSpeaker
  candidates: SelectCandidates | null
  maxRetriesForSelectingSpeaker: number
  allowRepeatSpeaker: boolean | readonly Agent[] | null
  readonly allowedOrDisallowedSpeakerTransitions: SpeakerTransitions | null
  readonly speakerTransitionsType: string | null
  enableClearHistory: boolean
  sendIntroductions: boolean
  selectSpeakerMessageTemplate: string
  selectSpeakerPromptTemplate: string | null
  selectSpeakerAutoMultipleTemplate: string
  selectSpeakerAutoNoneTemplate: string
  selectSpeakerTransformMessages: TransformMessages | null
  selectSpeakerAutoVerbose: boolean
  selectSpeakerAutoModelClientCls: ModelClientClass | readonly ModelClientClass[] | null
  selectSpeakerAutoLlmConfig: LlmConfig | false | null
  roleForSelectSpeakerMessages: Role
  readonly io: Io
  readonly random: (agents: readonly Agent[]) => number
}

/** Checks the options of a group and fills in the defaults; invalid options are refused with `invalid-argument`. */
export function readGroupOptions(options: GroupChatOptions): GroupSettings {
  if (Array.isArray(options)) throw groupChatError('its options are a list; write `new GroupChat({ agents })`')
  checkOptions(options ?? null, GROUP_CHAT_KINDS, 'make a group chat', FOREIGN_WORDS)
  const { agents, allowRepeatSpeaker: repeat = null, speakerTransitionsType: type = null } = options
  requireAgents(agents)
  const transitions = options.allowedOrDisallowedSpeakerTransitions ?? null
  if (transitions && repeat !== null) {
    throw groupChatError(
      '`allowRepeatSpeaker` and `allowedOrDisallowedSpeakerTransitions` exclude each other; give one',
    )
  }
  if (transitions && type === null) {
    throw groupChatError(
      'the transitions have no `speakerTransitionsType`; say whether they are `allowed` or `disallowed`',
    )
  }
  return {
    agents: Object.freeze([...agents]),
    maxRound: options.maxRound ?? 10,
    adminName: options.adminName ?? 'Admin',
    funcCallFilter: options.funcCallFilter ?? true,
    speakerSelectionMethod: options.speakerSelectionMethod ?? 'auto',
    candidates: options.candidates ?? null,
    maxRetriesForSelectingSpeaker: options.maxRetriesForSelectingSpeaker ?? 2,
    allowRepeatSpeaker: repeat ?? (transitions ? null : true),
    allowedOrDisallowedSpeakerTransitions: transitions,
    speakerTransitionsType: type?.toLowerCase() ?? null,
    enableClearHistory: options.enableClearHistory ?? false,
    sendIntroductions: options.sendIntroductions ?? false,
    selectSpeakerMessageTemplate: options.selectSpeakerMessageTemplate ?? SELECT_SPEAKER_SYSTEM_TEMPLATE,
    // An empty text means no prompt, as in the Python library.
    selectSpeakerPromptTemplate:
      options.selectSpeakerPromptTemplate === undefined
        ? SELECT_SPEAKER_PROMPT_TEMPLATE
        : options.selectSpeakerPromptTemplate || null,
    selectSpeakerAutoMultipleTemplate: options.selectSpeakerAutoMultipleTemplate ?? SELECT_SPEAKER_MULTIPLE_TEMPLATE,
    selectSpeakerAutoNoneTemplate: options.selectSpeakerAutoNoneTemplate ?? SELECT_SPEAKER_NONE_TEMPLATE,
    selectSpeakerTransformMessages: options.selectSpeakerTransformMessages ?? null,
    selectSpeakerAutoVerbose: options.selectSpeakerAutoVerbose ?? false,
    selectSpeakerAutoModelClientCls: options.selectSpeakerAutoModelClientCls ?? null,
    selectSpeakerAutoLlmConfig: options.selectSpeakerAutoLlmConfig ?? null,
    roleForSelectSpeakerMessages: (options.roleForSelectSpeakerMessages ?? 'system') as Role,
    io: options.io ?? consoleIo(),
    random: options.random ?? platformRandom,
  }
}

/** Changes options of an existing group after the same checks; the transitions stay. */
export function changeSettings(settings: GroupSettings, changes: Partial<GroupSettings>): void {
  checkOptions(changes, GROUP_CHAT_KINDS, 'change a group chat')
  Object.assign(settings, changes)
  settings.selectSpeakerPromptTemplate ||= null
}

/** Says why a value is not a member of a group, and what to do: give what is `wanted`, or one copy of the package. */
export function noMember(value: unknown, wanted: string): string {
  const isForeign = typeof value === 'object' && value !== null && '~state' in value
  if (!isForeign) return `is not an agent; give ${wanted}`
  return 'is an agent of another copy of `@x/agent`; `npm ls @x/agent` shows the copies: install one version of it'
}

/** Refuses members that are not agents, and names that a model or a reader could confuse. */
function requireAgents(agents: readonly ConversableAgent[] | undefined): void {
  if (!agents) throw groupChatError('it has no `agents`; give a list of them')
  for (const [index, agent] of agents.entries()) {
    if (!(agent instanceof ConversableAgent))
      throw groupChatError(`member ${index} ${noMember(agent, 'a `ConversableAgent`')}`)
    const twin = agents.findIndex((each) => isSameName(each.name, agent.name))
    if (twin < index) {
      throw groupChatError(
        `members ${twin} and ${index} are named \`${agents[twin]!.name}\` and \`${agent.name}\`, which nobody can tell apart; rename one`,
      )
    }
  }
}

/** True if two names read the same: `_` counts as a space. */
export const isSameName = (one: string, other: string): boolean =>
  one.replaceAll('_', ' ') === other.replaceAll('_', ' ')
