import type { ConversableAgent } from '@x/agent'
import { internalsOf, operate, operateSync } from '@x/agent/steps'
import type { Agent, ChatMessage, LlmConfig, ModelClientClass, Role, RunOptions } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { checkOptions, kind, runOptionKinds } from '@x/kernel/options'
import {
  nextAgent,
  type Group,
  type SelectCandidates,
  type SelectSpeaker,
  type SpeakerTransitions,
  type TransformMessages,
} from './group/group.ts'
import { toGroupMessage } from './group/group-messages.ts'
import { changeSettings, readGroupOptions, type GroupChatOptions } from './group/group-options.ts'
import { groupStateOf, report, type GroupState } from './group/group-state.ts'
import { emptyDescriptionWarnings, fillPrompt, introductionsText } from './group/templates.ts'
import { transitionWarnings, readFollowers, type Followers } from './group/transitions.ts'
import { askPerson } from './speaker/ask-person.steps.ts'
import { requireSpeaker } from './speaker/select-speaker.steps.ts'

/** Options of `agentByName`. */
interface AgentByNameOptions {
  /** Whether nested groups are searched too; default false. */
  readonly recursive?: boolean | undefined
  /** Whether several agents of the same name are refused with `ambiguous-name`; default false: the first is returned. */
  readonly raiseOnNameConflict?: boolean | undefined
}

type BlockingOptions = Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>

const AGENT_BY_NAME_KINDS = { recursive: kind.flag, raiseOnNameConflict: kind.flag }

/** Agents in one conversation: their common history, and the rules that decide who speaks next. */
export class GroupChat implements Group {
  /** The state of the group, opaque. */
  readonly '~state': unknown

  constructor(options: GroupChatOptions) {
    const settings = readGroupOptions(options)
    const { agents, allowRepeatSpeaker, allowedOrDisallowedSpeakerTransitions: transitions } = settings
    const { speakerTransitionsType: type } = settings
    const followers = readFollowers({ agents, allowRepeatSpeaker, transitions, type })
    const state: GroupState = {
      group: this,
      settings,
      followers,
      messages: (options.messages ?? []).map((message) => Object.freeze({ ...message })),
      isIntroduced: false,
      running: false,
      selector: null,
      warned: new Set(),
    }
    this['~state'] = state
    if (transitions) for (const text of transitionWarnings(agents, followers)) warn(state, text)
  }

  get #state(): GroupState {
    return groupStateOf(this)
  }

  /** The members, in their order. */
  get agents(): readonly ConversableAgent[] {
    return this.#state.settings.agents
  }

  /** The names of the members, in their order. */
  get agentNames(): readonly string[] {
    return this.agents.map(({ name }) => name)
  }

  /** The common history, oldest first; each message has the `name` of its speaker. */
  get messages(): readonly ChatMessage[] {
    return this.#state.messages
  }

  /** Most messages of a run, the first one included. */
  get maxRound(): number {
    return this.#state.settings.maxRound
  }

  set maxRound(maxRound: number) {
    changeSettings(this.#state.settings, { maxRound })
  }

  /** The method or function that chooses the next speaker. */
  get speakerSelectionMethod(): string | SelectSpeaker {
    return this.#state.settings.speakerSelectionMethod
  }

  set speakerSelectionMethod(speakerSelectionMethod: string | SelectSpeaker) {
    changeSettings(this.#state.settings, { speakerSelectionMethod })
  }

  /** Whether the members are introduced to each other first. */
  get sendIntroductions(): boolean {
    return this.#state.settings.sendIntroductions
  }

  set sendIntroductions(sendIntroductions: boolean) {
    changeSettings(this.#state.settings, { sendIntroductions })
  }

  /** Name of the member that replies when a person interrupts. */
  get adminName(): string {
    return this.#state.settings.adminName
  }

  set adminName(adminName: string) {
    changeSettings(this.#state.settings, { adminName })
  }

  /** Whether tool calls go to members that can execute them. */
  get funcCallFilter(): boolean {
    return this.#state.settings.funcCallFilter
  }

  set funcCallFilter(funcCallFilter: boolean) {
    changeSettings(this.#state.settings, { funcCallFilter })
  }

  /** Narrows the eligible speakers; null for no narrowing. */
  get candidates(): SelectCandidates | null {
    return this.#state.settings.candidates
  }

  set candidates(candidates: SelectCandidates | null) {
    changeSettings(this.#state.settings, { candidates })
  }

  /** Retries when the answer of a model names no member, or several. */
  get maxRetriesForSelectingSpeaker(): number {
    return this.#state.settings.maxRetriesForSelectingSpeaker
  }

  set maxRetriesForSelectingSpeaker(maxRetriesForSelectingSpeaker: number) {
    changeSettings(this.#state.settings, { maxRetriesForSelectingSpeaker })
  }

  /** Whether the last speaker may speak again, or the members that may; null where transitions decide. */
  get allowRepeatSpeaker(): boolean | readonly Agent[] | null {
    return this.#state.settings.allowRepeatSpeaker
  }

  set allowRepeatSpeaker(allowRepeatSpeaker: boolean | readonly Agent[] | null) {
    changeSettings(this.#state.settings, { allowRepeatSpeaker })
  }

  /** The transitions of the options; null without any. */
  get allowedOrDisallowedSpeakerTransitions(): SpeakerTransitions | null {
    return this.#state.settings.allowedOrDisallowedSpeakerTransitions
  }

  /** Whether the transitions are `allowed` or `disallowed`; null without any. */
  get speakerTransitionsType(): string | null {
    return this.#state.settings.speakerTransitionsType
  }

  /** The members that may follow each member. */
  get allowedSpeakerTransitionsDict(): Followers {
    return this.#state.followers
  }

  /** Whether `CLEAR HISTORY` in a message clears the histories. */
  get enableClearHistory(): boolean {
    return this.#state.settings.enableClearHistory
  }

  set enableClearHistory(enableClearHistory: boolean) {
    changeSettings(this.#state.settings, { enableClearHistory })
  }

  /** System message of a model that chooses the next speaker. */
  get selectSpeakerMessageTemplate(): string {
    return this.#state.settings.selectSpeakerMessageTemplate
  }

  set selectSpeakerMessageTemplate(selectSpeakerMessageTemplate: string) {
    changeSettings(this.#state.settings, { selectSpeakerMessageTemplate })
  }

  /** Last message of the request to the choosing model; null for none. */
  get selectSpeakerPromptTemplate(): string | null {
    return this.#state.settings.selectSpeakerPromptTemplate
  }

  set selectSpeakerPromptTemplate(selectSpeakerPromptTemplate: string | null) {
    changeSettings(this.#state.settings, { selectSpeakerPromptTemplate })
  }

  /** Question to the choosing model after an answer with several names. */
  get selectSpeakerAutoMultipleTemplate(): string {
    return this.#state.settings.selectSpeakerAutoMultipleTemplate
  }

  set selectSpeakerAutoMultipleTemplate(selectSpeakerAutoMultipleTemplate: string) {
    changeSettings(this.#state.settings, { selectSpeakerAutoMultipleTemplate })
  }

  /** Question to the choosing model after an answer without a name. */
  get selectSpeakerAutoNoneTemplate(): string {
    return this.#state.settings.selectSpeakerAutoNoneTemplate
  }

  set selectSpeakerAutoNoneTemplate(selectSpeakerAutoNoneTemplate: string) {
    changeSettings(this.#state.settings, { selectSpeakerAutoNoneTemplate })
  }

  /** Changes the messages that the choosing model reads; null for no change. */
  get selectSpeakerTransformMessages(): TransformMessages | null {
    return this.#state.settings.selectSpeakerTransformMessages
  }

  set selectSpeakerTransformMessages(selectSpeakerTransformMessages: TransformMessages | null) {
    changeSettings(this.#state.settings, { selectSpeakerTransformMessages })
  }

  /** Whether the messages and attempts of the choosing model are events. */
  get selectSpeakerAutoVerbose(): boolean {
    return this.#state.settings.selectSpeakerAutoVerbose
  }

  set selectSpeakerAutoVerbose(selectSpeakerAutoVerbose: boolean) {
    changeSettings(this.#state.settings, { selectSpeakerAutoVerbose })
  }

  /** Client class that config entries name, or a list of such classes; null for none. */
  get selectSpeakerAutoModelClientCls(): ModelClientClass | readonly ModelClientClass[] | null {
    return this.#state.settings.selectSpeakerAutoModelClientCls
  }

  set selectSpeakerAutoModelClientCls(
    selectSpeakerAutoModelClientCls: ModelClientClass | readonly ModelClientClass[] | null,
  ) {
    changeSettings(this.#state.settings, { selectSpeakerAutoModelClientCls })
  }

  /** The models that choose speakers; null or false for the models of the manager. */
  get selectSpeakerAutoLlmConfig(): LlmConfig | false | null {
    return this.#state.settings.selectSpeakerAutoLlmConfig
  }

  set selectSpeakerAutoLlmConfig(selectSpeakerAutoLlmConfig: LlmConfig | false | null) {
    changeSettings(this.#state.settings, { selectSpeakerAutoLlmConfig })
  }

  /** Role of the questions to the choosing model. */
  get roleForSelectSpeakerMessages(): Role {
    return this.#state.settings.roleForSelectSpeakerMessages
  }

  set roleForSelectSpeakerMessages(roleForSelectSpeakerMessages: Role) {
    changeSettings(this.#state.settings, { roleForSelectSpeakerMessages })
  }

  /** Forgets the messages of the group. */
  reset(): void {
    this.#state.messages = []
  }

  /** Adds a message, as text and under the name of its speaker; the result of a function keeps the name of the function. */
  append(message: ChatMessage, speaker: Agent): void {
    this.#state.messages.push(toGroupMessage(message, speaker.name))
  }

  /** Finds the first member of a name; null when there is none. */
  agentByName(name: string, options: AgentByNameOptions = {}): ConversableAgent | null {
    checkOptions(options, AGENT_BY_NAME_KINDS, 'run `agentByName`')
    const { recursive = false, raiseOnNameConflict = false } = options
    const matches = (recursive ? this.nestedAgents() : this.agents).filter((agent) => agent.name === name)
    if (raiseOnNameConflict && matches.length > 1) {
      throw new XError(
        'ambiguous-name',
        `cannot find the agent \`${name}\` in the group: ${matches.length} agents have that name; rename them, or omit \`raiseOnNameConflict\``,
        { details: { name } },
      )
    }
    return matches[0] ?? null
  }

  /** Lists the members, followed by the members of nested groups, level by level. */
  nestedAgents(): ConversableAgent[] {
    const all = [...this.agents]
    const groups = new Set<Group>([this])
    // The loop also visits the members that it appends.
    for (const agent of all) {
      const inner = (agent as { readonly groupchat?: unknown }).groupchat
      if (!(inner instanceof GroupChat) || groups.has(inner)) continue
      groups.add(inner)
      all.push(...inner.agents)
    }
    return all
  }

  /**
   * Finds the first of `agents` (default: all members) that comes after `agent` in the order of the group, going round;
   * `agent` itself comes last. Throws `undefined-next-agent` when one of them is not a member, or none is given.
   */
  nextAgent(agent: Agent, agents?: readonly Agent[]): ConversableAgent {
    return nextAgent(this.agents, agent, agents)
  }

  /** Chooses who speaks after an agent, by the model and `io` of `selector` (as a rule the manager). */
  async selectSpeaker(
    lastSpeaker: Agent,
    selector: ConversableAgent,
    options: RunOptions = {},
  ): Promise<ConversableAgent> {
    checkOptions(options, runOptionKinds, 'run `selectSpeaker`')
    return await operate(requireSpeaker(this.#state, lastSpeaker, selector), internalsOf(selector), options)
  }

  /** {@link selectSpeaker}, blocking. */
  selectSpeakerSync(lastSpeaker: Agent, selector: ConversableAgent, options: BlockingOptions = {}): ConversableAgent {
    checkOptions(options, runOptionKinds, 'run `selectSpeakerSync`')
    return operateSync(requireSpeaker(this.#state, lastSpeaker, selector), internalsOf(selector), options)
  }

  /** Returns the system message of a model that chooses among agents; default: all members. */
  selectSpeakerMsg(agents: readonly Agent[] = this.agents): string {
    this.#warnOfDescriptions(agents)
    return fillPrompt(this.selectSpeakerMessageTemplate, agents)
  }

  /** Returns the last message of the request to a model that chooses among agents; null without a template. */
  selectSpeakerPrompt(agents: readonly Agent[] = this.agents): string | null {
    return this.selectSpeakerPromptTemplate === null ? null : fillPrompt(this.selectSpeakerPromptTemplate, agents)
  }

  /** Returns the text that introduces agents to each other; default: all members. */
  introductionsMsg(agents: readonly Agent[] = this.agents): string {
    this.#warnOfDescriptions(agents)
    return introductionsText(agents)
  }

  #warnOfDescriptions(agents: readonly Agent[]): void {
    for (const text of emptyDescriptionWarnings(agents)) warn(this.#state, text)
  }

  /** Asks the person at the `io` of the group which of some members speaks next; null when the person leaves it open. */
  async manualSelectSpeaker(
    agents: readonly ConversableAgent[] = this.agents,
    options: RunOptions = {},
  ): Promise<ConversableAgent | null> {
    checkOptions(options, runOptionKinds, 'run `manualSelectSpeaker`')
    return await operate(this.#ask(agents), this.#defaults, options)
  }

  /** {@link manualSelectSpeaker}, blocking. */
  manualSelectSpeakerSync(
    agents: readonly ConversableAgent[] = this.agents,
    options: BlockingOptions = {},
  ): ConversableAgent | null {
    checkOptions(options, runOptionKinds, 'run `manualSelectSpeakerSync`')
    return operateSync(this.#ask(agents), this.#defaults, options)
  }

  #ask(agents: readonly ConversableAgent[]): Steps<ConversableAgent | null> {
    return askPerson(agents, { io: this.#state.settings.io, manager: null })
  }

  get #defaults() {
    const { io } = this.#state.settings
    return { io, now: this.agents[0] ? internalsOf(this.agents[0]).now : () => 0 }
  }

  /** Picks one of some agents at random; default: of all members. */
  randomSelectSpeaker(agents: readonly ConversableAgent[] = this.agents): ConversableAgent {
    const index = Math.floor(this.#state.settings.random(agents) * agents.length)
    const speaker = agents[Math.min(index, agents.length - 1)]
    if (speaker) return speaker
    throw new XError('invalid-argument', 'cannot pick a speaker: the list of agents is empty; give at least one')
  }
}

const warn = (state: GroupState, text: string): void =>
  report(state, { type: 'warning', agent: null, topic: 'group', text })
