import type { ApprovalDecision, ChatMessage } from '@x/interfaces'
import { checkOptions } from '@x/kernel/options'
import { isObject, type Json } from './json.ts'
import {
  type ClaimedDecision,
  contentOf,
  objectsIn,
  pageDecisions,
  type PageDecisions,
  reasonOf,
  refusal,
  requestKinds,
  type UiRequestOptions,
} from './page-request.ts'
import type { UiContinuation } from './ui-message-writer.ts'

/** The request of a page, as far as a server believes it. */
export interface UiRequest extends PageDecisions {
  /** The new message of the user; null for a page that decides. */
  readonly message: ChatMessage | null
  /** The message of the page that decides, for `toUiMessageResponse`; undefined with a new message. */
  readonly continues: UiContinuation | undefined
}

/**
 * Reads the request of `useChat`: its body, or the messages in it. A page is believed little: its last message counts
 * if it is the user's, and so do answers to questions that the server has signed. The history comes from the server's
 * own store. What has another shape is refused with `invalid-argument`.
 */
export async function fromUiMessages(body: unknown, options: UiRequestOptions = {}): Promise<UiRequest> {
  checkOptions(options, requestKinds, 'read the request of a page')
  const last = lastMessage(body)
  const parts = partsOf(last)
  const isUsers = last['role'] === 'user'
  const claims = isUsers ? [] : parts.flatMap((part) => answerIn(part) ?? [])
  return {
    ...(await pageDecisions(claims, options)),
    message: isUsers ? { role: 'user', content: contentOf(parts, options.maxLength) } : null,
    continues: isUsers ? undefined : continuationOf(last),
  }
}

/** A message of a page, as far as its decisions go. */
interface PageMessage {
  readonly role: string
  readonly parts: readonly { readonly type: string; readonly state?: string; readonly toolMetadata?: unknown }[]
}

/**
 * For `sendAutomaticallyWhen` of `useChat`: true once the user has decided on all that the last answer asks. That of the AI SDK
 * waits for calls, too, that go on only when an agent inside them has its decision.
 */
export function hasDecided({ messages }: { readonly messages: readonly PageMessage[] }): boolean {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return false
  // The answer to a decision begins a step.
  const step = last.parts.slice(last.parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  const isQuestion = ({ toolMetadata }: PageMessage['parts'][number]): boolean =>
    isObject(toolMetadata) && toolMetadata['approvalId'] !== undefined
  const isOpen = step.some(
    (part) => part.state === 'approval-requested' || (part.state === 'input-available' && isQuestion(part)),
  )
  return !isOpen && step.some((part) => part.state === 'approval-responded' || isQuestion(part))
}

function lastMessage(body: unknown): Json {
  const messages = isObject(body) ? body['messages'] : body
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  if (!isObject(last)) throw refusal('`messages`, a list with at least one message, is missing')
  if (last['role'] !== 'user' && last['role'] !== 'assistant') throw refusal('the last message is that of neither side')
  return last
}

const partsOf = ({ parts }: Json): Json[] => objectsIn(parts, 'the list `parts` of the last message')

/** Returns the decision of a page on a call, or its answer to a question; null without one. */
function answerIn(part: Json): ClaimedDecision | null {
  const { state, approval, toolMetadata, output, errorText } = part
  const asked = state === 'approval-responded' ? approval : toolMetadata
  if (!isObject(asked)) return null
  const { signature } = asked
  const approvalId = state === 'approval-responded' ? asked['id'] : asked['approvalId']
  if (typeof approvalId !== 'string' || typeof signature !== 'string') return null
  const { approved, reason } = asked
  const denial = (why: unknown): ApprovalDecision => ({ allow: false, ...reasonOf(why) })
  if (state === 'approval-responded') {
    return { approvalId, signature, decision: approved === true ? { allow: true } : denial(reason) }
  }
  if (state === 'output-error') return { approvalId, signature, decision: denial(errorText) }
  if (state !== 'output-available') return null
  const answer = typeof output === 'string' ? output : JSON.stringify(output)
  return { approvalId, signature, decision: { allow: true, answer } }
}

function continuationOf(message: Json): UiContinuation {
  const calls = new Map<string, string>()
  for (const { toolCallId, toolMetadata } of partsOf(message)) {
    const spanId = isObject(toolMetadata) ? toolMetadata['spanId'] : undefined
    if (typeof toolCallId === 'string' && typeof spanId === 'string') calls.set(spanId, toolCallId)
  }
  const { id: messageId, metadata } = message
  if (typeof messageId !== 'string') throw refusal('the last message has no `id`')
  const cursor = isObject(metadata) ? metadata['cursor'] : undefined
  return { messageId, calls, cursor: typeof cursor === 'string' ? cursor : undefined }
}
