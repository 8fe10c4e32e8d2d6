import type { ConversableAgent } from '@x/agent'
import { append, broadcast, internalsOf, withSilence } from '@x/agent/steps'
import type { ChatMessage } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { toGroupMessage, parseMessages, requireMessages } from '../group/group-messages.ts'
import type { GroupState } from '../group/group-state.ts'
import { withCallsAnswered } from '../group/open-calls.ts'

/** Options of `resume`, beside those of a run. */
export interface ResumeChoice {
  /** Text to remove from the last message, or a function that changes its text; default: no change. */
  readonly removeTerminationString?: string | ((text: string) => string) | null | undefined
  /** True if a console does not print the event `groupChatResume`; default false. */
  readonly silent?: boolean | undefined
}

/** The last speaker and its message, with which a resumed chat goes on. */
export type ResumedChat = [lastSpeaker: ConversableAgent, lastMessage: ChatMessage]

/** Replaces the histories of a group by messages of an earlier chat; invalid messages are refused before any change. */
export function* resumeGroup(
  state: GroupState,
  manager: ConversableAgent,
  earlier: string | readonly ChatMessage[],
  { removeTerminationString = null, silent = false }: ResumeChoice,
): Steps<ResumedChat> {
  const given = typeof earlier === 'string' ? parseMessages(earlier) : earlier
  const messages = withCallsAnswered(nameSpeakers(state, manager.name, given), manager.name)
  const { agents } = state.settings
  for (const agent of [...agents, manager]) agent.clearHistory()
  state.messages = []
  for (const message of messages.slice(0, -1)) yield* restoreMessage(state, manager, message)
  const last = messages.at(-1)!
  const speaker = state.group.agentByName(last.name ?? '') ?? manager
  const text = last.content
  const isChanged = removeTerminationString !== null && typeof text === 'string' && text !== ''
  const message = isChanged ? { ...last, content: removeTermination(text, removeTerminationString) } : last
  if (internalsOf(manager).isTerminationMsg(message, speaker)) {
    const text =
      'the last message of the resumed chat ends it at once: remove the termination word by `removeTerminationString`'
    yield { type: 'warning', agent: manager.name, topic: 'group', text }
  }
  const lastSpeaker = last.name ?? manager.name
  yield* withSilence(silent, resumption(manager.name, lastSpeaker, [...messages.slice(0, -1), message]))
  state.settings.sendIntroductions = false
  return [speaker, message]
}

/** Sends the event that a group goes on from earlier messages. */
export function* resumption(manager: string, lastSpeaker: string, messages: readonly ChatMessage[]): Steps<void> {
  yield { type: 'groupChatResume', agent: manager, lastSpeaker, messages }
}

/** Sends an earlier message to the members as if it had just been said, and stores it in the group. */
function* restoreMessage(state: GroupState, manager: ConversableAgent, message: ChatMessage): Steps<void> {
  const { agents } = state.settings
  const speaker = message.role === 'function' ? undefined : agents.find(({ name }) => name === message.name)
  if (speaker) yield* append(speaker, message, manager, true)
  yield* broadcast(
    manager,
    message,
    agents.filter((agent) => agent !== speaker),
  )
  state.messages.push(toGroupMessage(message, message.name ?? manager.name))
}

const removeTermination = (text: string, remove: string | ((text: string) => string)): string =>
  typeof remove === 'function' ? remove(text) : text.replaceAll(remove, '')

/** Copies the messages with the names of their speakers; unknown names are refused. */
function nameSpeakers(
  { settings: { adminName }, group }: GroupState,
  manager: string,
  earlier: readonly ChatMessage[],
): ChatMessage[] {
  const messages = requireMessages(earlier).map((message) => ({
    ...message,
    role: message.role ?? 'user',
    name: message.name ?? manager,
  }))
  if (messages.length === 0) throw resumeError('the list is empty; give at least one message')
  const known = new Set([...group.agentNames, adminName, manager])
  for (const [index, { name, role, content, tool_calls: calls, function_call: call }] of messages.entries()) {
    if ((content ?? calls ?? call ?? null) === null) {
      throw resumeError(`message ${index} has neither \`content\` nor calls; give it one of them, or leave it out`)
    }
    if (known.has(name) || role === 'function') continue
    throw resumeError(
      `message ${index} is by \`${name}\`, who is neither a member nor the manager; resume the group that it came from`,
    )
  }
  return messages
}

const resumeError = (problem: string): XError =>
  new XError('invalid-argument', `cannot resume a group chat with these messages: ${problem}`)
