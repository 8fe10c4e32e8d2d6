import type { Agent, ChatMessage } from '@x/interfaces'
import { currentRun, type Steps, XError } from '@x/kernel'
import { failRun } from '@x/kernel/run'
import { loadConversation, loadProgress, savedConversation, savedSettings } from '../durability/saved-agent.ts'
import { MEMBERS } from '../durability/saved-shapes.ts'
import { storedMessage } from '../data/message.ts'
import {
  type ActiveChat,
  addChat,
  appendMessage,
  type Conversation,
  openConversation,
  removeChat,
  type State,
  stateOf,
} from '../memory/state.ts'
import type { ManagerRole, SavedConversation, SavedSettings } from '../options/operations.ts'
import { keepAnswer, openCall } from '../run/external-call.steps.ts'
import { inScope, scopeIn } from '../run/scope.ts'
import { plainJson, sameJson } from '../data/plain-json.ts'
import { isFresh } from './begin-chat.steps.ts'
import { leavesCallsOpen, responsesTo } from './open-calls.steps.ts'

/**
 * Runs steps in which a manager leads its members: in the scope of a reply of its own, with the cache of the chat for all
 * of them, and with their state in the journal. Members that another chat with the manager has are refused with
 * `conversation-busy`. Steps that fail or are stopped leave no call without an answer, in no history.
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
  const own: ActiveChat | undefined = around.chat ? undefined : { cache: state.clientCache ?? null, own: null }
  const chat = around.chat ?? own!
  const all = conversationsWithMembers(state, null, chat)
  refuseBusy(all, chat)
  const release = occupy(all, chat)
  let broken = true
  try {
    const scope = around.inner({ place: around.nextPlace(), agent: manager, chat: own })
    const result = yield* inScope(scope, joinAndLead(role, all, steps))
    broken = false
    return result
  } catch (error) {
    broken = !leavesCallsOpen(error)
    throw error
  } finally {
    if (broken) closeCalls(manager.name, role, all)
    release()
  }
}

function* joinAndLead<T>(role: ManagerRole, all: readonly MemberConversation[], steps: Steps<T>): Steps<T> {
  yield* joinRun(role, all)
  return yield* steps
}

/** How members stand when their manager begins to lead them, as a journal keeps it. */
interface MembersBeginning {
  readonly options: unknown
  readonly names: readonly string[]
  readonly agents: readonly SavedSettings[]
  readonly conversations: readonly SavedConversation[]
}

/** Keeps in the journal how members stand that join its run, or makes them stand as they did. */
function* joinRun(role: ManagerRole, all: readonly MemberConversation[]): Steps<void> {
  const run = yield* currentRun()
  const scope = scopeIn(run)
  if (!scope.recorder) {
    scope.nextPlace()
    return
  }
  const label = `a group of \`${all.map(({ member }) => member.name).join('`, `')}\``
  const open = openCall(scope, run, { kind: 'begin', label, shape: MEMBERS })
  open.end()
  const fresh = all.filter(({ member }) => isFresh(run, scope, member))
  const sides = fresh.flatMap(({ its, theirs }) => [its, theirs])
  const names = all.map(({ member }) => member.name)
  const known = open.known?.value as MembersBeginning | undefined
  if (!known) {
    const value: MembersBeginning = {
      options: plainJson(role.save(), label),
      names,
      agents: fresh.map(({ member }) => savedSettings(member)),
      conversations: fresh.flatMap(({ member, its, theirs }) => [
        savedConversation(its, member.history),
        savedConversation(theirs),
      ]),
    }
    yield* keepAnswer(open, value)
    return
  }
  const complete = known.agents.length === fresh.length && known.conversations.length === sides.length
  if (!complete || !sameJson(known.names, names)) {
    failRun(run, otherMembers(open.place, known.names, names))
  }
  role.load(known.options)
  for (const [index, { member }] of fresh.entries()) loadProgress(member, known.agents[index]!)
  for (const [index, side] of sides.entries()) loadConversation(side, known.conversations[index]!)
}

const otherMembers = (place: string, had: readonly string[], has: readonly string[]): XError =>
  new XError(
    'invalid-state',
    `the chat does not go on as it was saved: at \`${place}\` there was a group of ${had.join(', ')}, and now there is one of ${has.join(', ')}; start it with the same agents`,
    { details: { place, saved: had, given: has } },
  )

/** Answers open calls, in every history, with what they answered so far, or that they were stopped. */
function closeCalls(manager: string, role: ManagerRole, all: readonly MemberConversation[]): void {
  const answered = all.flatMap(({ its }) => its.answered ?? [])
  const answer = (last: ChatMessage | undefined): ChatMessage | undefined => {
    const message = last && responsesTo(last, answered)
    return message && { ...message, ...(message.role === 'tool' && { name: manager }) }
  }
  const close = (conversation: Conversation, side: 'assistant' | 'user'): void => {
    conversation.answered = null
    const message = answer(conversation.messages.at(-1))
    if (message) appendMessage(conversation, storedMessage(message, side, manager))
  }
  for (const { its, theirs } of all) {
    close(its, 'user')
    close(theirs, 'assistant')
  }
  role.closeCalls(answer)
}

/** The two sides of a conversation that belongs to a chat beside that of its two agents. */
export interface MemberConversation {
  readonly manager: State
  readonly member: State
  /** What the member keeps of it. */
  readonly its: Conversation
  /** What the manager keeps of it. */
  readonly theirs: Conversation
}

/** The conversations of a manager with its members; that with `partner` is left out. */
export function conversationsWithMembers(
  manager: State,
  partner: State | null,
  chat: ActiveChat | null,
): MemberConversation[] {
  const members = manager.managerRole?.members() ?? []
  return members.flatMap((agent) => {
    const member = stateOf(agent)
    if (member === partner) return []
    const its = openConversation(member, manager.agent, chat)
    return [{ manager, member, its, theirs: openConversation(manager, agent, chat) }]
  })
}

/**
 * The conversations of the managers among the two sides of a chat with their members. While they are in another chat, a
 * further one is refused, and so is one that would keep only the conversation of its two agents to itself.
 */
export function memberConversations(
  [self, other]: readonly [State, State],
  chat: ActiveChat | null,
  keepsOwn: boolean,
): readonly MemberConversation[] {
  // Most agents manage nobody.
  if (!self.managerRole && !other.managerRole) return NONE
  const all = [...conversationsWithMembers(self, other, chat), ...conversationsWithMembers(other, self, chat)]
  const manager = other.managerRole ? other : self
  if (keepsOwn || all.some(isBusy)) throw busyMembers(manager)
  return all
}

const NONE: readonly MemberConversation[] = []

/** Refuses a manager whose members are in another chat than `chat` with it. */
export function refuseBusy(all: readonly MemberConversation[], chat: ActiveChat): void {
  const busy = all.find(({ its }) => its.chats && !its.chats.includes(chat))
  if (busy) throw busyMembers(busy.manager)
}

const isBusy = ({ its, theirs }: MemberConversation): boolean => Boolean(its.chats ?? theirs.chats)

const busyMembers = ({ name }: State): XError =>
  new XError(
    'conversation-busy',
    `a chat with \`${name}\` cannot begin while another one is under way, and it cannot have conversations of its own: all agents that \`${name}\` manages would read both; wait for the end of the other, or make a manager and agents for each`,
    { details: { agents: [name] } },
  )

/** Notes in conversations that a chat begins, and gives what notes its end. */
export function occupy(all: readonly MemberConversation[], chat: ActiveChat): () => void {
  const free = all.filter(({ its }) => !its.chats?.includes(chat))
  for (const { its, theirs } of free) {
    addChat(its, chat)
    addChat(theirs, chat)
  }
  return () => {
    for (const { its, theirs } of free) {
      removeChat(its, chat)
      removeChat(theirs, chat)
    }
  }
}
