import type { Agent, ChatMessage, Role, SummaryArgs, SummaryMethod } from '@x/interfaces'
import { currentRun, isXError, XError, type Steps } from '@x/kernel'
import { DEFAULT_SUMMARY_PROMPT } from '../options/operations.ts'
import { answerOf, keepAnswer, openCall } from '../run/external-call.steps.ts'
import { hasContent, unrolled } from '../data/message.ts'
import { plainJson } from '../data/plain-json.ts'
import { inScope, scopeIn } from '../run/scope.ts'
import { askModelHere } from '../reply/model.steps.ts'
import { FAILURE, SUMMARY } from '../durability/saved-shapes.ts'
import { type ActiveChat, type Conversation, openConversation, type State, stateOf } from '../memory/state.ts'

/** A summary to make. */
export interface SummaryRequest {
  readonly method: SummaryMethod | null
  readonly args: SummaryArgs
  /** Position of the message that opened the chat among those of the recipient. */
  readonly opening: number
}

/** Refuses a summary that cannot be made, before anything is sent. */
export function checkSummary(sender: State, recipient: State, { method }: Pick<SummaryRequest, 'method'>): void {
  if (method === null || typeof method === 'function' || method === 'last_msg') return
  if (method !== 'reflection_with_llm') {
    throw new XError(
      'invalid-argument',
      `\`summaryMethod\` is \`${String(method)}\`: give 'last_msg', 'reflection_with_llm', a function, or null`,
    )
  }
  if (!sender.model && !recipient.model) throw noModel(sender, recipient)
}

function noModel({ agent }: State, other: State): XError {
  return new XError(
    'invalid-argument',
    `a summary by a model was asked for, and neither \`${agent.name}\` nor \`${other.agent.name}\` has one: give one of them an \`llmConfig\``,
  )
}

/** The messages that the summary of a chat is made of: those of the recipient, or what it says as a manager of others. */
export const summaryMessages = (
  recipient: State,
  sender: Agent,
  chat: ActiveChat | null,
  method: SummaryMethod | null,
): readonly ChatMessage[] =>
  (method !== null && recipient.managerRole?.summaryMessages(sender, method)) ||
  openConversation(recipient, sender, chat).messages

/** Sums a chat up. */
export function* summarize(
  sender: State,
  recipient: Agent,
  { method, args, opening }: SummaryRequest,
): Steps<string | Record<string, unknown>> {
  if (method === null) return ''
  if (method === 'last_msg') {
    const { chat } = scopeIn(yield* currentRun())
    const messages = summaryMessages(stateOf(recipient), sender.agent, chat, method)
    if (messages.length > 0) return lastMessageSummary(messages, opening)
    const text = `the chat of \`${sender.agent.name}\` has no message and an empty summary`
    yield { type: 'warning', agent: sender.name, topic: 'summary', text }
    return ''
  }
  if (method === 'reflection_with_llm') return yield* reflect(sender, recipient, args)
  return yield* summaryOf(sender, recipient, method, args)
}

/** The summary that a function makes; what is not a text is kept as the JSON that a model reads of it. */
function* summaryOf(
  sender: State,
  recipient: Agent,
  method: Extract<SummaryMethod, (...args: never) => unknown>,
  args: SummaryArgs,
): Steps<string | Record<string, unknown>> {
  const run = yield* currentRun()
  const { agent } = sender
  const label = 'the function that makes the summary'
  const scope = scopeIn(run)
  const open = openCall(scope, run, { kind: 'summary', label, shape: SUMMARY, agent })
  if (open.known) {
    const { text, json } = open.known.value as { text: string; json?: boolean }
    return json ? (JSON.parse(text) as Record<string, unknown>) : text
  }
  const messages = summaryMessages(stateOf(recipient), agent, scope.chat, method)
  const summary = yield* answerOf(open, label, ({ run, signal, emit }) =>
    method(agent, recipient, args, { run, signal, emit, messages }),
  )
  const saved = (): { text: string; json?: boolean } =>
    typeof summary === 'string' ? { text: summary } : { text: JSON.stringify(plainJson(summary, label)), json: true }
  if (scope.recorder) yield* keepAnswer(open, saved())
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

/** Sums the recipient's side of a chat up by a model. */
function* reflect(sender: State, recipient: Agent, args: SummaryArgs): Steps<string> {
  return yield* reflection(
    sender,
    stateOf(recipient),
    summaryMessages(stateOf(recipient), sender.agent, scopeIn(yield* currentRun()).chat, 'reflection_with_llm'),
    args,
  )
}

/** The conversation that some messages are; its history knows them already. */
const conversationOfMessages = (
  { conversations, history }: State,
  messages: readonly ChatMessage[],
): Conversation | undefined =>
  history ? [...conversations.values()].find((each) => each.messages === messages) : undefined

/** Asks a model of one of the two for a summary of messages; one that fails is a warning and an empty summary. */
export function* reflection(
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
  const open = openCall(scope, run, { kind: 'summary', label, shape: FAILURE })
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
