import type {
  Agent,
  ChatMessage,
  EventBody,
  JournalKind,
  JsonSchema,
  MaybePromise,
  Model,
  Reply,
  Run,
  RunContext,
  TerminationReason,
} from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'
import { leadMembers as leadOf } from '../chat/lead-members.steps.ts'
import { say as sayTo, sayToAll as sayOf } from '../chat/send.steps.ts'
import { clearHistory } from '../memory/history.ts'
import { openConversation, stateOf } from '../memory/state.ts'
import type { ManagerRole } from '../options/manager-role.ts'
import { askAs as askOf } from '../reply/ask-as.steps.ts'
import { externalCall as callOf } from '../run/external-call.steps.ts'
import { scopeIn } from '../run/scope.ts'

/** Gives an agent its part as a manager of others, in all its chats from now on. */
export function setManagerRole(agent: Agent, role: ManagerRole): void {
  stateOf(agent).managerRole = role
}

/**
 * Runs steps in which a manager leads its members: in the scope of a reply of its own, with the cache of the chat for all
 * of them, and with their state in the journal. Members that another chat with the manager has are refused with
 * `conversation-busy`. Steps that fail or are stopped leave no call without an answer, in no history.
 */
export const leadMembers = <T>(manager: Agent, steps: Steps<T>): Steps<T> => leadOf(manager, steps)

/** Says something to an agent that does not reply to it; gives the message as that one keeps it. */
export const say = (from: Agent, reply: Reply, to: Agent, silent: boolean | null = null): Steps<ChatMessage> =>
  sayTo(from, reply, to, silent)

/**
 * Says one message to several agents, which do not reply to it; nothing is shown. Where no hook changes it, all histories
 * share it.
 */
export const sayToAll = (from: Agent, message: ChatMessage, recipients: readonly Agent[]): Steps<void> =>
  sayOf(from, message, recipients)

/** Notes on an agent's side of a conversation why the chat ends; the result of the chat says so. */
export function* endConversation(agent: Agent, counterpart: Agent | null, reason: TerminationReason): Steps<void> {
  const { chat } = scopeIn(yield* currentRun())
  openConversation(stateOf(agent), counterpart, chat).ended = reason
}

/** Forgets all messages of an agent but the newest of each conversation; gives the event that tells of it, if there is one. */
export const shortenHistory = (agent: Agent, preserved: number): EventBody | undefined =>
  clearHistory(stateOf(agent), null, preserved)

/** A question that an agent asks a model under another name. */
interface NamedQuestion {
  /** Name of who asks, in events and in the log. */
  readonly name: string
  readonly model: Model
  readonly messages: readonly ChatMessage[]
  /** Shape that the answer should have, for models that can be told. */
  readonly answerSchema?: JsonSchema | undefined
}

/**
 * Asks a model for an agent under another name: a journal keeps the answer, the budget of the run pays for it, and what it
 * uses counts as the agent's. The cache of the chat is not asked. Gives null when the model said nothing.
 */
export const askAs = (agent: Agent, question: NamedQuestion): Steps<Reply | null> => askOf(agent, question)

/** A call of something outside the program's own logic, of which a journal keeps the answer. */
interface LabelledCall {
  readonly kind: JournalKind
  /** Names what is asked, for people. */
  readonly label: string
  /** Shape that a kept answer has to have. */
  readonly shape?: JsonSchema | undefined
  /** The agent in whose reply it is made. */
  readonly agent?: Agent | undefined
  /** Tells by events that a person is asked, and answers. */
  readonly span?: { readonly type: 'humanInput'; readonly agent: string } | undefined
}

/** Asks something outside the program's own logic, or the journal if it has answered before. The answer is plain JSON. */
export const externalCall = <T>(
  call: LabelledCall,
  ask: (context: RunContext & { readonly run: Run }) => MaybePromise<T>,
): Steps<T> => callOf<T, 'humanInput'>(call, ask)
