import { ConversableAgent, type ConversableAgentOptions } from '@x/agent'
import {
  internalsOf,
  operate,
  operateStream,
  operateSync,
  setManagerRole,
  stepsReply,
  type StepsReply,
} from '@x/agent/steps'
import type {
  Agent,
  ChatMessage,
  ConfigEntry,
  EventBody,
  EventStream,
  HumanInputMode,
  ReplyOutcome,
  RunOptions,
} from '@x/interfaces'
import { eventOutside } from '@x/kernel/run'
import { XError, type Steps } from '@x/kernel'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { GroupChat } from './group-chat.ts'
import { groupStateOf, createManagerRole } from './group/group-state.ts'
import { isSameName } from './group/group-options.ts'
import { clearHistories } from './run/clear-histories.ts'
import { serializeMessages, parseMessages } from './group/group-messages.ts'
import { resumeGroup, type ResumeChoice, type ResumedChat } from './run/resume.steps.ts'
import { replyByRun } from './run/run-chat.steps.ts'

/** Options of the manager of a group chat. */
interface GroupChatManagerOptions extends Omit<ConversableAgentOptions, 'name' | 'silent'> {
  /** The group that it manages. */
  groupchat: GroupChat
  /** Name, different from the names of all members; default `chat_manager`. */
  name?: string | undefined
  /** True if the console prints neither messages of the members nor the choice of speakers; default false. */
  silent?: boolean | undefined
}

/** Options of `runChat`. */
interface RunChatRequest {
  /** Messages of which the last one begins the run; default: the conversation with the sender. */
  readonly messages?: readonly ChatMessage[] | null | undefined
  /** Agent that said the last message. */
  readonly sender?: Agent | null | undefined
  /** The group to run, which must be the group of the manager. */
  readonly config?: GroupChat | null | undefined
}

/** Options of `resume`. */
interface ResumeOptions extends ResumeChoice, RunOptions {}

/** Words of other libraries for the options of a manager. */
const FOREIGN_WORDS = {
  'group chat': 'write `groupchat`',
  'agents members participants': 'give them to the group: `groupchat: new GroupChat({ agents })`',
  'maxRound maxTurns': 'give it to the group: `groupchat: new GroupChat({ agents, maxRound: 10 })`',
  'speakerSelectionMethod selector':
    "give it to the group: `groupchat: new GroupChat({ agents, speakerSelectionMethod: 'round_robin' })`",
  model: 'write `llmConfig: llmConfig(model)`',
}

const RUN_CHAT_KINDS: OptionKinds<RunChatRequest & RunOptions> = {
  messages: kind.orNull(kind.list),
  sender: kind.orNull(kind.object),
  config: kind.orNull(kind.object),
  ...runOptionKinds,
}

const RESUME_KINDS: OptionKinds<ResumeOptions> = {
  removeTerminationString: kind.orNull(kind.either(kind.text, kind.call)),
  silent: kind.flag,
  ...runOptionKinds,
}

/** An agent that runs a group chat: a message that it receives starts a run, and the members answer in turn. */
export class GroupChatManager extends ConversableAgent {
  static readonly #kinds: OptionKinds<GroupChatManagerOptions> = {
    ...ConversableAgent.optionKinds,
    groupchat: { expected: 'a `GroupChat`', takes: (value) => value instanceof GroupChat },
    silent: kind.flag,
  }

  readonly #groupchat: GroupChat
  #silent: boolean
  #lastSpeaker: Agent | null = null

  constructor(options: GroupChatManagerOptions) {
    const attempt = 'create a group chat manager'
    if ((options as unknown) instanceof GroupChat) {
      throw new XError(
        'invalid-argument',
        `cannot ${attempt}: its options are a group; write \`new GroupChatManager({ groupchat: group })\``,
      )
    }
    checkOptions(options ?? null, GroupChatManager.#kinds, attempt, FOREIGN_WORDS)
    const { groupchat, name = 'chat_manager', silent = false, ...rest } = options
    const defaults: { humanInputMode: HumanInputMode } = { humanInputMode: 'NEVER' }
    super({
      maxConsecutiveAutoReply: Number.MAX_SAFE_INTEGER,
      ...defaults,
      systemMessage: 'Group chat manager.',
      ...withoutUndefined(rest),
      name,
    })
    if (!groupchat) {
      throw new XError(
        'invalid-argument',
        `cannot create the manager \`${name}\`: it has no group; give a \`groupchat\``,
      )
    }
    requireUniqueName(groupchat, name)
    refuseTools(this)
    refuseOverrides(groupchat, GroupChat, 'give the group options, such as a function as `speakerSelectionMethod`')
    refuseOverrides(this, GroupChatManager, 'give the manager or its group options')
    this.#groupchat = groupchat
    this.#silent = silent
    setManagerRole(this, createManagerRole(groupStateOf(groupchat)))
    this.registerReply<GroupChat>([ConversableAgent, null], GroupChatManager.#reply, {
      config: groupchat,
      resetConfig: (group) => group.reset(),
    })
  }

  /** The group that it manages. */
  get groupchat(): GroupChat {
    return this.#groupchat
  }

  /** The agent whose message is being sent to the members; null before the first run. */
  get lastSpeaker(): Agent | null {
    return this.#lastSpeaker
  }

  /** Whether messages of the members and the choice of speakers are hidden. */
  override get silent(): boolean {
    return this.#silent
  }

  override set silent(silent: boolean) {
    this.#silent = silent
  }

  /** Returns the messages of the group, whichever agent is given. */
  override chatMessagesForSummary(_agent?: Agent): readonly ChatMessage[] {
    return this.#groupchat.messages
  }

  /** Runs the group from a message on; resolves with `[true, null]`, since the manager itself replies nothing. */
  async runChat(options: RunChatRequest & RunOptions = {}): Promise<ReplyOutcome> {
    return await operate(this.#run(options), internalsOf(this), options)
  }

  /** {@link runChat}, blocking. */
  runChatSync(options: RunChatRequest & Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'> = {}): ReplyOutcome {
    return operateSync(this.#run(options), internalsOf(this), options)
  }

  /** {@link runChat}, as a stream of its events with a promise of the outcome. */
  runChatStream(options: RunChatRequest & Omit<RunOptions, 'emit'> = {}): EventStream<ReplyOutcome> {
    return operateStream(this.#run(options), internalsOf(this), options)
  }

  /**
   * Replaces the histories of the group by messages of an earlier chat, or by their text. Resolves with the last speaker
   * and its message; go on with `lastSpeaker.initiateChat(manager, { message, clearHistory: false })`.
   */
  async resume(messages: string | readonly ChatMessage[], options: ResumeOptions = {}): Promise<ResumedChat> {
    return await operate(this.#resume(messages, options), internalsOf(this), options)
  }

  /** {@link resume}, blocking. */
  resumeSync(
    messages: string | readonly ChatMessage[],
    options: ResumeChoice & Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'> = {},
  ): ResumedChat {
    return operateSync(this.#resume(messages, options), internalsOf(this), options)
  }

  /** Reads messages that `messagesToString` wrote. */
  messagesFromString(text: string): ChatMessage[] {
    return parseMessages(text)
  }

  /** Writes messages as a text that `resume` takes. */
  messagesToString(messages: readonly ChatMessage[]): string {
    return serializeMessages(messages)
  }

  /** Clears histories by the command in a message, and returns the text without the command. */
  clearAgentsHistory(reply: ChatMessage, groupchat: GroupChat = this.#groupchat): string {
    const { text, events } = clearHistories(groupStateOf(groupchat), reply, this.name)
    for (const event of events) this.#report(event)
    return text
  }

  #report(event: EventBody): void {
    const { io, now } = internalsOf(this)
    if (io.takes && !io.takes.has(event.type)) return
    void io.send(eventOutside(event, now()))
  }

  #resume(messages: string | readonly ChatMessage[], options: ResumeOptions): Steps<ResumedChat> {
    checkOptions(options, RESUME_KINDS, 'run `resume`', this.name)
    return resumeGroup(groupStateOf(this.#groupchat), this, messages, options)
  }

  #run(options: RunChatRequest): Steps<ReplyOutcome> {
    checkOptions(options, RUN_CHAT_KINDS, 'run `runChat`', this.name)
    if (options.config && options.config !== this.#groupchat) {
      throw new XError(
        'invalid-argument',
        `cannot run \`runChat\` of \`${this.name}\`: its \`config\` is not the group that it manages; omit it, or make a manager for that group`,
      )
    }
    return replyByRun(groupStateOf(this.#groupchat), this, {
      ...options,
      silent: this.#silent,
      onSpeaker: (speaker) => {
        this.#lastSpeaker = speaker
      },
    })
  }

  /** The reply function of all managers. */
  static readonly #reply: StepsReply = stepsReply('runChat', (agent, { messages, sender, config }) =>
    (agent as GroupChatManager).#run({ messages, sender, config: config as GroupChat }),
  )
}

/** Omits options that are undefined, so that they keep the defaults of a manager. */
const withoutUndefined = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T

function requireUniqueName({ agents }: GroupChat, name: string): void {
  const twin = agents.find((agent) => isSameName(agent.name, name))
  if (!twin) return
  throw new XError(
    'invalid-argument',
    `cannot create the manager \`${name}\` of a group with the member \`${twin.name}\`: nobody could tell them apart; give the manager another \`name\``,
  )
}

/** Refuses an object of a class that overrides a method: a run does not call it. */
function refuseOverrides(object: object, { prototype }: { readonly prototype: object }, remedy: string): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name === 'constructor' || typeof value !== 'function' || Reflect.get(object, name) === value) continue
    throw new XError(
      'invalid-argument',
      `\`${object.constructor.name}\` overrides \`${name}\`, which no run calls: ${remedy}`,
    )
  }
}

/** Refuses tools in the config of a manager: it chooses speakers and calls no tool. */
function refuseTools({ name, llmConfig }: ConversableAgent): void {
  if (!llmConfig) return
  const { config } = llmConfig
  const entry = [config, ...(config.configList ?? [])].find(({ tools, functions }: ConfigEntry) => tools ?? functions)
  if (!entry) return
  throw new XError(
    'invalid-argument',
    `cannot create the manager \`${name}\`: its \`llmConfig\` has \`tools\` or \`functions\`, and a manager calls none; give them to members`,
  )
}
