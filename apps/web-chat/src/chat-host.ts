import { GroupChatManager } from '@x/group'
import { createHost, defineChat, type DefinedChat, type Host } from '@x/host'
import type { ChatMessage, HostBackend, Io, TerminationReason, UsageSummary } from '@x/interfaces'
import type { SessionAgents } from '@x/session'
import { z } from 'zod'
import type { ChatKind } from './change.ts'
import { turnId } from './chat-ids.ts'
import { History } from './history.ts'
import { personIo } from './person-io.ts'

/** Input of a turn: the message of the person, its chat, and its number. */
export interface TurnInput {
  readonly chat: string
  /** Number of the turn in the chat, from 0. */
  readonly turn: number
  readonly text: string
}

/** Value of a turn. */
export interface TurnValue {
  readonly reason: TerminationReason
  readonly usage: UsageSummary
}

/** Makes new agents of a chat; they ask the person through `io`. */
export type MakeAgents = (kind: ChatKind, io: Io) => SessionAgents

/** The host of the example, in web servers and workers. */
export interface ChatHost {
  readonly host: Host
  readonly at: HostBackend
  readonly agents: MakeAgents
  /** The programs of a turn, by the kind of the chat. */
  readonly programs: Readonly<Record<ChatKind, DefinedChat<TurnInput>>>
}

const TURN_INPUT: z.ZodType<TurnInput> = z.object({ chat: z.string(), turn: z.number(), text: z.string() })

/** Hosts the chats of the example. Each message of the person with its answer is a turn, and each turn is a hosted chat. */
export function createChatHost(at: HostBackend, agents: MakeAgents): ChatHost {
  const program = (kind: ChatKind): DefinedChat<TurnInput> =>
    defineChat({
      name: kind,
      version: '1',
      input: TURN_INPUT,
      async run({ input, io, run }): Promise<TurnValue> {
        const pair: SessionAgents = agents(
          kind,
          personIo(io, () => pair.user.chatMessages.get(pair.assistant)?.length ?? 0),
        )
        await restore(pair, await messagesBefore(host, input, pair.user.name))
        const chat = { message: input.text, clearHistory: false, run }
        const { terminationReason: reason, cost } = await pair.user.initiateChat(pair.assistant, chat)
        return { reason, usage: cost.usageExcludingCachedInference }
      },
    })
  const programs = { assistant: program('assistant'), group: program('group') }
  const host = createHost({ chats: Object.values(programs), at })
  return { host, at, agents, programs }
}

/** Reads the messages of the earlier turns. These have ended, so the messages are always the same. */
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
    // `resume` does not add the last message: it stands for the one with which the turn begins.
    await assistant.resume([...messages, { role: 'user', name: user.name, content: '' }], { silent: true })
    return
  }
  for (const { name, ...message } of messages) {
    const [from, to] = name === user.name ? [user, assistant] : [assistant, user]
    await from.send(message, to, { requestReply: false, silent: true })
  }
}
