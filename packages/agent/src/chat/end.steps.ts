import type {
  ChatMessage,
  ChatOptions,
  ChatResult,
  Role,
  SummaryArgs,
  SummaryMethod,
  TerminationReason,
  ToolResponse,
} from '@x/interfaces'
import { currentRun, isXError, type Steps, XError } from '@x/kernel'
import { hasContent, joinedResponses, storedMessage, unrolled } from '../data/message.ts'
import { plainJson } from '../data/plain-json.ts'
import { FAILURE_SHAPE, SUMMARY_SHAPE } from '../durability/saved-shapes.ts'
import { appendMessage, type Chat, type Conversation, type Side, snapshotOf, type State } from '../memory/state.ts'
import { gatheredUsage } from '../memory/usage.ts'
import { DEFAULT_SUMMARY_METHOD, DEFAULT_SUMMARY_PROMPT } from '../options/operations.ts'
import { askModelHere } from '../reply/model.steps.ts'
import { answerOf, keepAnswer, openCall } from '../run/external-call.steps.ts'
import { inScope, scopeIn } from '../run/scope.ts'
import { withSilence } from '../run/within.steps.ts'
import type { OpenChat } from './open.steps.ts'

/** The result of a chat, once its messages and its summary are there. */
export function resultOf({ scope, self, end }: OpenChat, summary: ChatResult['summary']): ChatResult {
  const { conversation, peer } = self
  const usedUp = scope.budget?.usedUp ?? false
  const reason = conversation.ended ?? peer.conversation.ended ?? end ?? 'no-reply'
  return {
    chatId: null,
    chatHistory: snapshotOf(conversation),
    summary,
    cost: gatheredUsage([self.state, peer.state]),
    humanInput: conversation.humanInput,
    terminationReason: usedUp && end !== 'suspended' ? 'budget' : reason,
  }
}

/**
 * Ends a chat by an error, which is thrown on unless it is a reason to end: a budget that is used up ends any chat, a pending
 * approval the chat that has the journal. Open calls get an answer.
 */
export function* endByError(chat: OpenChat, error: unknown): Steps<void> {
  const { state, conversation } = chat.self
  if (!leavesCallsOpen(error)) closeOpenCalls(chat.self)
  let reason: TerminationReason
  if (isXError(error, 'budget-exceeded')) {
    yield* withSilence(state.silent, warnOfBudget(state, error))
    reason = 'budget'
  } else if (chat.hasJournal && isXError(error, 'suspended')) reason = 'suspended'
  else throw error
  chat.end = conversation.ended = reason
}

function* warnOfBudget({ name }: State, { message }: XError): Steps<void> {
  yield { type: 'warning', agent: name, topic: 'budget', text: message }
}

const STOPPED_CALL_TEXT = 'Error: the call was stopped before it answered'

/**
 * Steps that leave no call without an answer when they are stopped or fail, on neither side, so that the history can be
 * sent again. A chat that waits for an approval is not at its end.
 */
export function* withoutOpenCalls<T>(side: Side, steps: Steps<T>): Steps<T> {
  let broken = true
  try {
    const result = yield* steps
    broken = false
    return result
  } catch (error) {
    broken = !leavesCallsOpen(error)
    throw error
  } finally {
    if (broken) closeOpenCalls(side)
  }
}

/** Whether open calls stay open at an error: the chat waits for an approval, or nobody can answer them. */
export const leavesCallsOpen = (error: unknown): boolean =>
  isXError(error, 'suspended') || isXError(error, 'no-executor')

/** Answers open calls on both sides of a conversation: with what they have answered so far, or that they were stopped. */
export function closeOpenCalls(side: Side): void {
  const sides = [side, side.peer]
  const answered = sides.flatMap(({ conversation }) => conversation.answered ?? [])
  for (const { state, conversation } of sides) {
    conversation.answered = null
    const last = conversation.messages.at(-1)
    const reply = last && responsesTo(last, answered)
    if (!reply) continue
    const own = !conversation.saidLast
    const name = own ? state.name : (conversation.counterpart?.name ?? '')
    appendMessage(conversation, storedMessage(reply, own ? 'assistant' : 'user', name))
  }
}

/** The answer to the calls of a message that were stopped; undefined for a message without calls. */
export function responsesTo(
  { tool_calls: calls, function_call: call }: ChatMessage,
  answered: readonly ToolResponse[],
): ChatMessage | undefined {
  if (calls && calls.length > 0) {
    const responses = calls.map(
      ({ id }): ToolResponse =>
        answered.find(({ tool_call_id: its }) => its === id) ?? {
          ...(id !== undefined && { tool_call_id: id }),
          role: 'tool',
          content: STOPPED_CALL_TEXT,
        },
    )
    return { role: 'tool', tool_responses: responses, content: joinedResponses(responses, '\n\n') }
  }
  return call && { role: 'function', name: call.name, content: STOPPED_CALL_TEXT }
}

/** How a chat is summed up; null: not at all. */
export const summaryMethodOf = ({ summaryMethod }: Pick<ChatOptions, 'summaryMethod'>): SummaryMethod | null =>
  summaryMethod === undefined ? DEFAULT_SUMMARY_METHOD : summaryMethod

/** The error for a summary by a model where neither agent has one. */
export function noModel({ agent }: State, other: State): XError {
  return new XError(
    'invalid-argument',
    `a summary by a model was asked for, and neither \`${agent.name}\` nor \`${other.agent.name}\` has one: give one of them an \`llmConfig\``,
  )
}

/** The position of the message that opens a chat among those that its summary is made of. */
export const openingOf = (chat: Chat, options: ChatOptions): number =>
  messagesToSum(chat, summaryMethodOf(options)).length

/** The messages that the summary of a chat is made of: those of the recipient, or what it says as a manager of others. */
const messagesToSum = ({ self }: Chat, method: SummaryMethod | null): readonly ChatMessage[] =>
  (method !== null && self.peer.state.managerRole?.summaryMessages(self.state.agent, method)) ||
  self.peer.conversation.messages

/** Sums a chat up, by the method of its options. */
export function* summarizeChat(chat: OpenChat, options: ChatOptions): Steps<string | Record<string, unknown>> {
  const { self, opening } = chat
  const { state, peer } = self
  const method = summaryMethodOf(options)
  if (method === null) return ''
  const args = { ...(chat.cache && { cache: chat.cache }), ...options.summaryArgs }
  const messages = messagesToSum(chat, method)
  if (method === 'reflection_with_llm') return yield* reflect(state, peer.state, messages, args)
  if (method !== 'last_msg') return yield* summaryByFunction(chat, method, args)
  if (messages.length > 0) return lastMessageSummary(messages, opening)
  const text = `the chat of \`${state.agent.name}\` has no message and an empty summary`
  yield { type: 'warning', agent: state.name, topic: 'summary', text }
  return ''
}

/** The summary that a function makes; a journal keeps a summary that is not a text as JSON. */
function* summaryByFunction(
  chat: OpenChat,
  method: Extract<SummaryMethod, (...args: never) => unknown>,
  args: SummaryArgs,
): Steps<string | Record<string, unknown>> {
  const run = yield* currentRun()
  const { agent } = chat.self.state
  const recipient = chat.self.peer.state.agent
  const label = 'the function that makes the summary'
  const scope = scopeIn(run)
  const open = openCall(scope, run, { kind: 'summary', label, shape: SUMMARY_SHAPE, agent })
  if (open.known) {
    const { text, json } = open.known.value as { text: string; json?: boolean }
    return json ? (JSON.parse(text) as Record<string, unknown>) : text
  }
  const messages = messagesToSum(chat, method)
  const summary = yield* answerOf(open, label, ({ run, signal, emit }) =>
    method(agent, recipient, args, { run, signal, emit, messages }),
  )
  const saved = (): { text: string; json?: boolean } =>
    typeof summary === 'string' ? { text: summary } : { text: JSON.stringify(plainJson(summary, label)), json: true }
  if (scope.isRecorded) yield* keepAnswer(open, saved())
  return summary
}

/** The newest message with content, as a text; the question is not taken for the answer to it. */
function lastMessageSummary(messages: readonly ChatMessage[], opening: number): string {
  const last = messages.at(-1)!
  const content = (hasContent(last) ? last : messages.slice(opening + 1).findLast(hasContent))?.content
  if (typeof content === 'string') return content.replaceAll('TERMINATE', '')
  if (!Array.isArray(content)) return ''
  return content.flatMap((part) => (part.type === 'text' ? [part.text.replaceAll('TERMINATE', '')] : [])).join('\n')
}

/** The conversation that some messages are; its history knows them already. */
const conversationOfMessages = (
  { conversations, history }: State,
  messages: readonly ChatMessage[],
): Conversation | undefined =>
  history ? [...conversations.values()].find((each) => each.messages === messages) : undefined

/** Asks a model of one of the two for a summary of messages; one that fails is a warning and an empty summary. */
export function* reflect(
  sender: State,
  other: State,
  messages: readonly ChatMessage[],
  args: SummaryArgs,
): Steps<string> {
  const { cache = null } = args
  const prompt = args.summaryPrompt ?? DEFAULT_SUMMARY_PROMPT
  const role = args.summaryRole || 'system'
  if (typeof prompt !== 'string') throw new XError('invalid-argument', '`summaryPrompt` must be a text')
  if (typeof role !== 'string') throw new XError('invalid-argument', '`summaryRole` must be a text')
  const model = other.model ?? sender.model
  if (!model) throw noModel(sender, other)
  const question = { role: role as Role, content: prompt }
  const asked = {
    seen: [...messages.flatMap(unrolled), question],
    last: question,
    owner: other.model ? other : sender,
    conversation: conversationOfMessages(other, messages),
  }
  // The chat goes on without a summary; one that is resumed does too.
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const label = `the summary by the model of ${asked.owner.name}`
  const open = openCall(scope, run, { kind: 'summary', label, shape: FAILURE_SHAPE })
  open.end()
  let failure = open.known?.value as string | undefined
  if (failure === undefined) {
    try {
      const summary = yield* inScope(scope.inner({ place: open.place }), askModelHere(sender, model, asked, cache))
      return typeof summary === 'string' ? summary : ''
    } catch (error) {
      if (isXError(error, 'budget-exceeded') || isXError(error, 'suspended')) throw error
      failure = error instanceof Error ? error.message : String(error)
      yield* keepAnswer(open, failure)
    }
  }
  const text = `the chat of \`${sender.agent.name}\` could not be summed up by a model and has an empty summary: ${failure}`
  yield { type: 'warning', agent: sender.name, topic: 'summary', text }
  return ''
}
