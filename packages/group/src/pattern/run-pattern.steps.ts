import { ConversableAgent } from '@x/agent'
import { forgetConversation, initiateChat, internalsOf, modelsOf, say, sayToAll, withVariables } from '@x/agent/steps'
import type { Agent, ChatMessage, ChatOptions, ChatResult, LlmConfig } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { groupMessage, requireMessages } from '../group/group-messages.ts'
import { valuesOf } from '../handoff/context-variables.ts'
import type { GroupPattern } from './pattern.ts'
import { EXECUTOR, PatternManager, TEMPORARY_USER, callsIn, type PatternRun, type StandInAgent } from './pattern-run.ts'
import { prepareRun } from './prepare-run.ts'
import { replyByPattern } from './rounds.steps.ts'
import type { RunInnerGroup } from './stand-ins.ts'

/** Options of a group chat by a pattern. */
export interface GroupRunOptions extends Pick<
  ChatOptions,
  'silent' | 'cache' | 'budget' | 'journal' | 'runId' | 'version' | 'summaryArgs'
> {
  /** Messages of the run, the first one included; default 20. */
  readonly maxRounds?: number | undefined
  /** Rules on what goes between agents, tools, models and people, as AG2 writes them into a file. */
  readonly safeguardPolicy?: Readonly<Record<string, unknown>> | undefined
  /** Models for the rules of the policy that are in words. */
  readonly safeguardLlmConfig?: LlmConfig | undefined
}

/** The result of a group chat: that of the chat of who began it with the manager, and how the group stands. */
export interface GroupChatResult<C extends object = Record<string, unknown>> extends ChatResult {
  /** The context variables at the end. */
  contextVariables: C
  /** Name of who has said the last message. */
  lastSpeaker: string
  /** The messages of the group, to go on with. */
  messages: ChatMessage[]
  /** Words on why it ended, of `until` or of `terminate`; null without any. */
  terminationDetail: string | null
}

/** Runs a group chat by a pattern. */
export function* runPattern<C extends object>(
  pattern: GroupPattern<C>,
  given: string | ChatMessage | readonly ChatMessage[],
  options: GroupRunOptions,
): Steps<GroupChatResult<C>> {
  const run = runOf(pattern as unknown as GroupPattern<never>, options)
  return (yield* conduct(run, given, options)) as GroupChatResult<C>
}

function runOf(
  pattern: GroupPattern<never>,
  { maxRounds = 20, silent, safeguardPolicy, safeguardLlmConfig }: GroupRunOptions,
): PatternRun {
  return prepareRun(pattern, {
    maxRounds,
    silent: silent ?? false,
    safeguardPolicy,
    safeguardLlmConfig,
    runMessage: (run, sender, message) => replyByPattern(run, sender, message, runInner),
    runInner,
  })
}

/** Runs the group of a target; its cost is part of that of the group around it. */
const runInner: RunInnerGroup = function* (outer, { pattern, messages, maxRounds }, message) {
  const options = { silent: outer.silent, ...(maxRounds !== undefined && { maxRounds }) }
  const run = runOf(pattern as GroupPattern<never>, options)
  outer.otherModels.add(() => modelsOf([run.manager]))
  const { summary } = yield* conduct(run, messages ?? message, options)
  return typeof summary === 'string' ? summary : JSON.stringify(summary)
}

function* conduct(
  run: PatternRun,
  given: string | ChatMessage | readonly ChatMessage[],
  options: GroupRunOptions,
): Steps<GroupChatResult> {
  const { messages, sender } = readMessages(run, given)
  forgetEnded(run)
  const store = { variables: run.variables, values: valuesOf(run.variables) }
  try {
    return yield* withVariables(run.manager, store, chat(run, { messages, sender }, options))
  } finally {
    // Their conversations are kept until the agents take part in another run.
    for (const agent of [run.manager, ...run.standIns.keys()]) (agent as PatternManager | StandInAgent).isOver = true
  }
}

/** The messages to begin with, and who says the last one. */
interface Beginning {
  readonly messages: readonly ChatMessage[]
  readonly sender: ConversableAgent
}

function* chat(
  run: PatternRun,
  { messages, sender }: Beginning,
  { silent, cache, budget, journal, runId, version, summaryArgs }: GroupRunOptions,
): Steps<GroupChatResult> {
  const { manager, group, pattern } = run
  const resumes = messages.length > 1
  const message = messages.at(-1)!
  if (resumes) {
    for (const each of messages.slice(0, -1)) yield* restoreEarlier(run, each)
    const lastSpeaker = message.name ?? sender.name
    yield { type: 'groupChatResume', agent: manager.name, lastSpeaker, messages: [...messages] }
  }
  const result = yield* initiateChat(sender, manager, {
    ...{ silent, cache, budget, journal, runId, version, summaryArgs },
    message,
    clearHistory: !resumes,
    ...(pattern.summaryMethod !== undefined && { summaryMethod: pattern.summaryMethod }),
  })
  return {
    ...result,
    contextVariables: run.variables.toJSON(),
    lastSpeaker: group.messages.at(-1)?.name ?? sender.name,
    messages: [...group.messages],
    terminationDetail: run.detail,
  }
}

/** Takes the conversations with managers of runs that have ended from the members. */
function forgetEnded({ group: { settings } }: PatternRun): void {
  for (const agent of settings.agents) {
    for (const { counterpart } of [...internalsOf(agent).conversations.values()]) {
      if (counterpart instanceof PatternManager && counterpart.isOver) forgetConversation(agent, counterpart)
    }
  }
}

/** Hands a message of before out as if it had been said. */
function* restoreEarlier(run: PatternRun, message: ChatMessage): Steps<void> {
  const { group, manager, members, userAgent } = run
  const speaker = group.settings.agents.find(({ name }) => name === message.name)
  if (speaker) yield* say(speaker, message, manager, true)
  const others = group.settings.agents.filter((agent) => agent !== speaker)
  yield* sayToAll(manager, message, others)
  group.messages.push(groupMessage(message, message.name ?? manager.name))
  if (speaker && speaker !== userAgent && members.has(speaker)) run.lastAgent = speaker
}

/** Reads what a chat begins with; a name that nobody has is refused. */
function readMessages(run: PatternRun, given: string | ChatMessage | readonly ChatMessage[]): Beginning {
  const list =
    typeof given === 'string' ? [{ content: given }] : requireMessages(Array.isArray(given) ? given : [given])
  const { group, userAgent } = run
  const user = userAgent ?? group.settings.agents.find(({ name }) => name === TEMPORARY_USER)!
  const [only] = list
  if (!only) throw refused('there are none; give a text, or messages of before')
  if (list.length === 1) {
    const sender = only.name === undefined || only.name === null ? user : speakerOf(run, only.name)
    return { messages: [only], sender }
  }
  const messages = list.map((message): ChatMessage => {
    const isUsers = message.name === undefined && !callsIn(message).length
    return { ...message, role: message.role ?? 'user', name: message.name ?? (isUsers ? user.name : run.manager.name) }
  })
  for (const { name } of messages.slice(0, -1)) if (!isKnown(run, name!)) speakerOf(run, name!)
  const { name } = messages.at(-1)!
  return { messages, sender: speakerOf(run, name!) }
}

const isKnown = ({ manager, standIns }: PatternRun, name: string): boolean =>
  name === manager.name || name === EXECUTOR || [...standIns.keys()].some((agent) => agent.name === name)

function speakerOf(run: PatternRun, name: string): ConversableAgent {
  const all: Agent[] = [...run.group.settings.agents, ...run.standIns.keys()]
  const found = all.find((agent) => agent.name === name)
  if (found instanceof ConversableAgent) return found
  throw refused(`one is of \`${name}\`, who is not in the group; give the group that it came from`)
}

const refused = (problem: string): XError =>
  new XError('invalid-argument', `a group chat cannot begin with these messages: ${problem}`)
