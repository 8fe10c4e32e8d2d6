import type { ApprovalDecision, ChatMessage, ContentPart, PendingApproval } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { type Signer, signerOf, signingKinds, type UiSigning } from './signature.ts'
import type { UiContinuation } from './ui-message-writer.ts'

/** Options of `fromUiMessages`. */
export interface UiRequestOptions extends UiSigning {
  /** Name of who decides by this page, for events and records; default: none. */
  readonly by?: string | undefined
  /** Most characters of the message, its files included. Default 1,000,000. */
  readonly maxLength?: number | undefined
}

/** A decision of a page, whose signature is that of the server. */
export interface UiDecision {
  /** The run that asked; of a hosted chat its identifier. */
  readonly runId: string
  readonly id: string
  readonly decision: ApprovalDecision
}

/** The request of a page, as far as a server believes it. */
export interface UiRequest {
  /** The new message of the user; null for a page that decides. */
  readonly message: ChatMessage | null
  readonly decisions: readonly UiDecision[]
  /** The message of the page that decides, for `toUiMessageResponse`; undefined with a new message. */
  readonly continues: UiContinuation | undefined
  /** Decides in the journal of a run, on what waits in it; returns the number of decisions. */
  readonly decideIn: (journal: DecidableJournal) => Promise<number>
  /** Decides in the chats of a host, on what still waits; returns the number of decisions. */
  readonly decideAt: (host: DecidableHost) => Promise<number>
}

/** A `ChatJournal`, as far as decisions need it. */
interface DecidableJournal {
  readonly runId: string | null
  readonly pending: readonly PendingApproval[]
  decide(id: string, decision: ApprovalDecision): Promise<void>
}

/** A host, as far as decisions need it. */
interface DecidableHost {
  decide(id: string, pendingId: string, decision: ApprovalDecision): Promise<void>
}

const KINDS: OptionKinds<UiRequestOptions> = { ...signingKinds, by: kind.text, maxLength: kind.limit(1) }

type Json = Readonly<Record<string, unknown>>

/**
 * Reads the request of `useChat`: its body, or the messages in it. Of all that a page sends, its last message counts if it is the
 * user's, and answers to questions that the server has signed for it; the history is that of the server's own store. What has
 * another shape is refused with `invalid-argument`.
 */
export async function fromUiMessages(body: unknown, options: UiRequestOptions = {}): Promise<UiRequest> {
  checkOptions(options, KINDS, 'read the request of a page')
  const last = lastMessage(body)
  const isUsers = last['role'] === 'user'
  const decisions = isUsers ? [] : await decisionsIn(partsOf(last), signerOf(options), options.by)
  return {
    message: isUsers ? { role: 'user', content: contentOf(partsOf(last), options.maxLength ?? 1_000_000) } : null,
    decisions,
    continues: isUsers ? undefined : continuationOf(last),
    async decideIn(journal) {
      const waits = new Set(journal.pending.map(({ id }) => id))
      const own = decisions.filter(({ runId, id }) => runId === journal.runId && waits.has(id))
      // eslint-disable-next-line no-await-in-loop -- a journal has one writer
      for (const { id, decision } of own) await journal.decide(id, decision)
      return own.length
    },
    async decideAt(host) {
      const made = await Promise.all(
        decisions.map(async ({ runId, id, decision }) => {
          try {
            await host.decide(runId, id, decision)
            return 1
          } catch (error) {
            // It was decided before: a page sends what it has decided again with the next decision.
            if (isXError(error, 'invalid-state')) return 0
            throw error
          }
        }),
      )
      return made.reduce<number>((sum, each) => sum + each, 0)
    },
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

/** Most parts of a message: each may have a signature to check. */
const MAX_PARTS = 10_000

function partsOf({ parts }: Json): Json[] {
  if (!Array.isArray(parts)) throw refusal('the last message has no `parts`')
  if (parts.length > MAX_PARTS) throw refusal(`the last message has more than ${MAX_PARTS} parts`)
  return parts.filter(isObject)
}

function contentOf(parts: readonly Json[], maxLength: number): string | ContentPart[] {
  let length = 0
  const content = parts.flatMap((part): ContentPart[] => {
    const { type } = part
    const value = type === 'text' ? part['text'] : type === 'file' ? part['url'] : undefined
    if (typeof value !== 'string') return []
    length += value.length
    if (length > maxLength) throw refusal(`the message has more than ${maxLength} characters`)
    return [type === 'text' ? { type, text: value } : fileOf(value, part)]
  })
  if (content.length === 0) throw refusal('the message of the user has neither text nor files')
  const [first] = content
  return content.length === 1 && first?.type === 'text' ? first.text : content
}

function fileOf(url: string, { mediaType, filename }: Json): ContentPart {
  const type = String(mediaType)
  const isData = url.startsWith('data:')
  if (type.startsWith('image/') && (isData || url.startsWith('https://')))
    return { type: 'image_url', image_url: { url } }
  if (!isData) throw refusal('a file is sent as a `data:` URL, a picture also as an `https:` URL')
  const format = type === 'audio/wav' ? 'wav' : type === 'audio/mpeg' ? 'mp3' : null
  const comma = url.indexOf(',')
  if (format) return { type: 'input_audio', input_audio: { data: url.slice(comma + 1), format } }
  return { type: 'file', file: { file_data: url, ...(typeof filename === 'string' && { filename }) } }
}

async function decisionsIn(parts: readonly Json[], signer: Signer | null, by?: string): Promise<UiDecision[]> {
  if (!signer) return []
  const decisions: UiDecision[] = []
  for (const part of parts) {
    const answer = answerIn(part)
    if (!answer) continue
    const { approvalId, signature, decision } = answer
    // eslint-disable-next-line no-await-in-loop -- questions are few
    if (!(await signer.verify(approvalId, signature))) continue
    // Places in a run have no slash.
    const slash = approvalId.lastIndexOf('/')
    const runId = approvalId.slice(0, slash)
    decisions.push({
      runId,
      id: approvalId.slice(slash + 1),
      decision: { ...decision, ...(by !== undefined && { by }) },
    })
  }
  return decisions
}

/** Returns the decision of a page on a call, or its answer to a question; null without one. */
function answerIn(part: Json): { approvalId: string; signature: string; decision: ApprovalDecision } | null {
  const { state, approval, toolMetadata, output, errorText } = part
  const asked = state === 'approval-responded' ? approval : toolMetadata
  if (!isObject(asked)) return null
  const { signature } = asked
  const approvalId = state === 'approval-responded' ? asked['id'] : asked['approvalId']
  if (typeof approvalId !== 'string' || typeof signature !== 'string') return null
  const reasonOf = (text: unknown): { reason?: string } => (typeof text === 'string' ? { reason: text } : {})
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

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const refusal = (what: string): XError => new XError('invalid-argument', `the request of a page was refused: ${what}`)
