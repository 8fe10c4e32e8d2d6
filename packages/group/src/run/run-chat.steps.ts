import type { ConversableAgent } from '@x/agent'
import { endConversation, generateReply, internalsOf, leadMembers, say, sayToAll } from '@x/agent/steps'
import type { Agent, ChatMessage, Reply, ReplyOutcome, TerminationReason } from '@x/interfaces'
import { XError, isXError, type Steps } from '@x/kernel'
import type { Group } from '../group/group.ts'
import { groupMessage } from '../group/group-messages.ts'
import { warningOf, type GroupState } from '../group/group-state.ts'
import { emptyDescriptions, introductionsText } from '../group/templates.ts'
import { selectSpeaker, type ChosenSpeaker } from '../speaker/select-speaker.steps.ts'
import { clearHistories } from './clear-histories.ts'

/** A run of a group: who leads it, who has begun it, and with which message. */
interface GroupRun {
  readonly manager: ConversableAgent
  readonly sender: Agent
  readonly message: ChatMessage
  /** Whether the members' messages and who is next are not shown. */
  readonly silent: boolean
  /** Hears who has spoken, before anybody answers. */
  readonly onSpeaker: (speaker: Agent) => void
}

/** The request that begins a run of a group. */
export interface RunRequest extends Pick<GroupRun, 'silent' | 'onSpeaker'> {
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
}

/** Runs a group from the last message of a sender on; the manager answers nothing, unless another group asks it. */
export function* replyByRun(
  state: GroupState,
  manager: ConversableAgent,
  { messages, sender = null, silent, onSpeaker }: RunRequest,
): Steps<ReplyOutcome> {
  const given = messages ?? internalsOf(manager).conversations.get(sender)?.messages
  const message = given?.at(-1)
  if (!sender || !message) {
    throw new XError(
      'invalid-argument',
      `the group of \`${manager.name}\` cannot be run: ${sender ? `there is no message of \`${sender.name}\`` : 'there is no `sender`'}; give \`messages\` and the \`sender\` who said the last one`,
    )
  }
  yield* runGroup(state, { manager, sender, message, silent, onSpeaker })
  // As a member of another group it says what was said last in its own.
  const { groupchat: outer } = sender as { readonly groupchat?: Group }
  const said = outer?.agents.includes(manager) ? state.messages.at(-1)?.content : null
  return [true, typeof said === 'string' ? said : null]
}

/** Runs a group: hands each message to all members, chooses who speaks next, and goes on with what is said. */
function* runGroup(state: GroupState, run: GroupRun): Steps<void> {
  if (state.running) {
    throw new XError(
      'conversation-busy',
      `the group of \`${run.manager.name}\` cannot be started while it is running: its members would read both runs; wait for the end of the other, or make a group for each`,
      { details: { agents: [run.manager.name] } },
    )
  }
  state.running = true
  try {
    yield* leadMembers(run.manager, rounds(state, run))
  } finally {
    state.running = false
  }
}

function* rounds(state: GroupState, run: GroupRun): Steps<void> {
  const { manager, sender } = run
  const reason = yield* talk(state, run)
  if (reason) yield* endConversation(manager, sender, reason)
}

/** Carries the messages; gives why the talk ended. */
function* talk(state: GroupState, run: GroupRun): Steps<TerminationReason | null> {
  const { manager } = run
  const { isTerminationMsg } = internalsOf(manager)
  const { settings } = state
  const { agents } = settings
  yield* introduce(state, manager)
  let speaker = run.sender
  let said = run.message
  for (let round = 1; round <= settings.maxRound; round++) {
    run.onSpeaker(speaker)
    const message = groupMessage(said, speaker.name)
    state.messages.push(message)
    yield* sayToAll(
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
    const reply = yield* obeyed(state, manager, next.reply)
    said = yield* say(speaker, reply, manager, run.silent)
  }
  return 'max-rounds'
}

/** Tells the members of each other, before anything is said. */
function* introduce(state: GroupState, manager: ConversableAgent): Steps<void> {
  const { agents, sendIntroductions } = state.settings
  if (!sendIntroductions || state.messages.length > 0) return
  for (const text of emptyDescriptions(agents)) {
    const event = warningOf(state, manager.name, text)
    if (event) yield event
  }
  const content = introductionsText(agents)
  yield* sayToAll(manager, { content, role: 'user', name: manager.name }, agents)
}

/** The last speaker, and the number of its message. */
interface Turn {
  readonly speaker: Agent
  readonly round: number
}

/** What the next speaker says; null when nobody may speak. */
interface NextReply {
  readonly agent: ConversableAgent
  readonly reply: Reply | null
}

/** The reply of the next speaker. When a person interrupts the choice or the reply, the administrator replies instead. */
function* nextReply(state: GroupState, run: GroupRun, { speaker, round }: Turn): Steps<NextReply | null> {
  const { manager } = run
  try {
    const chosen = yield* selectSpeaker(state, speaker, manager)
    if (!chosen) return null
    if (!run.silent) yield runChatEvent(chosen, round + 1)
    return { agent: chosen.agent, reply: yield* generateReply(chosen.agent, { sender: manager }) }
  } catch (error) {
    const admin = isXError(error, 'aborted') ? state.group.agentByName(state.settings.adminName) : null
    if (!admin) throw error
    return { agent: admin, reply: yield* generateReply(admin, { sender: manager }) }
  }
}

const runChatEvent = ({ agent: { name }, reason }: ChosenSpeaker, round: number) =>
  ({ type: 'groupChatRunChat', agent: name, speaker: name, round, reason }) as const

/** A reply without the command to clear histories in it, which is obeyed. */
function* obeyed(state: GroupState, manager: ConversableAgent, reply: Reply): Steps<Reply> {
  // A plain text is no command: most answers of models are one.
  if (!state.settings.enableClearHistory || typeof reply === 'string') return reply
  if (typeof reply.content !== 'string') return reply
  const { text, events } = clearHistories(state, reply, manager.name)
  if (events.length === 0) return reply
  yield* events
  return { ...reply, content: text }
}
