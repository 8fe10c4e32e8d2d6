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

/** The two sides of a conversation that belongs to a chat beside that of its two agents. */
export interface MemberConversation {
  readonly manager: State
  readonly member: State
  /** The side of the member. */
  readonly ofMember: Conversation
  /** The side of the manager. */
  readonly ofManager: Conversation
}

/** The conversations of a manager with its members; the one with `partner` is left out. */
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
 * The conversations of the managers among the two sides of a chat with their members. While they are in another chat, a
 * further one is refused, and so is one that would keep only the messages of its two agents apart.
 */
export function memberConversations(chat: Chat, isApart: boolean): readonly MemberConversation[] {
  const [self, peer] = [chat.self.state, chat.self.peer.state]
  const all = [...conversationsWithMembers(self, peer, chat), ...conversationsWithMembers(peer, self, chat)]
  if (isApart || all.some(isBusy)) throw busyMembers(peer.managerRole ? peer : self)
  return all
}

/** Refuses a manager whose members are in another chat with it than `chat`. */
export function refuseBusy(all: readonly MemberConversation[], chat: Chat): void {
  const busy = all.find(({ ofMember }) => ofMember.chats && !ofMember.chats.includes(chat))
  if (busy) throw busyMembers(busy.manager)
}

const isBusy = ({ ofMember, ofManager }: MemberConversation): boolean => Boolean(ofMember.chats ?? ofManager.chats)

const busyMembers = ({ name }: State): XError =>
  new XError(
    'conversation-busy',
    `a chat with \`${name}\` cannot begin while another one is under way, and it cannot have conversations of its own: all agents that \`${name}\` manages would read both; wait for the end of the other, or make a manager and agents for each`,
    { details: { agents: [name] } },
  )

/** Marks conversations as part of a chat; returns the function that takes the mark back. */
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
