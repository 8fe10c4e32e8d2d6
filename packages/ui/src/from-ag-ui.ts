import type { ApprovalDecision, ChatMessage } from '@x/interfaces'
import { checkOptions } from '@x/kernel/options'
import type { AgUiMessage } from './ag-ui-event.ts'
import type { AgUiInput } from './ag-ui-writer.ts'
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

/** The request of a page of AG-UI, as far as a server believes it. */
export interface AgUiRequest extends PageDecisions {
  /** The new message of the user; null for a page that decides, or that reads an answer again. */
  readonly message: ChatMessage | null
  /** The request as `toAgUi` needs it: its ids, and the messages that the page has. */
  readonly input: AgUiInput
  /** Names of the tools that the page offers. A run gets none of them: its tools are those of the server. */
  readonly offeredTools: readonly string[]
}

/**
 * Reads a `RunAgentInput` of AG-UI. A page is believed little: its last message counts if it is the user's, and so do
 * answers to questions that the server has signed; a message beside answers counts if all of them are `cancelled`. The
 * history comes from the server's own store; tools, context and state of the page are left out. What has another shape is
 * refused with `invalid-argument`.
 */
export async function fromAgUi(body: unknown, options: UiRequestOptions = {}): Promise<AgUiRequest> {
  checkOptions(options, requestKinds, 'read the request of a page')
  if (!isObject(body)) throw refusal('it is not an object')
  const { threadId, runId, tools, resume } = body
  if (typeof threadId !== 'string' || typeof runId !== 'string') throw refusal('`threadId` or `runId` is missing')
  const messages = objectsIn(body['messages'], '`messages`').filter(isMessage)
  const answers = resume === undefined || resume === null ? [] : objectsIn(resume, '`resume`')
  const last = messages.at(-1)
  // A client may send no message while questions are open: it abandons all of them with the message.
  const isNew = last?.role === 'user' && answers.every(({ status }) => status === 'cancelled')
  return {
    ...(await pageDecisions(
      answers.flatMap((each) => answerIn(each) ?? []),
      options,
    )),
    message: isNew ? { role: 'user', content: contentOf(partsOf(last['content']), options.maxLength) } : null,
    input: { threadId, runId, messages, cursor: isNew ? undefined : answers.map(cursorIn).find((cursor) => cursor) },
    offeredTools: Array.isArray(tools)
      ? tools.filter(isObject).flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
      : [],
  }
}

const isMessage = (message: Json): message is AgUiMessage =>
  typeof message['id'] === 'string' && typeof message['role'] === 'string'

/** The types of files, with the type that is assumed if a page names none. */
const FILE_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['image', 'image/*'],
  ['audio', 'audio/*'],
  ['video', 'video/*'],
  ['document', 'application/octet-stream'],
])

/** Returns the parts of a message as the AI SDK has them. */
function partsOf(content: unknown): Json[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return objectsIn(content, 'the content of the last message').flatMap((part) => {
    const mediaType = FILE_TYPES.get(part['type'])
    return mediaType === undefined ? [part['type'] === 'text' ? part : {}] : [fileOf(part, mediaType)]
  })
}

function fileOf({ source, metadata }: Json, assumed: string): Json {
  if (!isObject(source)) throw refusal('a file has no `source`')
  const { type, value, mimeType } = source
  const mediaType = typeof mimeType === 'string' ? mimeType : assumed
  if (!/^[\w.+-]+\/[\w.+*-]+$/u.test(mediaType)) throw refusal('a file has no media type')
  // A handle of a file at a provider may be that of another user.
  if (typeof value !== 'string' || type === 'file') throw refusal('a file is sent as data, a picture also by its URL')
  const url = type === 'data' ? `data:${mediaType};base64,${value}` : value
  return { type: 'file', url, mediaType, filename: isObject(metadata) ? metadata['filename'] : undefined }
}

/** Takes the id of a question apart: signature, cursor, and the id that was signed. */
function questionIn({ interruptId }: Json): { signature: string; cursor: string; approvalId: string } | null {
  const [, signature, cursor, approvalId] =
    /^([^/]+)\/([^/]*)\/(.+)$/su.exec(typeof interruptId === 'string' ? interruptId : '') ?? []
  return signature && cursor !== undefined && approvalId ? { signature, cursor, approvalId } : null
}

/** Returns the answer of a page to a question. */
function answerIn(entry: Json): ClaimedDecision | null {
  const question = questionIn(entry)
  if (!question) return null
  const { signature, approvalId } = question
  return { approvalId, signature, decision: decisionIn(entry, signature.startsWith('question.')) }
}

function decisionIn({ status, payload }: Json, isQuestion: boolean): ApprovalDecision {
  if (status !== 'resolved') return { allow: false }
  if (isQuestion) {
    if (payload === undefined || payload === null) return { allow: false }
    return { allow: true, answer: typeof payload === 'string' ? payload : JSON.stringify(payload) }
  }
  const { approved, reason } = isObject(payload) ? payload : { approved: payload, reason: undefined }
  return approved === true ? { allow: true } : { allow: false, ...reasonOf(reason) }
}

/** Returns where the page has stopped to read the log of a hosted chat. */
function cursorIn(entry: Json): string | undefined {
  try {
    return decodeURIComponent(questionIn(entry)?.cursor ?? '') || undefined
  } catch {
    return undefined
  }
}
