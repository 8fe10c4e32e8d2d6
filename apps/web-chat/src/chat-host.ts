import { GroupChatManager } from '@x/group'
import { createHost, defineChat, type DefinedChat, type Host } from '@x/host'
import type { ChatMessage, HostBackend, Io, TerminationReason, UsageSummary } from '@x/interfaces'
import type { SessionAgents } from '@x/session'
import { z } from 'zod'
import type { ChatKind } from './change.ts'
import { turnId } from './chat-ids.ts'
import { History } from './history.ts'
import { personIo } from './person-io.ts'

/** A turn as it is handed in: what the person says, and where it belongs. */
export interface TurnInput {
  readonly chat: string
  /** Counts the turns of the chat, from 0. */
  readonly turn: number
  readonly text: string
}

/** What a turn ends with. */
export interface TurnValue {
  readonly reason: TerminationReason
  readonly usage: UsageSummary
}

/** Makes the agents of a chat, new ones each time; they ask the person by `io`. */
export type MakeAgents = (kind: ChatKind, io: Io) => SessionAgents

/** The host of the example, as web servers and workers have it. */
export interface ChatHost {
  readonly host: Host
  readonly at: HostBackend
  readonly agents: MakeAgents
  /** The program of a turn in a chat of each kind. */
  readonly programs: Readonly<Record<ChatKind, DefinedChat<TurnInput>>>
}

const INPUT: z.ZodType<TurnInput> = z.object({ chat: z.string(), turn: z.number(), text: z.string() })

/** Hosts the chats of the example: each message of the person with its answer is a hosted chat of its own, a turn. */
export function createChatHost(at: HostBackend, agents: MakeAgents): ChatHost {
  const program = (kind: ChatKind): DefinedChat<TurnInput> =>
    defineChat({
      name: kind,
      version: '1',
      input: INPUT,
      async run({ input, io, run }): Promise<TurnValue> {
        const made: SessionAgents = agents(
          kind,
          personIo(io, () => made.user.chatMessages.get(made.assistant)?.length ?? 0),
        )
        await restore(made, await messagesBefore(host, input, made.user.name))
        const chat = { message: input.text, clearHistory: false, run }
        const { terminationReason: reason, cost } = await made.user.initiateChat(made.assistant, chat)
        return { reason, usage: cost.usageExcludingCachedInference }
      },
    })
  const programs = { assistant: program('assistant'), group: program('group') }
  const host = createHost({ chats: Object.values(programs), at })
  return { host, at, agents, programs }
}

/** The messages of the turns before this one: those have ended, so that they are the same whenever they are read. */
async function messagesBefore(host: Host, { chat, turn }: TurnInput, person: string): Promise<readonly ChatMessage[]> {
  const history = new History(person)
  for (let before = 0; before < turn; before++) {
    const id = turnId(chat, before)
    history.begin(((await host.get(id))!.input as TurnInput).text)
    for await (const { event } of host.events(id)) history.take(event)
    history.end()
  }
  return history.messages
}

/** Puts earlier messages into the histories of agents. */
async function restore({ user, assistant }: SessionAgents, messages: readonly ChatMessage[]): Promise<void> {
  if (assistant instanceof GroupChatManager) {
    // The last message is the one that the turn begins with, and not put in.
    await assistant.resume([...messages, { role: 'user', name: user.name, content: '' }], { silent: true })
    return
  }
  for (const { name, ...message } of messages) {
    const [from, to] = name === user.name ? [user, assistant] : [assistant, user]
    await from.send(message, to, { requestReply: false, silent: true })
  }
}
