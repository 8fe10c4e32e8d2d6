import { ConversableAgent, consoleIo } from '@x/agent'
import { platformRandom } from '@x/agent/steps'
import type { Agent, ChatMessage, Io, LlmConfig, ModelClientClass, Role } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { SelectCandidates, SelectSpeaker, SpeakerTransitions, TransformMessages } from './group.ts'
import {
  SELECT_SPEAKER_MESSAGE,
  SELECT_SPEAKER_MULTIPLE,
  SELECT_SPEAKER_NONE,
  SELECT_SPEAKER_PROMPT,
} from './templates.ts'

/** Options of a group chat. */
export interface GroupChatOptions {
  /** The members, in the order of `round_robin`; their names differ, also when `_` is read as a space. */
  readonly agents: readonly ConversableAgent[]
  /** The common history so far; default: empty. */
  readonly messages?: readonly ChatMessage[] | undefined
  /** Messages of a run, the first one included; default 10. */
  readonly maxRound?: number | undefined
  /** Name of the member that speaks when a person interrupts; default `Admin`. */
  readonly adminName?: string | undefined
  /** Whether calls go to members that can execute them; default true. */
  readonly funcCallFilter?: boolean | undefined
  /**
   * How the next speaker is chosen: `auto` (by the model of the manager; the default), `manual` (by a person), `random`,
   * `round_robin`, or by a function.
   */
  readonly speakerSelectionMethod?: string | SelectSpeaker | undefined
  /** Narrows those that may speak next, whatever the method; default: no further. */
  readonly candidates?: SelectCandidates | null | undefined
  /** Further attempts of a model that names nobody, or several; default 2. */
  readonly maxRetriesForSelectingSpeaker?: number | undefined
  /** Whether the last speaker may be next, or a list of those that may; default: true without transitions. */
  readonly allowRepeatSpeaker?: boolean | readonly Agent[] | null | undefined
  /** The followers of each member, allowed or disallowed as `speakerTransitionsType` says; default: anyone may follow. */
  readonly allowedOrDisallowedSpeakerTransitions?: SpeakerTransitions | null | undefined
  /** `allowed` or `disallowed`, in any case of letters; required with transitions. */
  readonly speakerTransitionsType?: string | null | undefined
  /** Whether `CLEAR HISTORY` in a message clears the histories; default false. */
  readonly enableClearHistory?: boolean | undefined
  /** Whether the members are told of each other first; default false. */
  readonly sendIntroductions?: boolean | undefined
  /** System message of `auto`; `{roles}` and `{agentlist}` are filled. */
  readonly selectSpeakerMessageTemplate?: string | undefined
  /** Last message of the request of `auto`; `{agentlist}` is filled, and null leaves it out. */
  readonly selectSpeakerPromptTemplate?: string | null | undefined
  /** Question of `auto` after an answer with several names. */
  readonly selectSpeakerAutoMultipleTemplate?: string | undefined
  /** Question of `auto` after an answer without a name. */
  readonly selectSpeakerAutoNoneTemplate?: string | undefined
  /** Changes the messages that `auto` shows the model, beside the system message; default: none. */
  readonly selectSpeakerTransformMessages?: TransformMessages | null | undefined
  /** Whether the messages and attempts of `auto` are events; default false. */
  readonly selectSpeakerAutoVerbose?: boolean | undefined
  /** Client class of the entries of `selectSpeakerAutoLlmConfig` that name one, or a list to find it in. */
  readonly selectSpeakerAutoModelClientCls?: ModelClientClass | readonly ModelClientClass[] | null | undefined
  /** The models of `auto`; default: those of the manager. */
  readonly selectSpeakerAutoLlmConfig?: LlmConfig | false | null | undefined
  /** Role of the questions of `auto`; default `system`. */
  readonly roleForSelectSpeakerMessages?: string | undefined
  /** Where warnings of the group go, and a person is asked outside of runs; default: the console. */
  readonly io?: Io | undefined
  /** Gives a random number in [0, 1) to draw one of some agents by; default: the platform's. */
  readonly random?: ((agents: readonly Agent[]) => number) | undefined
}

const LIST_OF_MESSAGES = { ...kind.list, expected: 'a list of messages' }
const TEMPLATE = {
  expected: 'a text that is not empty',
  takes: (value: unknown): boolean => typeof value === 'string' && value !== '',
}

const GROUP_OPTIONS: OptionKinds<GroupChatOptions> = {
  agents: { ...kind.list, expected: 'a list of agents' },
  messages: LIST_OF_MESSAGES,
  maxRound: kind.limit(0),
  adminName: kind.text,
  funcCallFilter: kind.flag,
  speakerSelectionMethod: { ...kind.either(kind.text, kind.call), expected: 'the name of a method, or a function' },
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
  selectSpeakerMessageTemplate: TEMPLATE,
  selectSpeakerPromptTemplate: kind.orNull(kind.text),
  selectSpeakerAutoMultipleTemplate: TEMPLATE,
  selectSpeakerAutoNoneTemplate: TEMPLATE,
  selectSpeakerTransformMessages: kind.orNull(kind.call),
  selectSpeakerAutoVerbose: kind.flag,
  selectSpeakerAutoModelClientCls: { ...kind.any, expected: 'a client class, a list of them, or null' },
  selectSpeakerAutoLlmConfig: kind.orNull(ConversableAgent.optionKinds.llmConfig),
  roleForSelectSpeakerMessages: TEMPLATE,
  io: ConversableAgent.optionKinds.io,
  random: kind.call,
}

const isTransitionsType = (value: unknown): boolean =>
  typeof value === 'string' && ['allowed', 'disallowed'].includes(value.toLowerCase())

/** The options of a group with their defaults; those that may change later are not read-only. */
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

/** Checks the options of a group and fills in the defaults; what cannot be is refused with `invalid-argument`. */
export function groupSettings(options: GroupChatOptions): GroupSettings {
  checkOptions(options ?? null, GROUP_OPTIONS, 'make a group chat')
  const { agents, allowRepeatSpeaker: repeat = null, speakerTransitionsType: type = null } = options
  requireAgents(agents)
  const transitions = options.allowedOrDisallowedSpeakerTransitions ?? null
  if (transitions && repeat !== null) {
    throw refused('`allowRepeatSpeaker` and `allowedOrDisallowedSpeakerTransitions` exclude each other; give one')
  }
  if (transitions && type === null) {
    throw refused('transitions come without a `speakerTransitionsType`; say whether they are `allowed` or `disallowed`')
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
    selectSpeakerMessageTemplate: options.selectSpeakerMessageTemplate ?? SELECT_SPEAKER_MESSAGE,
    // An empty text is none, as in the Python library.
    selectSpeakerPromptTemplate:
      options.selectSpeakerPromptTemplate === undefined
        ? SELECT_SPEAKER_PROMPT
        : options.selectSpeakerPromptTemplate || null,
    selectSpeakerAutoMultipleTemplate: options.selectSpeakerAutoMultipleTemplate ?? SELECT_SPEAKER_MULTIPLE,
    selectSpeakerAutoNoneTemplate: options.selectSpeakerAutoNoneTemplate ?? SELECT_SPEAKER_NONE,
    selectSpeakerTransformMessages: options.selectSpeakerTransformMessages ?? null,
    selectSpeakerAutoVerbose: options.selectSpeakerAutoVerbose ?? false,
    selectSpeakerAutoModelClientCls: options.selectSpeakerAutoModelClientCls ?? null,
    selectSpeakerAutoLlmConfig: options.selectSpeakerAutoLlmConfig ?? null,
    roleForSelectSpeakerMessages: (options.roleForSelectSpeakerMessages ?? 'system') as Role,
    io: options.io ?? consoleIo(),
    random: options.random ?? platformRandom,
  }
}

/** Changes options of a group that has been made, after the same checks; who may follow whom stays. */
export function changeSettings(settings: GroupSettings, changes: Partial<GroupSettings>): void {
  checkOptions(changes, GROUP_OPTIONS, 'change a group chat')
  Object.assign(settings, changes)
  settings.selectSpeakerPromptTemplate ||= null
}

/** Refuses members that are no agents, and names that a model, or a reader, could take for each other. */
function requireAgents(agents: readonly ConversableAgent[] | undefined): void {
  if (!agents) throw refused('it has no `agents`; give a list of them')
  for (const [index, agent] of agents.entries()) {
    if (!(agent instanceof ConversableAgent)) throw refused(`member ${index} is no agent; give a \`ConversableAgent\``)
    const twin = agents.findIndex((each) => sameName(each.name, agent.name))
    if (twin < index) {
      throw refused(
        `members ${twin} and ${index} are named \`${agents[twin]!.name}\` and \`${agent.name}\`, which nobody can tell apart; rename one`,
      )
    }
  }
}

/** Whether two names are the same to a reader of text: `_` is a space. */
export const sameName = (one: string, other: string): boolean => one.replaceAll('_', ' ') === other.replaceAll('_', ' ')

const refused = (problem: string): XError => new XError('invalid-argument', `cannot make a group chat: ${problem}`)
