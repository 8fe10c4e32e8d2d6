import type { ConversableAgent } from '@x/agent'
import {
  append,
  broadcast,
  endConversation,
  generateReply,
  internalsOf,
  leadMembers,
  withSilence,
} from '@x/agent/steps'
import type { Agent, ChatMessage, Reply, ReplyOutcome, SpeakerReason, TerminationReason } from '@x/interfaces'
import { isXError, XError, type Steps } from '@x/kernel'
import type { Group } from '../group/group.ts'
import { toGroupMessage } from '../group/group-messages.ts'
import { warningOnce, type GroupState } from '../group/group-state.ts'
import { emptyDescriptionWarnings, introductionsText } from '../group/templates.ts'
import { selectSpeaker } from '../speaker/select-speaker.steps.ts'
import { clearHistories } from './clear-histories.ts'

/** A run of a group: its manager, the agent that begins it, and the first message. */
interface GroupRun {
  readonly manager: ConversableAgent
  readonly sender: Agent
  readonly message: ChatMessage
  /** True if a console prints neither the messages of the members nor the choice of speakers. */
  readonly silent: boolean
  /** Receives each speaker, before anybody answers. */
  readonly onSpeaker: (speaker: Agent) => void
}

/** The request that begins a run of a group. */
export interface RunRequest extends Pick<GroupRun, 'silent' | 'onSpeaker'> {
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
}

/** Runs a group from the last message of a sender on; the manager replies nothing, except inside another group. */
export function* replyByRun(
  state: GroupState,
  manager: ConversableAgent,
  { messages, sender = null, silent, onSpeaker }: RunRequest,
): Steps<ReplyOutcome> {
  const conversation = messages ?? internalsOf(manager).conversations.get(sender)?.messages
  const message = conversation?.at(-1)
  if (!sender || !message) {
    throw new XError(
      'invalid-argument',
      `cannot run the group of \`${manager.name}\`: ${sender ? `there is no message of \`${sender.name}\`` : 'there is no `sender`'}; give \`messages\` and the \`sender\` of the last one`,
    )
  }
  yield* runGroup(state, { manager, sender, message, silent, onSpeaker })
  // As a member of an outer group, the manager replies with the last message of its own group.
  const { groupchat: outer } = sender as { readonly groupchat?: Group }
  const lastText = outer?.agents.includes(manager) ? state.messages.at(-1)?.content : null
  return [true, typeof lastText === 'string' ? lastText : null]
}

/** Runs a group, once at a time, and ends the conversation with the reason. */
function* runGroup(state: GroupState, run: GroupRun): Steps<void> {
  if (state.running) {
    throw new XError(
      'conversation-busy',
      `cannot start the group of \`${run.manager.name}\` while it is running: its members would read both runs; wait for the end of the other run, or make a group for each`,
      { details: { agents: [run.manager.name] } },
    )
  }
  state.running = true
  try {
    yield* leadMembers(run.manager, runToEnd(state, run))
  } finally {
    state.running = false
  }
}

function* runToEnd(state: GroupState, run: GroupRun): Steps<void> {
  const { manager, sender } = run
  const reason = yield* runRounds(state, run)
  if (reason) yield* endConversation(manager, sender, reason)
}

/** The rounds of a run: sends each message to all members, chooses who speaks next, and goes on with the reply. */
function* runRounds(state: GroupState, run: GroupRun): Steps<TerminationReason | null> {
  const { manager } = run
  const { isTerminationMsg } = internalsOf(manager)
  const { settings } = state
  const { agents } = settings
  state.isIntroduced = yield* introduceMembers(state, manager)
  let speaker = run.sender
  let spoken = run.message
  for (let round = 1; round <= settings.maxRound; round++) {
    run.onSpeaker(speaker)
    const message = toGroupMessage(spoken, speaker.name)
    state.messages.push(message)
    yield* broadcast(
      manager,
      message,
      agents.filter((agent) => agent !== speaker),
    )
    if (isTerminationMsg(message, speaker)) return 'termination-message'
    if (round === settings.maxRound) break
    const next = yield* nextReply(state, run, { speaker, round })
    if (!next) return 'no-next-speaker'
    speaker = next.agent
    if (next.reply === null) return internalsOf(speaker).conversations.get(manager)?.ended ?? null
    const reply = yield* applyClearCommand(state, manager, next.reply)
    spoken = yield* append(speaker, reply, manager, run.silent)
  }
  return 'max-rounds'
}

/** Introduces the members to each other in an empty group; returns false if they are not introduced. */
function* introduceMembers(state: GroupState, manager: ConversableAgent): Steps<boolean> {
  const { agents, sendIntroductions } = state.settings
  if (!sendIntroductions || state.messages.length > 0) return false
  for (const text of emptyDescriptionWarnings(agents)) {
    const event = warningOnce(state, manager.name, text)
    if (event) yield event
  }
  const content = introductionsText(agents)
  yield* broadcast(manager, { content, role: 'user', name: manager.name }, agents)
  return true
}

/** The last speaker, and the number of its message. */
interface Turn {
  readonly speaker: Agent
  readonly round: number
}

/** The next speaker and its reply; null when it has none. */
interface NextReply {
  readonly agent: ConversableAgent
  readonly reply: Reply | null
}

/**
 * Chooses the next speaker and asks for its reply; null when no member may speak. When a person interrupts the choice or
 * the reply, the administrator replies instead.
 */
function* nextReply(state: GroupState, run: GroupRun, { speaker, round }: Turn): Steps<NextReply | null> {
  const { manager } = run
  try {
    const next = yield* selectSpeaker(state, speaker, manager)
    if (!next) return null
    const { agent, reason } = next
    yield* withSilence(run.silent, announcement(agent.name, reason, round + 1))
    return { agent, reply: yield* generateReply(agent, { sender: manager }) }
  } catch (error) {
    const admin = isXError(error, 'aborted') ? state.group.agentByName(state.settings.adminName) : null
    if (!admin) throw error
    return { agent: admin, reply: yield* generateReply(admin, { sender: manager }) }
  }
}

/** Sends the event that a member is about to speak. */
export function* announcement(speaker: string, reason: SpeakerReason, round: number): Steps<void> {
  yield { type: 'groupChatRunChat', agent: speaker, speaker, round, reason }
}

/** Executes a command to clear histories in a reply, and returns the reply without the command. */
function* applyClearCommand(state: GroupState, manager: ConversableAgent, reply: Reply): Steps<Reply> {
  // Most answers of models are plain texts, which hold no command.
  if (!state.settings.enableClearHistory || typeof reply === 'string') return reply
  if (typeof reply.content !== 'string') return reply
  const { text, events } = clearHistories(state, reply, manager.name)
  if (events.length === 0) return reply
  yield* events
  return { ...reply, content: text }
}
