import type { CallInput, Carryover, ChatMessage, ChatOptions, ContentPart, Reply, Run } from '@x/interfaces'
import { currentRun, type Steps, XError } from '@x/kernel'
import { failRun } from '@x/kernel/run'
import { textOfResult } from '../data/message.ts'
import { plainJson, sameJson } from '../data/plain-json.ts'
import { enterRun } from '../durability/checkpoint.ts'
import { type LeftMessages, leftMessages, noteEnd, splitMessages } from '../durability/left-messages.ts'
import {
  loadConversation,
  loadProgress,
  savedConversation,
  type SavedProgress,
  savedProgress,
} from '../durability/saved-agent.ts'
import { CHAT_BEGINNING_SHAPE, REPLY_SHAPE } from '../durability/saved-shapes.ts'
import { humanInput } from '../human/ask-human.steps.ts'
import {
  addChat,
  type Conversation,
  type EarlierMessages,
  EMPTY_LIST,
  removeChat,
  type Side,
  type State,
  stateOf,
} from '../memory/state.ts'
import { membersOf } from '../memory/usage.ts'
import type { SavedConversation } from '../options/operations.ts'
import { asyncReplies } from '../reply/reply-list.ts'
import { canAnswer } from '../reply/reply.steps.ts'
import { type CallUnderWay, externalCall, keepAnswer, openCall } from '../run/external-call.steps.ts'
import { addParticipant, type Participants, type ScopeJournal } from '../run/recorder.ts'
import { scopeIn } from '../run/scope.ts'
import { checkReflection } from './chat-options.ts'
import { noModel, openingOf, summaryMethodOf } from './end.steps.ts'
import { memberConversations, occupy } from './members.ts'
import type { OpenChat } from './open.steps.ts'

/** Choice between the conversations of the agents and conversations of the chat's own. */
export interface ConversationChoice {
  /** Keeps the messages apart from the agents' conversations if a chat uses those already; default false. */
  readonly apartIfBusy?: boolean | undefined
  /** The decision, if the caller has made it: true keeps the messages apart. */
  readonly isApart?: boolean | undefined
  /** Messages that a chat whose messages are kept apart begins with. */
  readonly earlier?: EarlierMessages | undefined
  /** True if the agents serve others at the same time: what they keep is neither saved nor restored. */
  readonly isStateless?: boolean | undefined
}

/**
 * Begins a chat: refuses options that cannot work, decides where the messages are kept, saves the state of both sides in
 * the journal or restores it from there, and clears histories. Returns a function that releases the conversations.
 */
export function* beginChat(chat: OpenChat, options: ChatOptions, choice: ConversationChoice): Steps<() => void> {
  const { self } = chat
  const sides = [self, self.peer]
  checkSummary(self, options)
  const { face } = yield* currentRun()
  if (face === 'sync') refuseAsync(sides.map(({ state }) => state))
  chat.cache = options.cache ?? null
  const isApart = choice.isApart ?? mustKeepApart(chat, options, choice.apartIfBusy)
  const { journal } = chat.scope
  if (journal && !choice.isStateless) enterRun(journal, [self.state, self.peer.state])
  // Most agents manage nobody.
  const members = sides.some(({ state }) => state.managerRole) ? memberConversations(chat, isApart) : []
  refuseMute(chat)
  if (isApart) chat.keepApart(choice.earlier)
  const conversations = sides.map(({ conversation }) => conversation)
  yield* keepBeginning(chat, options, choice)

  const { clearHistory = true, maxTurns = null } = options
  const prepare = (conversation: Conversation): void => {
    prepareConversation(conversation, clearHistory, maxTurns === null)
  }
  if (clearHistory && !isApart) for (const { state } of sides) clearAgent(state)
  const release = members.length > 0 ? occupy(members, chat) : undefined
  for (const { state, conversation } of sides) {
    addChat(conversation, chat)
    prepare(conversation)
    // Turns that a run was given are not cut by the default of its agents.
    if (choice.isStateless && !state.limitsAutoReplies) {
      conversation.maxAutoReplies = Math.max(conversation.maxAutoReplies, maxTurns ?? 0)
    }
  }
  for (const { ofMember, ofManager } of members) {
    prepare(ofMember)
    if (clearHistory) ofManager.messages = []
  }
  chat.opening = openingOf(chat, options)
  return () => {
    for (const conversation of conversations) {
      removeChat(conversation, chat)
      if (journal?.recorder.recalls && !isApart) noteEnd(journal.participants, conversation, chat.scope.places.place)
    }
    release?.()
  }
}

/** Tells whether a chat has to keep its messages apart; a second chat in the same conversations is refused. */
export function mustKeepApart(
  { self }: OpenChat,
  { conversation, clearHistory = true, summaryMethod }: ChatOptions,
  apartIfBusy = false,
): boolean {
  if (conversation === 'own') return true
  if (!self.conversation.chats && !self.peer.conversation.chats) return false
  // A function for the summary may read the histories of the agents.
  if (apartIfBusy && clearHistory && typeof summaryMethod !== 'function') return true
  const [one, other] = [self.state.name, self.peer.state.name]
  throw new XError(
    'conversation-busy',
    `a chat of \`${one}\` with \`${other}\` was started while another of the two is under way, and they would read each other's messages: give it \`{ conversation: 'own' }\`, which keeps its messages in its result only, or wait for the end of the other`,
    { details: { agents: [one, other] } },
  )
}

/** Refuses a `summaryMethod` that cannot work, and `summaryArgs` that it would not read, before anything is sent. */
export function checkSummary(
  { state, peer }: Side,
  { summaryMethod, summaryArgs }: Pick<ChatOptions, 'summaryMethod' | 'summaryArgs'>,
): void {
  const method = summaryMethodOf({ summaryMethod })
  if (method === null || typeof method === 'function' || method === 'last_msg') return
  if (method !== 'reflection_with_llm') {
    throw new XError(
      'invalid-argument',
      `\`summaryMethod\` is \`${String(method)}\`: give 'last_msg', 'reflection_with_llm', a function, or null`,
    )
  }
  checkReflection(summaryArgs)
  if (!state.model && !peer.state.model) throw noModel(state, peer.state)
}

/** Refuses a chat with an agent that can say nothing: its `llmConfig` was forgotten. */
function refuseMute({ self, watch }: OpenChat): void {
  const state = watch ? stateOf(watch.agent) : self.peer.state
  if (canAnswer(state, { calls: !watch })) return
  throw new XError(
    'invalid-argument',
    `\`${state.name}\` cannot answer: it has no model and no reply of its own; give it an \`llmConfig\`, a \`defaultAutoReply\` or a reply function`,
    { details: { agent: state.name } },
  )
}

function refuseAsync(states: readonly State[]): void {
  for (const { agent, replies } of [...states, ...membersOf(states)]) {
    const names = asyncReplies(replies)
    if (names.length === 0) continue
    throw new XError(
      'async-in-sync',
      `\`${agent.name}\` has async reply functions (${names.join(', ')}) and the chat is blocking: use \`initiateChat\`, or register them with \`ignoreAsyncInSyncChat\``,
      { details: { agent: agent.name, replyFunctions: names } },
    )
  }
}

function prepareConversation(conversation: Conversation, clearHistory: boolean, replyAtReceive: boolean): void {
  conversation.autoReplies = 0
  conversation.replyAtReceive = replyAtReceive
  conversation.begun = true
  conversation.ended = null
  if (!clearHistory) return
  conversation.messages = []
  conversation.humanInput = EMPTY_LIST
}

/** Clears the state that an agent keeps beside its conversations. */
function clearAgent(state: State): void {
  state.humanInput = EMPTY_LIST
  state.managerRole?.clear()
}

/** The state of two agents at the beginning of their chat, as a journal stores it. */
interface ChatBeginning {
  /** The options that determine the course of the chat; limits and prompts may change before it is resumed. */
  readonly options: unknown
  readonly names: readonly string[]
  readonly agents: readonly SavedProgress[]
  readonly conversations: readonly ConversationAtBeginning[]
}

/** A conversation when a chat begins: without the messages that the run has at that moment, whose number alone is kept. */
interface ConversationAtBeginning extends SavedConversation {
  /** Messages before the others that an earlier chat of the run has left. */
  readonly after?: LeftMessages
  /** Number of messages that the program has given the chat, as it gives them to the same chat again. */
  readonly given?: number
}

/** Saves the state of both sides in the journal when a chat begins, or restores the state that a journal has. */
function* keepBeginning(
  chat: OpenChat,
  options: ChatOptions,
  { isStateless, earlier }: ConversationChoice,
): Steps<void> {
  const { self } = chat
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const { journal } = scope
  if (!journal) {
    scope.places.take()
    return
  }
  const sides = [self, self.peer]
  const names = sides.map(({ state }) => state.name)
  const call = { kind: 'begin', label: `a chat of \`${names.join('` with `')}\``, shape: CHAT_BEGINNING_SHAPE } as const
  const open = openCall(scope, run, call)
  open.end()
  const known = open.known?.value as ChatBeginning | undefined
  const current = { options: courseOf(options), names }
  const plainOptions = known && plainJson(current.options, 'the options of a chat')
  if (known && !sameJson(known.names, names)) {
    const [saved, given] = [known.names, names].map((each) => `a chat of ${each.join(' with ')}`)
    failRun(run, otherBeginning(open.place, saved, given))
  }
  if (known && !sameJson(known.options, plainOptions)) {
    failRun(run, otherBeginning(open.place, known.options, plainOptions))
  }
  noteVariables(
    open,
    sides.map(({ state }) => state),
  )
  const { participants, recorder } = journal
  if (known) {
    // The journal puts the messages that it has in their place.
    if (earlier) open.noteInput?.({ messages: earlier.ofPeer })
    restore(sides, known, ({ conversation }, saved) => {
      const missing = missingMessages(open.place, participants, conversation, saved)
      return missing instanceof XError ? failRun(run, missing) : missing
    })
  }
  const newSides = sides.filter(({ state }) => registerParticipant(run, journal, state))
  if (known) return
  const isGiven = recorder.recalls && earlier !== undefined && !chat.hasJournal
  const begun = sides.map(({ conversation, state }) => {
    if (options.clearHistory !== false) return { ...conversation, messages: [], savedHistory: undefined }
    const savedHistory = conversation.savedHistory ?? state.history?.save(conversation)
    if (isGiven) return { ...conversation, messages: [], savedHistory, given: conversation.messages.length }
    if (recorder.recalls) return { ...conversation, ...splitMessages(participants, conversation), savedHistory }
    return { ...conversation, messages: [...conversation.messages], savedHistory }
  })
  const agents = isStateless ? [] : newSides.map(({ state }) => savedProgress(state))
  yield* keepAnswer(open, beginningWith({ ...current, agents }, begun))
}

/** A conversation as a chat begins with it, and what of it comes from elsewhere. */
type BegunConversation = Conversation & Partial<Pick<ConversationAtBeginning, 'after' | 'given'>>

/** Adds conversations, which are written down when the journal is: for most runs never, and once where it is read twice. */
function beginningWith(
  beginning: Omit<ChatBeginning, 'conversations'>,
  begun: readonly BegunConversation[],
): ChatBeginning {
  let conversations: ChatBeginning['conversations'] | undefined
  const saved = (each: BegunConversation): ConversationAtBeginning => {
    const { after, given } = each
    return { ...savedConversation(each), ...(after && { after }), ...(given !== undefined && { given }) }
  }
  return {
    ...beginning,
    get conversations() {
      return (conversations ??= begun.map(saved))
    },
  }
}

/** Tells the context variables that agents of a program begin with: a journal puts those that it has in their place. */
export function noteVariables(open: CallUnderWay, states: readonly State[]): void {
  if (!open.noteInput) return
  const all = states.flatMap(({ name, context }) =>
    context?.size ? [[name, Object.fromEntries(context)] as const] : [],
  )
  if (all.length > 0) open.noteInput({ contextVariables: Object.fromEntries(all) })
}

/** Restores the state that both sides had when the chat began. */
function restore(
  sides: readonly Side[],
  { agents, conversations }: ChatBeginning,
  missing: (side: Side, saved: ConversationAtBeginning) => readonly ChatMessage[],
): void {
  for (const [index, side] of sides.entries()) {
    const { state, conversation } = side
    const settings = agents.find(({ name }) => name === state.name)
    if (settings) loadProgress(state, settings)
    const saved = conversations[index]!
    loadConversation(conversation, saved, missing(side, saved))
  }
}

/** Returns the messages of which a beginning has only the number, or an error if the program has others. */
function missingMessages(
  place: string,
  participants: Participants,
  conversation: Conversation,
  { after, given }: ConversationAtBeginning,
): readonly ChatMessage[] | XError {
  if (given !== undefined) {
    const { messages } = conversation
    if (given === messages.length) return messages
    return otherBeginning(place, `${given} messages before the first one`, `${messages.length}`)
  }
  if (!after) return []
  const left = leftMessages(participants, conversation, after)
  return left ?? otherBeginning(place, `${after.count} messages of the chat at \`${after.place}\``, 'fewer of them')
}

/** Makes the error for a chat that begins with something else than a journal has. */
function otherBeginning(place: string, saved: unknown, given: unknown): XError {
  const [savedText, givenText] = [saved, given].map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  )
  return new XError(
    'invalid-state',
    `the chat does not go on as it was saved: at \`${place}\` the journal has ${savedText}, and this run has ${givenText}; start it with the same agents, message and options`,
    { details: { place, saved, given } },
  )
}

/** Adds an agent to the participants of a run; returns false if it takes part already. Fails the run for two agents of one name. */
export function registerParticipant(run: Run, { participants, recorder }: ScopeJournal, state: State): boolean {
  const isNew = addParticipant(participants, state)
  if (isNew !== undefined) return isNew
  const problem = `two agents are named \`${state.name}\`, and a chat with a journal could not tell them apart: rename one`
  if (recorder.waits) return failRun(run, new XError('invalid-argument', problem))
  recorder.fail?.(problem)
  return true
}

/** Returns the options that determine the course of a chat. */
const courseOf = ({ message, clearHistory = true, carryover = [] }: ChatOptions): object => ({
  message: typeof message === 'function' ? 'a function' : (message ?? null),
  clearHistory,
  carryover,
})

/** Returns the first message of a chat: from the options, from a function or from the human. Null: the chat ends at once. */
export function* firstMessage(
  { state, peer, conversation }: Side,
  { message = null, carryover, messageArgs }: Pick<ChatOptions, 'message' | 'carryover' | 'messageArgs'>,
): Steps<Reply | null> {
  if (typeof message !== 'function') return yield* generateInitMessage(state, message, carryover, conversation)
  const args = { ...messageArgs, ...(carryover !== undefined && { carryover }) }
  const label = 'the function that makes the first message'
  const asks = (): CallInput => ({ function: message.name, args })
  const call = { kind: 'message', label, shape: REPLY_SHAPE, agent: state.agent, asks } as const
  const made: Reply | null | undefined = yield* externalCall(call, (context) =>
    message(state.agent, peer.state.agent, args, context),
  )
  return made ?? null
}

/** Returns a message with its carryover. For a null message the human is asked. */
export function* generateInitMessage(
  state: State,
  message: Reply | null,
  carryover: Carryover | undefined,
  conversation?: Conversation,
): Steps<Reply> {
  return withCarryover(message ?? (yield* humanInput(state, '>', conversation)), carryover)
}

/** Returns a copy of a message with the carryover in its content. */
function withCarryover(message: Reply, carryover: Carryover | undefined): Reply {
  if (!carryover || carryover.length === 0) return message
  if (typeof message === 'string') return message + carryoverText(carryover)
  const { content } = message
  if (typeof content === 'string') return { ...message, content: content + carryoverText(carryover) }
  if (!Array.isArray(content)) return message
  const part: ContentPart = { type: 'text', text: carryoverText(carryover) }
  return { ...message, content: [part, ...content] }
}

function carryoverText(carryover: Carryover): string {
  if (typeof carryover === 'string') return `\nContext: \n${carryover}`
  if (!Array.isArray(carryover)) {
    throw new XError('invalid-argument', `the carryover is a ${typeof carryover}: give a text or a list`)
  }
  return `\nContext: \n${carryover.map(itemText).join('\n')}`
}

function itemText(item: string | ChatMessage | Record<string, unknown>): string {
  if (typeof item === 'string') return item
  return textOfResult(typeof item === 'object' && item !== null && 'content' in item ? item.content : item)
}
