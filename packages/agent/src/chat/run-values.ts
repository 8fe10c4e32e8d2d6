import type {
  Agent,
  ChatMessage,
  PendingApproval,
  Reply,
  TerminationReason,
  ToolCall,
  UsageSummary,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import { contentText } from '@x/kernel/tool-content'
import type { ChatJournal } from '../durability/chat-journal.ts'
import { allUnrolled, messageText, storedMessage, TERMINATION_WORD } from '../data/message.ts'
import { type EarlierMessages, snapshotOf, stateOf } from '../memory/state.ts'
import type { RunChatOptions } from '../options/operations.ts'
import { callArguments } from '../reply/tools.steps.ts'
import type { UsageTally } from '../run/scope.ts'
import type { RunResult, RunToolCall, RunUsage } from './run-result.ts'

/** Separates the question of a run from the messages before it. */
export function questionIn(
  agent: Agent,
  given: Reply | readonly ChatMessage[],
  { conversation, style }: Pick<RunChatOptions, 'conversation'> & { readonly style?: 'ag2' | undefined },
): { readonly question: Reply; readonly earlier: EarlierMessages | null } {
  const refuse = (problem: string): never => {
    throw new XError('invalid-message', `cannot run \`run\` of \`${agent.name}\`: ${problem}`)
  }
  if (!Array.isArray(given)) {
    const isMessage = typeof given === 'string' || (typeof given === 'object' && given !== null)
    if (!isMessage) refuse('it has no message; give a text, a message or a list of messages')
    if (typeof given === 'object' && !hasContentOrCall(given as ChatMessage)) {
      refuse(objectRemedy(given))
    }
    if (style !== 'ag2' && isEmpty(given as Reply)) refuse('its question is empty; give one')
    return { question: given as Reply, earlier: null }
  }
  const messages = given as readonly ChatMessage[]
  refuseWrongMessages(messages, refuse)
  const question = messages.at(-1)
  if (!question) return refuse('its list of messages is empty; give the question as the last one')
  if (question.role === 'assistant' || question.role === 'system') {
    refuse(`its last message is of the ${question.role}; give the question, of the \`user\`, as the last one`)
  }
  // A result of a tool may be empty.
  if (question.role === 'user' && isEmpty(question)) refuse('its last message, the question, is empty; give one')
  if (messages.length === 1) return { question, earlier: null }
  if (conversation === 'shared') {
    refuse('a shared conversation has its messages already; give the question alone, or leave `conversation` out')
  }
  const before = messages.slice(0, -1)
  return {
    question,
    earlier: {
      ofSelf: before.map((message) => ofSide(message, agent, 'user')),
      ofPeer: before.map((message) => ofSide(message, agent, 'agent')),
    },
  }
}

/** Refuses a message that is a text, or that lacks its role or what it says. */
function refuseWrongMessages(messages: readonly ChatMessage[], refuse: (problem: string) => never): void {
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!
    if (typeof message === 'string') refuse(`message ${index} is a text; write \`{ role: 'user', content: '…' }\``)
    const role: unknown = (message as Partial<ChatMessage> | null)?.role
    if (!ROLES.has(role)) {
      const meant = FOREIGN_ROLES.get(role)
      refuse(
        meant
          ? `message ${index} has the \`role\` \`${String(role)}\`, which is \`${meant}\` here`
          : `message ${index} has no \`role\` of ${[...ROLES].join(', ')}; give it one`,
      )
    }
    if (hasContentOrCall(message)) continue
    const rest = 'parts' in message ? 'write its `parts` as `content`' : 'give it one of them'
    refuse(`message ${index} has neither \`content\` nor \`tool_calls\`; ${rest}`)
  }
}

/** Words of other libraries for the question among the options of a run. */
const QUESTION_WORDS: readonly string[] = ['messages', 'prompt', 'input', 'message', 'question', 'query']

/** Says what to write in place of an object that is not a message. */
function objectRemedy(given: object): string {
  if (stateOf(given as Agent)) {
    return 'its question is an agent; of two agents that talk, write `initiateChat(recipient, { message })`'
  }
  const word = QUESTION_WORDS.find((each) => each in given)
  if (word !== undefined) {
    return `it is an object with \`${word}\`; give the question first and options behind it, as in \`run('…', { tools })\``
  }
  return `its message has no \`content\`${'parts' in given ? '; write its `parts` as `content`' : ''}`
}

/** Roles of messages in other libraries. */
const FOREIGN_ROLES: ReadonlyMap<unknown, string> = new Map([
  ['human', 'user'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['bot', 'assistant'],
  ['developer', 'system'],
])

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool', 'function', 'system'])

const textIn = (question: Reply): string | undefined => {
  const text = typeof question === 'string' ? question : question.content
  return typeof text === 'string' ? text : undefined
}

/** True for a question that says nothing: models refuse a text of blanks too. */
const isEmpty = (question: Reply): boolean =>
  textIn(question)?.trim() === '' ||
  (typeof question !== 'string' && Array.isArray(question.content) && question.content.length === 0)

/** True for a message with content, an empty one included, or with a call. */
const hasContentOrCall = ({ content, tool_calls: calls, function_call: call }: ChatMessage): boolean =>
  (content !== undefined && content !== null) || Boolean(calls) || Boolean(call)

/** Returns an earlier message as one side of a run keeps it: its own messages are of the `assistant`, the others of the `user`. */
function ofSide(message: ChatMessage, agent: Agent, side: 'user' | 'agent'): ChatMessage {
  const { role = 'user', name } = message
  const isOfAgent = role === 'assistant'
  const sender = isOfAgent ? agent.name : USER_NAME
  const own = isOfAgent === (side === 'agent') ? 'assistant' : 'user'
  const kept = role === 'system' ? 'system' : own
  if (role === 'tool' && name === undefined) return withoutName(storedMessage(message, kept, sender))
  const isKept = role === kept && name !== undefined && Object.isFrozen(message) && typeof message.content === 'string'
  return isKept && !message.tool_calls ? message : storedMessage(message, kept, sender)
}

/** The result of a call has no name, as it has none in the messages of a run. */
function withoutName(message: ChatMessage): ChatMessage {
  const { name: _, ...rest } = message
  return Object.freeze(rest)
}

/** Name of the agent that stands for the user. */
export const USER_NAME = 'user'

/** A run that has ended, as its result is read from it. */
interface EndedRun<T> {
  /** The messages as the agent has them. */
  readonly messages: readonly ChatMessage[]
  /** Number of messages before those of the run. */
  readonly before: number
  /** The message with the answer; default: the last one. */
  readonly answer?: ChatMessage | undefined
  /** Sum of what the answers used. */
  readonly used: UsageSummary
  readonly terminationReason: TerminationReason
  readonly result: T
  /** The calls that failed, by their identifiers. */
  readonly failures: UsageTally['failures']
  /** The error of reading the result of a run that should give one and waits for a decision. */
  readonly unfinished: Error | undefined
  readonly pending: readonly PendingApproval[]
  readonly journal: ChatJournal | null
}

/** Makes the result of a run. */
export function runResultOf<T>(ended: EndedRun<T>): RunResult<T> {
  const { messages, before, answer, used, terminationReason, result, unfinished, pending, journal, failures } = ended
  const isSuspended = terminationReason === 'suspended'
  const own = allUnrolled(messages.slice(before))
  const whole: RunResult<T> = {
    text: isSuspended ? '' : answerText(answer ?? own.at(-1)),
    messages: snapshotOf({ messages: allUnrolled(messages) }),
    result,
    toolCalls: Object.freeze(callsIn(own, failures)),
    usage: usageOf(used),
    cost: used.totalCost,
    terminationReason,
    pending: isSuspended ? pending : [],
    journal,
  }
  if (!unfinished) return whole
  const fail = (): never => {
    throw unfinished
  }
  // Not among the fields that a copy or JSON takes.
  return Object.defineProperty(whole, 'result', { get: fail, enumerable: false })
}

/** Returns the text of an answer, without the word that ends a chat; empty for a call and for what is not of the agent. */
function answerText(message: ChatMessage | undefined): string {
  if (!message || message.role !== 'assistant' || message.tool_calls || message.function_call) return ''
  const text = messageText(message)
  const trimmed = text.trimEnd()
  return trimmed.endsWith(TERMINATION_WORD) ? trimmed.slice(0, -TERMINATION_WORD.length).trimEnd() : text
}

/** Lists the calls in messages, each with its result. */
const callsIn = (messages: readonly ChatMessage[], failures: UsageTally['failures']): RunToolCall[] =>
  messages.flatMap(({ tool_calls: calls }, index) => {
    if (!calls || calls.length === 0) return []
    const results = resultsBehind(messages, index)
    return calls.map((call, place) => readCall(call, resultOfCall(call, place, results), failures))
  })

/** Returns the results between a message with calls and the next one: models use the identifiers of calls again. */
function resultsBehind(messages: readonly ChatMessage[], index: number): readonly ChatMessage[] {
  const results: ChatMessage[] = []
  for (let at = index + 1; at < messages.length; at++) {
    const message = messages[at]!
    if (message.tool_calls && message.tool_calls.length > 0) break
    if (message.role === 'tool') results.push(message)
  }
  return results
}

/** Returns the result of a call: the one at its place, or else the one with its identifier; null for none. */
function resultOfCall({ id }: ToolCall, place: number, results: readonly ChatMessage[]): string | null {
  const atPlace = results[place]
  const isOf = (result: ChatMessage): boolean => id !== undefined && result.tool_call_id === id
  const result = atPlace && atPlace.tool_call_id === id ? atPlace : results.find(isOf)
  return result ? contentText(result.content) : null
}

function readCall(
  { id, function: call }: ToolCall,
  result: string | null,
  failures: UsageTally['failures'],
): RunToolCall {
  const args = callArguments(call?.arguments)
  // Another call of the same identifier may have failed, also one of an agent inside.
  const failure = failures?.get(id ?? '')?.find(({ text }) => text === result)
  return {
    id: id ?? null,
    name: call?.name ?? '',
    arguments: 'value' in args ? args.value : null,
    result,
    error: failure?.error ?? null,
  }
}

function usageOf({ models }: UsageSummary): RunUsage {
  const sum = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }
  for (const used of Object.values(models)) {
    sum.promptTokens += used.promptTokens
    sum.completionTokens += used.completionTokens
    sum.totalTokens += used.totalTokens
  }
  return { ...sum, models }
}
