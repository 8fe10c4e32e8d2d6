import type { Agent, ChatOptions, QueuedChat, RunOptions, SummaryArgs } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { AGENT_KIND, BUDGET_KIND, CACHE_KIND, type ForeignWords, JOURNAL_KIND, REPLY_KIND } from '../options/kinds.ts'
import type { ChatMeans, NestedChat } from '../options/operations.ts'

/** Kinds of the options that hold for everything inside a chat. */
export const CHAT_MEANS_KINDS: OptionKinds<ChatMeans> = {
  budget: BUDGET_KIND,
  journal: JOURNAL_KIND,
  runId: kind.text,
  version: kind.text,
  steering: kind.having('what steers a run, such as `new Steering()`', 'take'),
}

/** Kind of the `carryover` of a chat. */
export const CARRYOVER_KIND: OptionKinds<ChatOptions>['carryover'] = {
  ...kind.either(kind.text, kind.list),
  expected: 'a text or a list',
}

const FIRST_MESSAGE_KIND = {
  ...kind.orNull(kind.either(REPLY_KIND, kind.call)),
  expected: 'a text, a message, a function, or null',
}

/** Kind of the `conversation` of a chat. */
export const CONVERSATION_KIND: OptionKinds<ChatOptions>['conversation'] = kind.oneOf('shared', 'own')

const COMMON_CHAT_KINDS: Omit<
  OptionKinds<ChatOptions>,
  keyof RunOptions | 'journal' | 'runId' | 'version' | 'steering'
> = {
  message: FIRST_MESSAGE_KIND,
  maxTurns: kind.orNull(kind.limit(0)),
  maxMessages: kind.limit(1),
  clearHistory: kind.flag,
  conversation: CONVERSATION_KIND,
  silent: kind.orNull(kind.flag),
  // `checkSummary` checks it, since it needs the agents: one of them must have a model.
  summaryMethod: kind.any,
  summaryArgs: kind.object,
  carryover: CARRYOVER_KIND,
  cache: kind.orNull(CACHE_KIND),
  verbose: kind.flag,
  messageArgs: kind.object,
  budget: BUDGET_KIND,
}

/** Kinds of the options of a chat. */
export const CHAT_KINDS: OptionKinds<ChatOptions> = { ...COMMON_CHAT_KINDS, ...CHAT_MEANS_KINDS, ...runOptionKinds }

const RESULT_OF_RUN = 'only `run` gives a checked value: `agent.run(question, { result })`'

/** Words of other libraries for the options of a chat. */
export const FOREIGN_CHAT_WORDS: ForeignWords = {
  'prompt input question query messages': 'write `message`',
  'abortSignal abort abortController': 'write `signal`',
  'timeout timeoutMs': 'write `signal: AbortSignal.timeout(milliseconds)`',
  'maxRounds maxRound maxSteps maxIterations maxMessagesPerChat stopWhen': 'write `maxTurns`',
  tools: 'give them to the agents, as in `assistant.use(tools)`',
  'result output outputType schema responseFormat': RESULT_OF_RUN,
  'recipient to agent': 'give the other agent as the first argument, as in `user.initiateChat(assistant, { message })`',
  'sender from': 'the agent whose method it is sends the first message',
  stream: 'call `initiateChatStream`',
  'userInput humanInput humanInputMode':
    'give `humanInputMode` to the agent that asks a person, such as a `UserProxyAgent`',
  'problem context variables':
    'write `messageArgs: { problem }` for a function as `message`, whose third argument they are',
  '~state': 'an agent stands where the options belong; write `user.initiateChat(assistant, { message })`',
  'history memory keepHistory': 'write `clearHistory: false`, which goes on from the earlier messages of the two',
  'onStepFinish onFinish onChunk onEvent onToolCall callbacks hooks listeners':
    'give `emit`, which gets every event, or read `initiateChatStream`',
  'resume state checkpoint checkpointer': 'write `journal`, with the `ChatJournal` of the chat before',
  'maxCost maxCalls maxBudget costLimit': 'write `budget: createBudget({ cost: 0.5 })`, in US dollars',
}

const FOREIGN_QUEUED_WORDS: ForeignWords = {
  ...FOREIGN_CHAT_WORDS,
  'to agent': 'write `recipient`',
  from: 'write `sender`',
  stream: 'a queue has no stream; give `emit` to the queue, which gets the events of all its chats',
}

/** Kinds of the options of a queue of chats. */
export const QUEUE_KINDS: OptionKinds<ChatMeans & RunOptions> = { ...CHAT_MEANS_KINDS, ...runOptionKinds }

const QUEUED_CHAT_KINDS: OptionKinds<QueuedChat> = {
  recipient: kind.any,
  sender: kind.orNull(AGENT_KIND),
  chatId: kind.whole(0),
  prerequisites: kind.list,
  finishedChatIndexesToExcludeFromCarryover: kind.list,
  ...COMMON_CHAT_KINDS,
}

const NESTED_CHAT_KINDS: OptionKinds<NestedChat> = {
  ...QUEUED_CHAT_KINDS,
  message: FIRST_MESSAGE_KIND,
  carryoverConfig: kind.object,
}

const NESTED_CARRYOVER_KINDS: OptionKinds<NonNullable<NestedChat['carryoverConfig']>> = {
  summaryMethod: kind.either(kind.oneOf('all', 'last_msg', 'reflection_with_llm'), kind.call),
  summaryArgs: kind.orNull(kind.object),
}

const REFLECTION_KINDS: OptionKinds<Pick<SummaryArgs, 'summaryPrompt' | 'summaryRole' | 'cache'>> = {
  summaryPrompt: kind.any,
  summaryRole: kind.any,
  cache: kind.any,
}

/** Refuses arguments that a summary by a model would leave unread, such as `summary_prompt`; a function may take any. */
export const checkReflection = (args: SummaryArgs | null | undefined): void =>
  checkOptions(args ?? undefined, REFLECTION_KINDS, 'let a model summarize a chat')

/** Refuses a queue with a chat that has an unknown or wrong option or two agents of one name, before anything is sent. */
export function checkQueuedChats(queue: readonly QueuedChat[], sender?: Agent): void {
  for (const [index, chat] of checkedList(queue, 'run chats').entries()) {
    checkOptions(chat ?? null, QUEUED_CHAT_KINDS, `begin chat ${index} of the queue`, FOREIGN_QUEUED_WORDS)
    const from = chat.sender ?? sender
    if (from) rejectDuplicateNames(from, chat.recipient)
  }
}

/** Refuses a queue of nested chats with an unknown or wrong option. */
export function checkNestedChats(queue: readonly NestedChat[]): void {
  for (const [index, chat] of checkedList(queue, 'register nested chats').entries()) {
    checkOptions(chat ?? null, NESTED_CHAT_KINDS, `register chat ${index} of the nested queue`, FOREIGN_QUEUED_WORDS)
    checkOptions(
      chat.carryoverConfig,
      NESTED_CARRYOVER_KINDS,
      `register the \`carryoverConfig\` of nested chat ${index}`,
    )
    if (chat.carryoverConfig?.summaryMethod === 'reflection_with_llm') checkReflection(chat.carryoverConfig.summaryArgs)
  }
}

/** Returns a queue after the check that it is a list and not a single chat. */
function checkedList<T>(queue: readonly T[], attempt: string): readonly T[] {
  checkOptions({ queue }, { queue: { ...kind.list, expected: 'a list of chats' } }, attempt)
  return queue
}

/** Refuses a chat of two agents with one name: their messages could not be told apart. An agent may talk to itself. */
export function rejectDuplicateNames(one: Agent, other: Agent | undefined): void {
  if (one === other || one.name !== other?.name) return
  throw new XError(
    'invalid-argument',
    `cannot begin a chat of \`${one.name}\`: the other agent is named \`${one.name}\` too, and their messages could not be told apart; rename one of them`,
    { details: { name: one.name } },
  )
}
