import { GroupChatManager } from '@x/group'
import { createHost, defineChat, type DefinedChat, type Host } from '@x/host'
import type {
  Budget,
  ChatMessage,
  HostBackend,
  HostedChat,
  Io,
  Limiter,
  LoggedEvent,
  RunTracer,
  SharedBudget,
  ToolResponse,
} from '@x/interfaces'
import { EventFold, type FoldedRun } from '@x/kernel/events'
import { createBudget } from '@x/model'
import type { SessionAgents } from '@x/session'
import { z } from 'zod'
import { ATTACHMENT_TYPES, type Attachment } from './attachment.ts'
import type { ChatKind } from './change.ts'
import { turnId } from './chat-ids.ts'
import { contentOf, KeptFiles } from './kept-files.ts'
import { personIo } from './person-io.ts'

/** Input of a turn: the message of the person, its chat, and its number. */
export interface TurnInput {
  readonly chat: string
  /** Number of the turn in the chat, from 0. */
  readonly turn: number
  readonly text: string
  /** The files that came with it; their bytes are kept beside the turns. */
  readonly files?: readonly Attachment[] | undefined
  /** True if it does a turn of another chat again, with the same words. */
  readonly again?: boolean | undefined
  /** Identifier of the turn of another chat that this one repeats; undefined for a turn of its own. */
  readonly origin?: string | undefined
}

/** Makes new agents of a chat; they ask the person through `io`. */
export type MakeAgents = (kind: ChatKind, io: Io) => SessionAgents

/** Limits of all workers together; undefined: none. */
export interface ChatLimits {
  /** Requests in a minute to each model. */
  readonly requests?: number | undefined
  /** Tokens in a minute of each model. */
  readonly tokens?: number | undefined
  /** US dollars for each chat. */
  readonly chatBudget?: number | undefined
  /** US dollars for all chats in a day of UTC. */
  readonly dayBudget?: number | undefined
}

/** Options of {@link createChatHost}. */
interface ChatHostOptions extends ChatLimits {
  /** Records the turns; default: they are not recorded. */
  readonly tracer?: RunTracer | undefined
}

/** The budget of a chat in the texts of errors. */
export const CHAT_BUDGET_NAME = 'the budget of this chat'

/** The host of the example, in web servers and workers. */
export interface ChatHost {
  readonly host: Host
  readonly at: HostBackend
  readonly files: KeptFiles
  readonly agents: MakeAgents
  readonly limits: ChatLimits
  /** The budget of all chats in a day; undefined: none. */
  readonly day: SharedBudget | undefined
  /** Limits requests and tokens, for the config of the model; undefined: no limits. */
  readonly limiter: Limiter | undefined
  /** The programs of a turn, by the kind of the chat. */
  readonly programs: Readonly<Record<ChatKind, DefinedChat<TurnInput>>>
}

const ATTACHMENT: z.ZodType<Attachment> = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(ATTACHMENT_TYPES),
  size: z.number(),
})

const TURN_INPUT: z.ZodType<TurnInput> = z.object({
  chat: z.string(),
  turn: z.number(),
  text: z.string(),
  files: z.array(ATTACHMENT).optional(),
  again: z.boolean().optional(),
  origin: z.string().optional(),
})

/** Most characters of the words of a title. */
const MAX_TITLE_LENGTH = 120

/** Returns the title of a chat whose own words begin with a turn: what was said, so that forks have other titles. */
export function titleOf({ text, files = [], again }: TurnInput): string {
  const title = (text || files.map(({ name }) => name).join(', ')).slice(0, MAX_TITLE_LENGTH)
  return again ? `${title} (again)` : title
}

/** Hosts the chats of the example. Each message of the person with its answer is a turn, and each turn is a hosted chat. */
export function createChatHost(
  at: HostBackend,
  agents: MakeAgents,
  { tracer, ...limits }: ChatHostOptions = {},
): ChatHost {
  const files = new KeptFiles(at)
  const program = (kind: ChatKind): DefinedChat<TurnInput> =>
    defineChat({
      name: kind,
      version: '1',
      input: TURN_INPUT,
      async run({ input, io, run }): Promise<void> {
        const pair: SessionAgents = agents(
          kind,
          personIo(io, () => pair.user.chatMessages.get(pair.assistant)?.length ?? 0),
        )
        const before = await readBefore({ host, at, files }, input, pair.user.name)
        await restore(pair, before.messages)
        const budget = budgetOf(limits.chatBudget, before.cost, day)
        const content = contentOf(input.text, await files.readAll(input.chat, input.files))
        await pair.user.initiateChat(pair.assistant, {
          message: typeof content === 'string' ? content : { content },
          clearHistory: false,
          budget,
          run,
        })
      },
    })
  const programs = { assistant: program('assistant'), group: program('group') }
  const host = createHost({ chats: Object.values(programs), at, tracer })
  const { requests, tokens, dayBudget } = limits
  const day = dayBudget === undefined ? undefined : host.budget('day', { cost: dayBudget, per: 'day' })
  const isLimited = requests !== undefined || tokens !== undefined
  const limiter = isLimited ? host.limiter({ '*': { requests, tokens } }) : undefined
  return { host, at, files, agents, limits, day, limiter, programs }
}

/**
 * Returns the turn whose log says what was said in a turn: of one that repeats another turn, that one, which has ended; itself,
 * if that one was deleted.
 */
export async function sourceOf(host: Host, turn: HostedChat): Promise<HostedChat> {
  const { origin } = turn.input as TurnInput
  return origin === undefined ? turn : ((await host.get(origin)) ?? turn)
}

/** Makes the budget of a turn: the rest of the chat's, within that of the day. */
function budgetOf(limit: number | undefined, cost: number, day: Budget | undefined): Budget | undefined {
  if (limit === undefined) return day
  return createBudget({ name: CHAT_BUDGET_NAME, cost: limit, spent: { cost }, parent: day })
}

/**
 * Reads the messages of the earlier turns, which have ended, so that the messages are always the same; and the cost of the
 * chat so far, with that of this turn in workers that had it before.
 */
async function readBefore(
  { host, at, files }: Pick<ChatHost, 'host' | 'at' | 'files'>,
  { chat, turn }: TurnInput,
  person: string,
): Promise<{ readonly messages: readonly ChatMessage[]; readonly cost: number }> {
  let messages: readonly ChatMessage[] = []
  let cost = 0
  for (let before = 0; before < turn; before++) {
    const earlier = (await host.get(turnId(chat, before)))!
    const { id } = await sourceOf(host, earlier)
    const { text, files: attached } = earlier.input as TurnInput
    const fold = new EventFold()
    for await (const { event } of host.events(id)) fold.add(event)
    const content = contentOf(text, isBegun(fold.value) ? [] : await files.readAll(chat, attached))
    messages = messagesAfter(messages, fold.value, { role: 'user', name: person, content })
    cost += fold.value.cost
  }
  const own = new EventFold()
  for (let cursor: string | null = null; ;) {
    const logged: readonly LoggedEvent[] = await at.events.read(turnId(chat, turn), cursor, 100)
    for (const { event } of logged) own.add(event)
    if (logged.length === 0) return { messages, cost: cost + own.value.cost }
    cursor = logged.at(-1)!.cursor
  }
}

/** True if the first message of a turn was sent. */
const isBegun = ({ chats: [chat] }: FoldedRun): boolean => chat !== undefined && chat.messages.length > 0

/** Returns the messages after a turn, which may have been stopped before its first one was sent. */
function messagesAfter(
  before: readonly ChatMessage[],
  turn: FoldedRun,
  first: ChatMessage & { readonly name: string },
): readonly ChatMessage[] {
  const [chat] = turn.chats
  if (!chat || !isBegun(turn)) return [...before, first]
  const messages = [...before.slice(0, chat.firstIndex), ...chat.messages]
  const stopped = stoppedCalls(messages.at(-1), first.name)
  return stopped ? [...messages, stopped] : messages
}

/** Result of a tool call that was stopped. */
const STOPPED_RESULT = 'Error: the call was stopped before it answered'

/** Returns the answer to the calls of the last message of a turn that was stopped; undefined for a message without calls. */
export function stoppedCalls(last: ChatMessage | undefined, person: string): ChatMessage | undefined {
  const calls = last?.tool_calls ?? []
  if (calls.length === 0) return undefined
  const responses = calls.map(({ id }): ToolResponse => ({
    ...(id !== undefined && { tool_call_id: id }),
    role: 'tool',
    content: STOPPED_RESULT,
  }))
  return {
    role: 'tool',
    name: person,
    tool_responses: responses,
    content: calls.map(() => STOPPED_RESULT).join('\n\n'),
  }
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
