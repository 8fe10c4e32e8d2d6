import type { Agent, ChatMessage, CodeExecutionConfig, Hooks } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { checkOptions, kind } from '@x/kernel/options'
import { consoleIo, silentIo } from '../console/console-io.ts'
import { assertValidName, saysTerminate, storedMessage } from '../data/message.ts'
import {
  Conversations,
  EMPTY_LIST,
  openConversation,
  type ReplySlot,
  type Settings,
  sharesEqual,
  type State,
} from '../memory/state.ts'
import { DEFAULT_SYSTEM_MESSAGE, MAX_CONSECUTIVE_AUTO_REPLY } from '../options/operations.ts'
import { BUILT_INS } from '../reply/built-in.steps.ts'
import { noFunction, refusePromise, withReply } from '../reply/reply-list.ts'
import { platformNow } from '../run/platform.ts'
import { FOREIGN_AGENT_WORDS } from './foreign-words.ts'
import { AGENT_OPTION_KINDS, type ConversableAgentOptions, type StateUpdate, UpdateSystemMessage } from './options.ts'

/** Makes the state of a new agent. */
export function newState(
  agent: Agent,
  options: ConversableAgentOptions,
  links: Pick<Settings, 'createAgent' | 'onFirstConversation'>,
): State {
  checkAgentOptions(options)
  const { io = consoleIo(), logger = null, humanInputMode = 'TERMINATE' } = options
  const llmConfig = options.llmConfig || false
  const modelIo = options.silent ? silentIo(io) : io
  checkName(options)
  const codeExecution = checkedCodeExecution(options)
  const systemMessage = options.systemMessage ?? DEFAULT_SYSTEM_MESSAGE
  const state: State = {
    agent,
    name: options.name,
    settings: sharedSettings({
      description: options.description ?? systemMessage,
      defaultAutoReply: options.defaultAutoReply ?? '',
      ...links,
    }),
    io,
    logger,
    systemMessage: sharedMessage(Object.freeze({ content: systemMessage, role: 'system' })),
    isTerminationMsg: options.isTerminationMsg ? ownTermination(options.name, options.isTerminationMsg) : saysTerminate,
    conversations: new Conversations(),
    maxConsecutiveAutoReply: options.maxConsecutiveAutoReply ?? MAX_CONSECUTIVE_AUTO_REPLY,
    limitsAutoReplies: options.maxConsecutiveAutoReply !== undefined,
    humanInputMode,
    choosesHumanInputMode: options.humanInputMode !== undefined,
    silent: options.silent,
    replies: repliesFor(options),
    hooks: options.updateAgentStateBeforeReply
      ? { ...NO_HOOKS, updateAgentState: listed(options.updateAgentStateBeforeReply).map(hookOf) }
      : NO_HOOKS,
    tools: EMPTY_LIST,
    llmConfig,
    model: llmConfig ? llmConfig.createModel({ io: modelIo, ...(logger && { logger }) }) : null,
    humanInput: EMPTY_LIST,
    now: options.now ?? platformNow,
    isChecked: false,
  }
  if (options.tracer) state.tracer = options.tracer
  // Not in the literal: spreads leave room in it for what most agents do not have.
  if (options.functionMap) state.functionMap = new Map(Object.entries(options.functionMap))
  if (options.contextVariables) state.context = new Map(Object.entries(options.contextVariables))
  if (codeExecution) state.codeExecution = codeExecution
  if (options.history) state.history = options.history
  if (options.beforeToolCall) state.beforeToolCall = options.beforeToolCall
  if (options.beforeCodeExecution) state.beforeCodeExecution = options.beforeCodeExecution
  for (const name of state.functionMap?.keys() ?? []) assertValidName(name)
  for (const [counterpart, messages] of options.chatMessages ?? []) {
    const conversation = openConversation(state, counterpart)
    conversation.begun = true
    conversation.messages = messages.map((message) =>
      storedMessage(message, message.role ?? 'user', message.name ?? counterpart.name),
    )
  }
  return state
}

const anyone = (): boolean => true

const BUILT_IN_SLOTS = Object.values(BUILT_INS).map(({ reply, positions, isFor }) => {
  // Its own trigger needs no check of what it answers.
  const slots = withReply([], anyone, reply).map((slot) => ({ ...slot!, matches: anyone }))
  return { isFor, slots: positions === 2 ? [null, ...slots] : slots }
})

/** The lists of reply functions that agents begin with, by a digit for each: 1 if they have it. */
const sharedReplies = new Map<string, readonly ReplySlot[]>()

function repliesFor(options: object): readonly ReplySlot[] {
  let digits = ''
  for (const { isFor } of BUILT_IN_SLOTS)
    digits += !isFor || isFor(options as Readonly<Record<string, unknown>>) ? 1 : 0
  const shared = sharedReplies.get(digits)
  if (shared) return shared
  const replies = BUILT_IN_SLOTS.flatMap(({ slots }, index) => (digits[index] === '1' ? slots : []))
  sharedReplies.set(digits, replies)
  return replies
}

const sharedSettings = sharesEqual<Settings>()
const sharedMessage = sharesEqual<ChatMessage>()

// What most agents never change is one value for all of them; who changes it gets a copy.
const NO_HOOKS: State['hooks'] = {
  processLastReceivedMessage: [],
  processAllMessagesBeforeReply: [],
  processMessageBeforeSend: [],
  updateAgentState: [],
}

function checkName({ name, llmConfig }: ConversableAgentOptions): void {
  if (typeof name !== 'string' || name === '') {
    throw new XError('invalid-name', 'an agent has no name: give it a `name`')
  }
  if (!llmConfig || !/\s/u.test(name)) return
  throw new XError('invalid-name', `the name \`${name}\` has white space, which providers refuse: use \`_\` or \`-\``)
}

function checkedCodeExecution({
  name,
  codeExecutionConfig = false,
}: ConversableAgentOptions): CodeExecutionConfig | false {
  if (codeExecutionConfig === false) return false
  if (typeof codeExecutionConfig !== 'object' || codeExecutionConfig === null) {
    throw new XError('invalid-argument', `the \`codeExecutionConfig\` of \`${name}\` is neither an object nor false`)
  }
  const legacy = ['useDocker', 'workDir', 'timeout'].filter((key) => key in codeExecutionConfig)
  if (legacy.length > 0 && 'executor' in codeExecutionConfig) {
    throw new XError(
      'invalid-argument',
      `the \`codeExecutionConfig\` of \`${name}\` has \`${legacy[0]}\` beside an \`executor\`: set it on the executor`,
    )
  }
  if (!('executor' in codeExecutionConfig) && !('runner' in codeExecutionConfig)) {
    throw new XError(
      'invalid-argument',
      `the \`codeExecutionConfig\` of \`${name}\` has neither an \`executor\` nor a \`runner\`: give { executor: createCodeExecutor() }, or \`codeExecutionConfig({ workDir: '…' })\` for the keys of the Python library, both of \`@x/exec\``,
    )
  }
  // How far back is refused when code is looked for.
  const kinds = { executor: kind.any, runner: kind.any, lastNMessages: kind.any }
  checkOptions(codeExecutionConfig, kinds, `create the agent \`${name}\` with this \`codeExecutionConfig\``)
  return codeExecutionConfig
}

const ownTermination =
  (name: string, check: NonNullable<ConversableAgentOptions['isTerminationMsg']>): State['isTerminationMsg'] =>
  (message) => {
    const isEnd: unknown = check(message)
    return isThenable(isEnd) ? refusePromise(isEnd, `\`isTerminationMsg\` of \`${name}\``) : Boolean(isEnd)
  }

const listed = (updates: ConversableAgentOptions['updateAgentStateBeforeReply'] = []): readonly StateUpdate[] =>
  Array.isArray(updates) ? updates : [updates as StateUpdate]

function hookOf(update: StateUpdate): Hooks['updateAgentState'] {
  if (update instanceof UpdateSystemMessage) return update.hook()
  if (typeof update === 'function') return update
  throw noFunction('what `updateAgentStateBeforeReply` has', 'give one, or `new UpdateSystemMessage(template)`')
}

/** Refuses an unknown or wrong option of a new agent. */
export function checkAgentOptions(options: ConversableAgentOptions): void {
  const name: unknown = (options as Partial<ConversableAgentOptions> | null)?.name
  const attempt = typeof name === 'string' ? `create the agent \`${name}\`` : 'create an agent'
  checkOptions(options ?? null, AGENT_OPTION_KINDS, attempt, FOREIGN_AGENT_WORDS)
}
