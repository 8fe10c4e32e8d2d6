import type { Agent, ChatMessage, HistoryView } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { storedMessage, textOfResult } from '../data/message.ts'
import {
  type Conversation,
  EMPTY_LIST,
  newConversation,
  openContext,
  openConversation,
  type State,
} from '../memory/state.ts'
import {
  AGENT_VERSION,
  type AgentState,
  MAX_CONSECUTIVE_AUTO_REPLY,
  type SavedConversation,
  type SavedSettings,
} from '../options/operations.ts'
import { plainContext, plainJson, restoreContext } from '../data/plain-json.ts'
import { checksumOf } from './sealed-entries.ts'
import { brokenAt, checkedState } from './saved-shapes.ts'

/** The counters, variables and usage of an agent, without its prompt and limits. */
export type SavedProgress = Omit<SavedSettings, 'systemMessage' | 'maxConsecutiveAutoReply'>

/** Saves the state of an agent, as plain JSON of its own, with a checksum. */
export function savedAgent(state: State): AgentState {
  const saved = agentStateOf(state)
  return { ...saved, checksum: checksumOf(saved) }
}

/** Returns the state of an agent as plain JSON. */
export function agentStateOf(state: State): AgentState {
  const conversations = [...state.conversations.values()].map((each) => savedConversation(each, state.history))
  const waiting = [...(state.unbound ?? [])].map(([name, each]) => ({
    ...savedConversation(each, state.history),
    with: name,
  }))
  return {
    version: AGENT_VERSION,
    kind: 'agent',
    ...savedSettings(state),
    conversations: [...conversations, ...waiting],
    ...(state.managerRole && { managed: plainJson(state.managerRole.save(), `what \`${state.name}\` manages`) }),
  }
}

/** Puts saved state in place of what an agent keeps; a conversation waits for an agent of its counterpart's name. */
export function loadAgent(state: State, saved: unknown, agents: Iterable<Agent>): void {
  const checked = checkedState(saved, 'agent') as AgentState
  const { checksum } = checked
  if (checksum !== undefined && checksum !== checksumOf(checked)) {
    throw new XError(
      'invalid-state',
      `the saved state of \`${checked.name}\` is not as it was saved: its \`checksum\` differs; restore it from a copy, or leave \`checksum\` out if you have changed it`,
      { details: { path: ['checksum'] } },
    )
  }
  if (checked.name !== state.name) {
    throw new XError('invalid-state', `the saved state is of \`${checked.name}\` and was given to \`${state.name}\``)
  }
  // Nothing is changed before everything was read.
  for (const [index, each] of checked.conversations.entries()) {
    storedMessages(each, (at, message) => {
      throw brokenAt('the saved state of an agent', ['conversations', index, 'messages', at], message)
    })
  }
  if (checked.managed !== undefined) loadManaged(state, checked.managed)
  loadSettings(state, checked)
  for (const agent of loadConversations(state, checked, agents)) openConversation(state, agent)
}

/** Lets an agent go on from sealed state; its prompt and limits are those of the program now. */
export function restoreAgent(state: State, saved: AgentState): void {
  if (saved.managed !== undefined) loadManaged(state, saved.managed)
  loadProgress(state, saved)
  const { maxConsecutiveAutoReply: maxAutoReplies } = state
  const conversations = saved.conversations.map((each) => ({ ...each, maxAutoReplies }))
  loadConversations(state, { ...saved, conversations }, [])
}

/** Puts saved conversations in place of those of an agent; returns those of `agents` that have one. */
function loadConversations(state: State, saved: AgentState, agents: Iterable<Agent>): readonly Agent[] {
  state.conversations.clear()
  const unbound = new Map(
    saved.conversations.map((each) => {
      const conversation = newConversation({ maxConsecutiveAutoReply: each.maxAutoReplies })
      loadConversation(conversation, each)
      return [each.with, conversation]
    }),
  )
  state.unbound = unbound
  if (unbound.has(null)) openConversation(state, null)
  return [...agents].filter(({ name }) => unbound.has(name))
}

/** Puts back what a manager keeps beside its conversations; an agent without a role as a manager leaves it out. */
function loadManaged({ managerRole }: State, managed: unknown): void {
  try {
    managerRole?.load(managed)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw brokenAt('the saved state of an agent', ['managed'], message)
  }
}

/** Saves the settings and counters of an agent. */
function savedSettings(state: State): SavedSettings {
  const { systemMessage, maxConsecutiveAutoReply } = state
  return { ...savedProgress(state), systemMessage: textOfResult(systemMessage.content), maxConsecutiveAutoReply }
}

/** Saves the counters, variables and usage of an agent. */
export function savedProgress({ name, context, humanInput, model }: State): SavedProgress {
  return {
    name,
    contextVariables: plainContext(context),
    humanInput: [...humanInput],
    usage: { actual: model?.actualUsageSummary ?? null, total: model?.totalUsageSummary ?? null },
  }
}

/** Puts saved settings in place of an agent's own. */
function loadSettings(state: State, saved: SavedSettings): void {
  state.systemMessage = Object.freeze({ content: saved.systemMessage, role: 'system' })
  state.maxConsecutiveAutoReply = saved.maxConsecutiveAutoReply
  state.limitsAutoReplies ||= saved.maxConsecutiveAutoReply !== MAX_CONSECUTIVE_AUTO_REPLY
  loadProgress(state, saved)
}

/** Puts what an agent had come to in place; its prompt and limits are those of the program that goes on. */
export function loadProgress(state: State, saved: SavedProgress): void {
  restoreContext(openContext(state), saved.contextVariables)
  state.humanInput = [...saved.humanInput]
  state.model?.clearUsageSummary()
  state.model?.restoreUsage?.(saved.usage)
}

/** One conversation, as plain JSON. */
export function savedConversation(conversation: Conversation, view?: HistoryView): SavedConversation {
  const { counterpart, messages, autoReplies, maxAutoReplies, replyAtReceive, begun, humanInput, ended } = conversation
  const name = counterpart?.name ?? null
  const history = conversation.savedHistory ?? view?.save(conversation)
  const what = `the conversation with \`${name ?? 'nobody'}\``
  return {
    with: name,
    messages: plainJson(messages, what) as ChatMessage[],
    autoReplies,
    maxAutoReplies,
    replyAtReceive,
    begun,
    humanInput: [...humanInput],
    ended,
    ...(history !== undefined && { history: plainJson(history, what) }),
  }
}

/** The messages of a saved conversation, as a history keeps them. */
function storedMessages(
  { messages }: SavedConversation,
  refuse?: (index: number, message: string) => never,
): ChatMessage[] {
  return messages.map((each, index) => {
    try {
      return storedMessage(each, each.role!, each.name ?? '')
    } catch (error) {
      if (refuse && isXError(error)) return refuse(index, error.message)
      throw error
    }
  })
}

/** Puts a saved conversation in place of one, behind messages `before` it; its limit is that of the program that goes on. */
export function loadConversation(
  conversation: Conversation,
  saved: SavedConversation,
  before: readonly ChatMessage[] = EMPTY_LIST,
): void {
  const { autoReplies, replyAtReceive, begun, humanInput, ended } = saved
  // Nobody changes a frozen list, so that it needs no copy.
  const isWhole = saved.messages.length === 0 && Object.isFrozen(before)
  const messages = isWhole ? (before as ChatMessage[]) : before.concat(storedMessages(saved))
  Object.assign(conversation, {
    autoReplies,
    replyAtReceive,
    begun,
    humanInput: Object.freeze([...humanInput]),
    ended,
    messages,
  })
  if (saved.history !== undefined) conversation.savedHistory = saved.history
}
