import { XError } from '@x/kernel'
import {
  addChat,
  type Chat,
  type Conversation,
  openConversation,
  removeChat,
  type State,
  stateOf,
} from '../memory/state.ts'

/** A conversation of a manager with a member, which takes part in a chat of the manager. */
export interface MemberConversation {
  readonly manager: State
  readonly member: State
  /** The side of the member. */
  readonly ofMember: Conversation
  /** The side of the manager. */
  readonly ofManager: Conversation
}

/** Lists the conversations of a manager with its members, except the one with `partner`. */
export function conversationsWithMembers(
  manager: State,
  partner: State | null,
  chat: Chat | null,
): MemberConversation[] {
  const members = manager.managerRole?.members() ?? []
  return members.flatMap((agent) => {
    const member = stateOf(agent)
    if (member === partner) return []
    const ofMember = openConversation(member, manager.agent, chat)
    return [{ manager, member, ofMember, ofManager: openConversation(manager, agent, chat) }]
  })
}

/**
 * Lists the conversations with members, of both sides of a chat that are managers. Refuses the chat if another one uses
 * these conversations, or if it keeps its own messages apart.
 */
export function memberConversations(chat: Chat, isApart: boolean): readonly MemberConversation[] {
  const [self, peer] = [chat.self.state, chat.self.peer.state]
  const all = [...conversationsWithMembers(self, peer, chat), ...conversationsWithMembers(peer, self, chat)]
  if (isApart || all.some(isBusy)) throw busyMembers(peer.managerRole ? peer : self)
  return all
}

/** Refuses members that are with their manager in a chat other than `chat`. */
export function refuseBusy(all: readonly MemberConversation[], chat: Chat): void {
  const busy = all.find(({ ofMember }) => ofMember.chats && !ofMember.chats.includes(chat))
  if (busy) throw busyMembers(busy.manager)
}

const isBusy = ({ ofMember, ofManager }: MemberConversation): boolean => Boolean(ofMember.chats ?? ofManager.chats)

const busyMembers = ({ name }: State): XError =>
  new XError(
    'conversation-busy',
    `a chat with \`${name}\` cannot begin while another one is under way, nor keep its messages apart: the agents that \`${name}\` manages would read both chats; wait until the other chat ends, or make a manager and agents for each chat`,
    { details: { agents: [name] } },
  )

/** Marks conversations as part of a chat; returns a function that removes the mark. */
export function occupy(all: readonly MemberConversation[], chat: Chat): () => void {
  const free = all.filter(({ ofMember }) => !ofMember.chats?.includes(chat))
  for (const { ofMember, ofManager } of free) {
    addChat(ofMember, chat)
    addChat(ofManager, chat)
  }
  return () => {
    for (const { ofMember, ofManager } of free) {
      removeChat(ofMember, chat)
      removeChat(ofManager, chat)
    }
  }
}
