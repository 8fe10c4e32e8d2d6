import type { Agent, ChatMessage, Reply } from '@x/interfaces'
import { currentRun, type Steps, wait, XError } from '@x/kernel'
import { failRun, needsAwait } from '@x/kernel/run'
import { enterRun } from '../durability/checkpoint.ts'
import {
  loadConversation,
  loadProgress,
  savedConversation,
  type SavedProgress,
  savedProgress,
} from '../durability/saved-agent.ts'
import { MEMBERS_BEGINNING_SHAPE } from '../durability/saved-shapes.ts'
import { storedMessage } from '../data/message.ts'
import { Chat, addMessage, appendMessage, type Conversation, openConversation, Side, stateOf } from '../memory/state.ts'
import type { ManagerRole, SavedConversation } from '../options/operations.ts'
import { keepAnswer, openCall } from '../run/external-call.steps.ts'
import { inScope, scopeIn } from '../run/scope.ts'
import { plainJson, sameJson } from '../data/plain-json.ts'
import { countUse, processBeforeSend } from '../reply/hooks.steps.ts'
import { noteVariables, registerParticipant } from './begin.steps.ts'
import { responsesTo, withoutOpenCalls } from './open-calls.steps.ts'
import { conversationsWithMembers, type MemberConversation, occupy, refuseBusy } from './members.ts'
import { hasSendHooks, receiveMessage, sendMessage } from './deliver.steps.ts'

/**
 * Runs steps in which a manager leads its members: in the scope of a reply of the manager, with the cache of the chat for
 * all members and their state in the journal. Refuses members that are in another chat with the manager
 * (`conversation-busy`). If the steps fail or are stopped, every open call gets an answer in every history.
 */
export function* leadMembers<T>(manager: Agent, steps: Steps<T>): Steps<T> {
  const around = scopeIn(yield* currentRun())
  const state = stateOf(manager)
  const role = state.managerRole
  if (!role) {
    throw new XError(
      'invalid-state',
      `\`${manager.name}\` cannot lead members: it manages none; call \`setManagerRole\` first`,
    )
  }
  const chat = around.chat ?? new Chat(state, state, null)
  if (!around.chat) chat.cache = state.clientCache ?? null
  if (around.journal) enterRun(around.journal, [state])
  const all = conversationsWithMembers(state, null, chat)
  refuseBusy(all, chat)
  const release = occupy(all, chat)
  try {
    const scope = around.inner({ place: around.places.take(), agent: manager, ...(!around.chat && { chat }) })
    const close = (): void => closeCalls(manager.name, role, all)
    return yield* withoutOpenCalls(close, inScope(scope, joinAndLead(role, all, steps)))
  } finally {
    release()
  }
}

function* joinAndLead<T>(role: ManagerRole, all: readonly MemberConversation[], steps: Steps<T>): Steps<T> {
  yield* joinRun(role, all)
  return yield* steps
}

/** The state of members when their manager begins to lead them, as a journal stores it. */
interface MembersBeginning {
  readonly options: unknown
  readonly names: readonly string[]
  readonly agents: readonly SavedProgress[]
  readonly conversations: readonly SavedConversation[]
}

/** Saves the state of the members in the journal when they join a run, or restores the state that a journal has. */
function* joinRun(role: ManagerRole, all: readonly MemberConversation[]): Steps<void> {
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const { journal } = scope
  if (!journal) {
    scope.places.take()
    return
  }
  const label = `a group of \`${all.map(({ member }) => member.name).join('`, `')}\``
  const open = openCall(scope, run, { kind: 'begin', label, shape: MEMBERS_BEGINNING_SHAPE })
  open.end()
  noteVariables(
    open,
    all.map(({ member }) => member),
  )
  const newcomers = all.filter(({ member }) => registerParticipant(run, journal, member))
  const sides = newcomers.flatMap(({ ofMember, ofManager }) => [ofMember, ofManager])
  const names = all.map(({ member }) => member.name)
  const known = open.known?.value as MembersBeginning | undefined
  if (!known) {
    const value: MembersBeginning = {
      options: plainJson(role.save(), label),
      names,
      agents: newcomers.map(({ member }) => savedProgress(member)),
      conversations: newcomers.flatMap(({ member, ofMember, ofManager }) => [
        savedConversation(ofMember, member.history),
        savedConversation(ofManager),
      ]),
    }
    yield* keepAnswer(open, value)
    return
  }
  const complete = known.agents.length === newcomers.length && known.conversations.length === sides.length
  if (!complete || !sameJson(known.names, names)) {
    failRun(run, otherMembers(open.place, known.names, names))
  }
  // The journal puts the messages that it has in the place of those that the program has restored.
  const restored = role.save()
  if (Array.isArray(restored) && restored.length > 0) open.noteInput?.({ messages: restored })
  role.load(known.options)
  for (const [index, { member }] of newcomers.entries()) loadProgress(member, known.agents[index]!)
  for (const [index, side] of sides.entries()) loadConversation(side, known.conversations[index]!)
}

const otherMembers = (place: string, saved: readonly string[], given: readonly string[]): XError =>
  new XError(
    'invalid-state',
    `the chat does not go on as it was saved: at \`${place}\` the journal has a group of ${saved.join(', ')}, and this run has one of ${given.join(', ')}; start it with the same agents`,
    { details: { place, saved, given } },
  )

/** Answers the open calls in every history: with the responses so far, or with an error that says they were stopped. */
function closeCalls(manager: string, role: ManagerRole, all: readonly MemberConversation[]): void {
  const answered = all.flatMap(({ ofMember }) => ofMember.answered ?? [])
  const answer = (last: ChatMessage | undefined): ChatMessage | undefined => {
    const message = last && responsesTo(last, answered)
    return message && { ...message, ...(message.role === 'tool' && { name: manager }) }
  }
  const close = (conversation: Conversation, side: 'assistant' | 'user'): void => {
    conversation.answered = null
    const message = answer(conversation.messages.at(-1))
    if (message) appendMessage(conversation, storedMessage(message, side, manager))
  }
  for (const { ofMember, ofManager } of all) {
    close(ofMember, 'user')
    close(ofManager, 'assistant')
  }
  role.closeCalls(answer)
}

/** Adds a message to both sides of a conversation without a reply; returns the message that the receiver keeps. */
export function* append(from: Agent, reply: Reply, to: Agent, silent: boolean | null = null): Steps<ChatMessage> {
  const run = yield* currentRun()
  const sender = new Side(stateOf(from), stateOf(to), scopeIn(run).chat)
  const message = yield* sendMessage(sender, reply, silent, run)
  const received = receiveMessage(sender.peer, message, silent, run)
  if (needsAwait(run, received)) yield* wait(received, 'a listener')
  return sender.peer.conversation.messages.at(-1)!
}

/**
 * Adds one message to the conversations of several agents, without replies or events. Histories share the message
 * object unless a hook changes it.
 */
export function* broadcast(from: Agent, message: ChatMessage, recipients: readonly Agent[]): Steps<void> {
  const run = yield* currentRun()
  const state = stateOf(from)
  const scope = scopeIn(run)
  const { chat } = scope
  const isHooked = hasSendHooks(state, run)
  const shared = storedPair(message, from.name)
  for (const recipient of recipients) {
    if (!isHooked) countUse(scope, 'processMessageBeforeSend')
    const sent = isHooked ? yield* processBeforeSend(state, message, recipient, true) : message
    const [own, received] = sent === message ? shared : storedPair(sent, from.name)
    addMessage(openConversation(state, recipient, chat), own, true)
    addMessage(openConversation(stateOf(recipient), from, chat), received, false)
  }
}

/** Returns a message in the form of its sender's history and in the form of its receiver's. */
const storedPair = (reply: Reply, sender: string): readonly [own: ChatMessage, received: ChatMessage] => [
  storedMessage(reply, 'assistant', sender),
  storedMessage(reply, 'user', sender),
]
