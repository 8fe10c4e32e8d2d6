import type { ConversableAgent } from '@x/agent'
import { internalsOf, say, sayToAll } from '@x/agent/steps'
import type { ChatMessage } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { groupMessage, readMessagesText, requireMessages } from '../group/group-messages.ts'
import type { GroupState } from '../group/group-state.ts'

/** Options of resuming a group chat. */
export interface ResumeChoice {
  /** Text to take out of the last message, or a function that changes its text; default: it stays as it is. */
  readonly removeTerminationString?: string | ((text: string) => string) | null | undefined
  /** Whether no event tells of it; default false. */
  readonly silent?: boolean | undefined
}

/** The last speaker, and its message: what a resumed chat goes on with. */
export type ResumedChat = [lastSpeaker: ConversableAgent, lastMessage: ChatMessage]

/** Puts messages of an earlier chat in place of the histories of a group; nothing is changed when they are refused. */
export function* resumeGroup(
  state: GroupState,
  manager: ConversableAgent,
  given: string | readonly ChatMessage[],
  { removeTerminationString = null, silent = false }: ResumeChoice,
): Steps<ResumedChat> {
  const messages = namedMessages(state, manager.name, typeof given === 'string' ? readMessagesText(given) : given)
  const { agents } = state.settings
  for (const agent of [...agents, manager]) agent.clearHistory()
  state.messages = []
  for (const message of messages.slice(0, -1)) yield* restoreMessage(state, manager, message)
  const last = messages.at(-1)!
  const speaker = state.group.agentByName(last.name ?? '') ?? manager
  const text = last.content
  const changed = removeTerminationString !== null && typeof text === 'string' && text !== ''
  const message = changed ? { ...last, content: withoutTermination(text, removeTerminationString) } : last
  if (internalsOf(manager).isTerminationMsg(message, speaker)) {
    const text = 'the last message of the resumed chat ends it at once: take the word out by `removeTerminationString`'
    yield { type: 'warning', agent: manager.name, topic: 'group', text }
  }
  if (!silent) {
    const lastSpeaker = last.name ?? manager.name
    yield { type: 'groupChatResume', agent: manager.name, lastSpeaker, messages: [...messages.slice(0, -1), message] }
  }
  state.settings.sendIntroductions = false
  return [speaker, message]
}

/** Hands a message out as if it had been said, and keeps it. */
function* restoreMessage(state: GroupState, manager: ConversableAgent, message: ChatMessage): Steps<void> {
  const { agents } = state.settings
  const speaker = message.role === 'function' ? undefined : agents.find(({ name }) => name === message.name)
  if (speaker) yield* say(speaker, message, manager, true)
  yield* sayToAll(
    manager,
    message,
    agents.filter((agent) => agent !== speaker),
  )
  state.messages.push(groupMessage(message, message.name ?? manager.name))
}

const withoutTermination = (text: string, remove: string | ((text: string) => string)): string =>
  typeof remove === 'function' ? remove(text) : text.replaceAll(remove, '')

/** Copies of the messages with the names of their speakers; a name that nobody has is refused. */
function namedMessages(
  { settings: { adminName }, group }: GroupState,
  manager: string,
  given: readonly ChatMessage[],
): ChatMessage[] {
  const messages = requireMessages(given).map((message) => ({
    ...message,
    role: message.role ?? 'user',
    name: message.name ?? manager,
  }))
  if (messages.length === 0) throw refused('there are none; give at least one')
  const known = new Set([...group.agentNames, adminName, manager])
  for (const [index, { name, role }] of messages.entries()) {
    if (known.has(name) || role === 'function') continue
    throw refused(
      `message ${index} is of \`${name}\`, who is neither a member nor the manager; give the group it came from`,
    )
  }
  return messages
}

const refused = (problem: string): XError =>
  new XError('invalid-argument', `cannot resume a group chat with these messages: ${problem}`)
