import { ConversableAgent } from '@x/agent'
import {
  forgetConversation,
  initiateChat,
  internalsOf,
  modelsOf,
  append,
  withSilence,
  withVariables,
} from '@x/agent/steps'
import type { Agent, ChatMessage, ChatOptions, ChatResult, LlmConfig } from '@x/interfaces'
import { wait, XError, type Steps } from '@x/kernel'
import { toGroupMessage, requireMessages } from '../group/group-messages.ts'
import { withCallsAnswered } from '../group/open-calls.ts'
import { valuesOf } from '../handoff/context-variables.ts'
import { resumption } from '../run/resume.steps.ts'
import type { GroupPattern } from './pattern.ts'
import {
  TOOL_EXECUTOR_NAME,
  PatternManager,
  TEMPORARY_USER_NAME,
  toolCallsOf,
  type PatternRun,
  type StandInAgent,
} from './pattern-run.ts'
import { prepareRun } from './prepare-run.ts'
import { handOut, replyByPattern } from './rounds.steps.ts'
import { STAND_IN_PREFIXES, type RunInnerGroup } from './stand-ins.ts'

/** Options of a group chat by a pattern. */
export interface GroupRunOptions extends Pick<
  ChatOptions,
  'silent' | 'cache' | 'budget' | 'journal' | 'runId' | 'version' | 'steering' | 'summaryArgs'
> {
  /** Most messages of the run, the first one included; default 20. */
  readonly maxRounds?: number | undefined
  /** Rules on messages between agents, tools, models and people, in the file format of AG2. */
  readonly safeguardPolicy?: Readonly<Record<string, unknown>> | undefined
  /** Models that check the rules of the policy in words. */
  readonly safeguardLlmConfig?: LlmConfig | undefined
}

/** The result of a group chat: that of the chat with the manager, and the state of the group. */
export interface GroupChatResult<C extends object = Record<string, unknown>> extends ChatResult {
  /** The context variables at the end. */
  contextVariables: C
  /** Name of the last speaker. */
  lastSpeaker: string
  /** The messages of the group, to go on with. */
  messages: ChatMessage[]
  /** Reason of the end, from `until` or `terminate`; null without one. */
  terminationDetail: string | null
}

/** The messages that begin a group chat: a text, one message, or earlier messages and a new one. */
export type FirstMessages = string | ChatMessage | readonly ChatMessage[]

/** Runs a group chat by a pattern. */
export function* runPattern<C extends object>(
  pattern: GroupPattern<C>,
  first: FirstMessages,
  options: GroupRunOptions,
): Steps<GroupChatResult<C>> {
  const run = createRun(pattern as unknown as GroupPattern<never>, first, options)
  return (yield* runGroup(run, first, options)) as GroupChatResult<C>
}

function createRun(
  pattern: GroupPattern<never>,
  first: FirstMessages,
  { maxRounds = 20, silent, safeguardPolicy, safeguardLlmConfig }: GroupRunOptions,
): PatternRun {
  return prepareRun(pattern, {
    earlier: Array.isArray(first) ? (first as readonly ChatMessage[]) : [],
    maxRounds,
    silent: silent ?? false,
    safeguardPolicy,
    safeguardLlmConfig,
    replyByRun: (run, sender, message) => replyByPattern(run, sender, message, runInner),
    runInner,
  })
}

/** Runs the inner group of a target; the outer group pays for it. */
const runInner: RunInnerGroup = function* (outer, { pattern, messages, maxRounds }, message) {
  const options = { silent: outer.silent, ...(maxRounds !== undefined && { maxRounds }) }
  const first = messages ?? message
  const run = createRun(pattern as GroupPattern<never>, first, options)
  outer.otherModels.add(() => modelsOf([run.manager]))
  const { summary } = yield* runGroup(run, first, options)
  return typeof summary === 'string' ? summary : JSON.stringify(summary)
}

/** Runs a prepared group with its context variables. */
function* runGroup(run: PatternRun, first: FirstMessages, options: GroupRunOptions): Steps<GroupChatResult> {
  const opening = readFirstMessages(run, first)
  forgetEndedChats(run)
  const store = { variables: run.variables, values: valuesOf(run.variables) }
  try {
    return yield* withVariables(run.manager, store, chatWithManager(run, opening, options))
  } finally {
    // The members forget these conversations when they take part in another run.
    for (const agent of [run.manager, ...run.standIns.keys()]) (agent as PatternManager | StandInAgent).isOver = true
  }
}

/** The first messages, and the sender of the last one. */
interface Opening {
  readonly messages: readonly ChatMessage[]
  readonly sender: ConversableAgent
}

/** Restores the earlier messages, and chats with the manager by the last one. */
function* chatWithManager(
  run: PatternRun,
  { messages, sender }: Opening,
  { silent, cache, budget, journal, runId, version, steering, summaryArgs }: GroupRunOptions,
): Steps<GroupChatResult> {
  const { manager, pattern } = run
  const resumes = messages.length > 1
  const chat = {
    silent,
    cache,
    budget,
    journal,
    runId,
    version,
    steering,
    summaryArgs,
    message: messages.at(-1)!,
    clearHistory: !resumes,
    ...(pattern.summaryMethod !== undefined && { summaryMethod: pattern.summaryMethod }),
  }
  return yield* initiateChat(sender, manager, chat, {
    before: resumes ? restoreMessages(run, { messages, sender }) : undefined,
    finish: (result) => wait(groupResult(run, sender, result), 'the result of a group'),
  })
}

function* restoreMessages(run: PatternRun, { messages, sender }: Opening): Steps<void> {
  for (const each of messages.slice(0, -1)) yield* restoreMessage(run, each)
  const lastSpeaker = messages.at(-1)!.name ?? sender.name
  yield* withSilence(run.silent, resumption(run.manager.name, lastSpeaker, [...messages]))
}

/** Returns the result of a group whose chat has ended: the end event of the chat has it. */
function groupResult(
  { group, variables, terminationDetail }: PatternRun,
  sender: Agent,
  result: ChatResult,
): GroupChatResult {
  return {
    ...result,
    contextVariables: variables.toJSON(),
    lastSpeaker: group.messages.at(-1)?.name ?? sender.name,
    messages: [...group.messages],
    terminationDetail,
  }
}

/** Lets the members forget their conversations with managers of ended runs. */
function forgetEndedChats({ group: { settings } }: PatternRun): void {
  for (const agent of settings.agents) {
    for (const { counterpart } of [...internalsOf(agent).conversations.values()]) {
      if (counterpart instanceof PatternManager && counterpart.isOver) forgetConversation(agent, counterpart)
    }
  }
}

/** Sends an earlier message to the members as if it had just been said, and stores it in the group. */
function* restoreMessage(run: PatternRun, message: ChatMessage): Steps<void> {
  const { group, manager, members, userAgent } = run
  const speaker = group.settings.agents.find(({ name }) => name === message.name)
  if (speaker) yield* append(speaker, message, manager, true)
  const others = group.settings.agents.filter((agent) => agent !== speaker)
  // Answers to calls count as the caller's.
  const from = speaker ?? (message.role === 'tool' ? run.lastAgent : null) ?? manager
  yield* handOut(run, message, from.name, others)
  group.messages.push(toGroupMessage(message, message.name ?? manager.name, true))
  if (speaker && speaker !== userAgent && members.has(speaker)) run.lastAgent = speaker
}

/** Reads the first messages of a chat; unknown names are refused. */
function readFirstMessages(run: PatternRun, first: FirstMessages): Opening {
  const list =
    typeof first === 'string' ? [{ content: first }] : requireMessages(Array.isArray(first) ? first : [first])
  const { group, userAgent } = run
  const user = userAgent ?? group.settings.agents.find(({ name }) => name === TEMPORARY_USER_NAME)!
  const [only] = list
  if (!only) throw firstMessagesError('the list is empty; give a text, or earlier messages')
  if (list.length === 1) {
    const sender = only.name === undefined || only.name === null ? user : findSpeaker(run, only.name)
    return { messages: [only], sender }
  }
  const messages = list.map((message): ChatMessage => {
    const isUsers = (message.name ?? null) === null && !toolCallsOf(message).length
    return { ...message, role: message.role ?? 'user', name: message.name ?? (isUsers ? user.name : run.manager.name) }
  })
  for (const { name } of messages.slice(0, -1)) if (!isKnown(run, name!)) findSpeaker(run, name!)
  const { name } = messages.at(-1)!
  return { messages: withCallsAnswered(messages, TOOL_EXECUTOR_NAME), sender: findSpeaker(run, name!) }
}

/** True for one who may have spoken earlier; the stand-in of a target that only an answer named is not made again. */
const isKnown = ({ manager }: PatternRun, name: string): boolean =>
  name === manager.name || name === TOOL_EXECUTOR_NAME || STAND_IN_PREFIXES.some((prefix) => name.startsWith(prefix))

function findSpeaker(run: PatternRun, name: string): ConversableAgent {
  const all: Agent[] = [...run.group.settings.agents, ...run.standIns.keys()]
  const speaker = all.find((agent) => agent.name === name)
  if (speaker instanceof ConversableAgent) return speaker
  throw firstMessagesError(`one is by \`${name}\`, who is not in the group; run the group that it came from`)
}

const firstMessagesError = (problem: string): XError =>
  new XError('invalid-argument', `cannot begin a group chat with these messages: ${problem}`)
