import type {
  ChatMessage,
  ChatOptions,
  ChatResult,
  Role,
  SummaryArgs,
  SummaryMethod,
  TerminationReason,
} from '@x/interfaces'
import { currentRun, isXError, type Steps, XError } from '@x/kernel'
import { hasContent, TERMINATION_WORD, unrolled } from '../data/message.ts'
import { notJson, plainJson } from '../data/plain-json.ts'
import { FAILURE_SHAPE, SUMMARY_SHAPE } from '../durability/saved-shapes.ts'
import { type Chat, type Conversation, snapshotOf, type State } from '../memory/state.ts'
import { gatheredUsage } from '../memory/usage.ts'
import { DEFAULT_SUMMARY_METHOD, DEFAULT_SUMMARY_PROMPT } from '../options/operations.ts'
import { askModelHere } from '../reply/model.steps.ts'
import { answerOf, keepAnswer, openCall } from '../run/external-call.steps.ts'
import { inScope, scopeIn } from '../run/scope.ts'
import { withSilence } from '../run/within.steps.ts'
import { closeOpenCalls, leavesCallsOpen } from './open-calls.steps.ts'
import type { OpenChat } from './open.steps.ts'

/** Returns the result of a chat that has a summary. */
export function resultOf({ scope, self, end }: OpenChat, summary: ChatResult['summary']): ChatResult {
  const { conversation, peer } = self
  const ofGroup = peer.state.managerRole?.summaryMessages(self.state.agent, 'reflection_with_llm')
  const usedUp = scope.budget?.usedUp ?? false
  const reason = conversation.ended ?? peer.conversation.ended ?? end ?? 'no-reply'
  return {
    chatId: null,
    chatHistory: snapshotOf(conversation),
    summary,
    cost: gatheredUsage([self.state, peer.state]),
    humanInput: conversation.humanInput,
    terminationReason: usedUp && end !== 'suspended' ? 'budget' : reason,
    ...(ofGroup && { messages: Object.freeze([...ofGroup]) }),
  }
}

/**
 * Ends a chat after an error. An exhausted budget ends any chat normally, a pending approval the chat with the journal;
 * every other error is thrown again. Open calls get an answer.
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

/** Returns the summary method of a chat; null for no summary. */
export const summaryMethodOf = ({ summaryMethod }: Pick<ChatOptions, 'summaryMethod'>): SummaryMethod | null =>
  summaryMethod === undefined ? DEFAULT_SUMMARY_METHOD : summaryMethod

/** Makes the error for a summary by a model if neither agent has a model. */
export function noModel({ agent }: State, other: State): XError {
  return new XError(
    'invalid-argument',
    `a summary by a model is not possible: neither \`${agent.name}\` nor \`${other.agent.name}\` has one; give one of them an \`llmConfig\``,
  )
}

/** Returns the index that the opening message will have among the messages to summarize. */
export const openingOf = (chat: Chat, options: ChatOptions): number =>
  messagesToSummarize(chat, summaryMethodOf(options)).length

/** Returns the messages to summarize: from the manager role of the recipient, or else from the recipient's conversation. */
const messagesToSummarize = ({ self }: Chat, method: SummaryMethod | null): readonly ChatMessage[] =>
  (method !== null && self.peer.state.managerRole?.summaryMessages(self.state.agent, method)) ||
  self.peer.conversation.messages

/** Summarizes a chat by the method of its options. */
export function* summarizeChat(chat: OpenChat, options: ChatOptions): Steps<string | Record<string, unknown>> {
  const { self, opening } = chat
  const { state, peer } = self
  const method = summaryMethodOf(options)
  if (method === null) return ''
  const args = { ...(chat.cache && { cache: chat.cache }), ...options.summaryArgs }
  const messages = messagesToSummarize(chat, method)
  if (method === 'reflection_with_llm') return yield* reflect(state, peer.state, messages, args)
  if (method !== 'last_msg') return yield* summaryByFunction(chat, method, args)
  if (peer.state.managerRole?.isAnswered?.() === false) return ''
  if (messages.length > 0) return lastMessageSummary(messages, opening)
  const text = `the chat of \`${state.agent.name}\` has no message and an empty summary`
  yield { type: 'warning', agent: state.name, topic: 'summary', text }
  return ''
}

/** The arguments of a summary without the objects of the program among them. */
const plainArgs = (args: SummaryArgs): object =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => notJson(value) === undefined))

/** Summarizes a chat by a function. A journal keeps a summary that is not a text as JSON. */
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
  open.noteInput?.({ function: method.name, args: plainArgs(args) })
  if (open.known) {
    const { text, json } = open.known.value as { text: string; json?: boolean }
    return json ? (JSON.parse(text) as Record<string, unknown>) : text
  }
  const messages = messagesToSummarize(chat, method)
  const summary = yield* answerOf(open, label, ({ run, signal, emit, contextVariables }) =>
    method(agent, recipient, args, { run, signal, emit, contextVariables, messages }),
  )
  const saved = (): { text: string; json?: boolean } =>
    typeof summary === 'string' ? { text: summary } : { text: JSON.stringify(plainJson(summary, label)), json: true }
  if (scope.isRecorded) yield* keepAnswer(open, saved())
  return summary
}

/** Returns the text of the newest message with content; the opening question does not count as its own answer. */
function lastMessageSummary(messages: readonly ChatMessage[], opening: number): string {
  const last = messages.at(-1)!
  const content = (hasContent(last) ? last : messages.slice(opening + 1).findLast(hasContent))?.content
  if (typeof content === 'string') return content.replaceAll(TERMINATION_WORD, '')
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((part) => (part.type === 'text' ? [part.text.replaceAll(TERMINATION_WORD, '')] : []))
    .join('\n')
}

/** Finds the conversation with exactly these messages, whose earlier cuts the `history` of the agent knows. */
const conversationOfMessages = (
  { conversations, history }: State,
  messages: readonly ChatMessage[],
): Conversation | undefined =>
  history ? [...conversations.values()].find((conversation) => conversation.messages === messages) : undefined

/** Asks the model of one of the agents for a summary. If the call fails, the summary is empty and a warning says why. */
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
  const instruction = { role: role as Role, content: prompt }
  const question = {
    seen: () => [...messages.flatMap(unrolled), instruction],
    last: instruction,
    owner: other.model ? other : sender,
    conversation: conversationOfMessages(other, messages),
  }
  // The chat ends without a summary, also when it is resumed: the journal keeps the failure.
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const label = `the summary by the model of ${question.owner.name}`
  const open = openCall(scope, run, { kind: 'summary', label, shape: FAILURE_SHAPE })
  open.end()
  let failure = open.known?.value as string | undefined
  if (failure === undefined) {
    try {
      const summary = yield* inScope(scope.inner({ place: open.place }), askModelHere(sender, model, question, cache))
      return typeof summary === 'string' ? summary : ''
    } catch (error) {
      if (isXError(error, 'budget-exceeded') || isXError(error, 'suspended')) throw error
      failure = error instanceof Error ? error.message : String(error)
      yield* keepAnswer(open, failure)
    }
  }
  const text = `the chat of \`${sender.agent.name}\` could not be summarized by a model and has an empty summary: ${failure}`
  yield { type: 'warning', agent: sender.name, topic: 'summary', text }
  return ''
}
