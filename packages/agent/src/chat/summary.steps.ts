import type { ChatMessage, Role, SummaryArgs, SummaryMethod } from '@x/interfaces'
import { isXError, XError, type Steps } from '@x/kernel'
import type { ConversableAgent } from '../conversable-agent.ts'
import { DEFAULT_SUMMARY_PROMPT } from '../limits.ts'
import { at, kept, leaf, placeOf } from '../resume/leaf.steps.ts'
import { askModel, unrolled } from '../reply/model-reply.steps.ts'
import { SUMMARY } from '../resume/saved-shapes.ts'
import { conversationWith, stateOf, type State } from '../state/state.ts'

/** What is summed up, and how. */
export interface SummaryWishes {
  readonly method: SummaryMethod | null
  readonly args: SummaryArgs
}

/** Refuses a summary that cannot be made, before anything is sent. */
export function checkSummary(sender: State, recipient: State, { method }: Pick<SummaryWishes, 'method'>): void {
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

/** Sums a chat up (spec, rule 13). */
export function* summarized(
  sender: State,
  recipient: ConversableAgent,
  { method, args }: SummaryWishes,
): Steps<string | Record<string, unknown>> {
  if (method === null) return ''
  if (method === 'last_msg') {
    const { messages } = conversationWith(stateOf(recipient), sender.agent)
    if (messages.length > 0) return lastMessageSummary(messages)
    const text = `the chat of \`${sender.agent.name}\` has no message and an empty summary`
    yield { type: 'warning', topic: 'summary', text }
    return ''
  }
  if (method === 'reflection_with_llm') return yield* reflected(sender, recipient, args)
  return yield* leaf(
    sender,
    'the function that makes the summary',
    () => method(sender.agent, recipient, args),
    SUMMARY,
  )
}

function lastMessageSummary(messages: readonly ChatMessage[]): string {
  const content = messages.at(-1)?.content
  if (typeof content === 'string') return content.replaceAll('TERMINATE', '')
  if (!Array.isArray(content)) return ''
  return content.flatMap((part) => (part.type === 'text' ? [part.text.replaceAll('TERMINATE', '')] : [])).join('\n')
}

/** Sums the recipient's side of a chat up by a model. */
function* reflected(sender: State, recipient: ConversableAgent, args: SummaryArgs): Steps<string> {
  return yield* reflection(sender, stateOf(recipient), recipient.chatMessagesForSummary(sender.agent), args)
}

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
  if (typeof prompt !== 'string') throw new XError('invalid-argument', 'the `summaryPrompt` is no text')
  if (typeof role !== 'string') throw new XError('invalid-argument', 'the `summaryRole` is no text')
  const model = other.model ?? sender.model
  if (!model) throw noModel(sender, other)
  const question = { role: role as Role, content: prompt }
  const asked = { seen: [...messages.flatMap(unrolled), question], last: question, owner: other.model ? other : sender }
  // The chat goes on without a summary; one that is resumed does too.
  const place = yield* placeOf(`the summary by the model of ${asked.owner.name}`)
  let failure = place?.known?.value
  if (failure === undefined) {
    try {
      const summary = yield* at(place, askModel(sender, model, asked, cache))
      return typeof summary === 'string' ? summary : ''
    } catch (error) {
      if (isXError(error, 'budget-exceeded') || isXError(error, 'suspended')) throw error
      failure = error instanceof Error ? error.message : String(error)
      yield* kept(place, failure)
    }
  }
  const text = `the chat of \`${sender.agent.name}\` could not be summed up by a model and has an empty summary: ${String(failure)}`
  yield { type: 'warning', topic: 'summary', text }
  return ''
}
