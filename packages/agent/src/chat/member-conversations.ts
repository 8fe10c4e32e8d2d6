import { XError } from '@x/kernel'
import { addChat, removeChat } from '../memory/active-chat.ts'
import { openConversation, stateOf, type ActiveChat, type Conversation, type State } from '../memory/state.ts'

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
