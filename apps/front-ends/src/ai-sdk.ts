import {
  isToolUIPart,
  parseJsonEventStream,
  readUIMessageStream,
  uiMessageChunkSchema,
  validateUIMessages,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'

/** A chat of the AI SDK without a page: what its `useChat` does with the chunks. */
export interface Read {
  readonly chunks: UIMessageChunk[]
  /** The message that they make; undefined if there are none. */
  readonly message: UIMessage | undefined
  readonly errors: unknown[]
}

/** Reads a response as `useChat` does: every chunk passes the validator of the AI SDK, and so does the message that they make. */
export async function readResponse(response: Response, earlier?: UIMessage): Promise<Read> {
  const chunks: UIMessageChunk[] = []
  const errors: unknown[] = []
  const stream = parseJsonEventStream({ stream: response.body!, schema: uiMessageChunkSchema }).pipeThrough(
    new TransformStream({
      transform(part, controller) {
        if (!part.success) throw part.error
        chunks.push(structuredClone(part.value))
        controller.enqueue(part.value)
      },
    }),
  )
  let message: UIMessage | undefined
  const given = earlier && { message: structuredClone(earlier) }
  for await (const each of readUIMessageStream({ ...given, stream, onError: (error) => errors.push(error) }))
    message = each
  if (message && message.parts.length > 0) await validateUIMessages({ messages: [message] })
  return { chunks, message, errors }
}

/** How a page decides. */
interface Decisions {
  /** Type of the parts that it refuses; default: none. */
  readonly refuse?: string
  /** Answer to all questions; default `yes`. */
  readonly answer?: string
}

/** Decides as a page does by `addToolApprovalResponse` and `addToolOutput`: on everything that a message asks. */
export function decideOn(message: UIMessage, { refuse = '', answer = 'yes' }: Decisions = {}): UIMessage {
  const parts = message.parts.map((part): UIMessage['parts'][number] => {
    if (!isToolUIPart(part)) return part
    if (part.state === 'approval-requested') {
      const approval = { ...part.approval, approved: part.type !== refuse, reason: `${part.type} was decided on` }
      return { ...part, state: 'approval-responded', approval }
    }
    if (part.state === 'input-available' && part.toolMetadata?.['approvalId'] !== undefined) {
      return { ...part, state: 'output-available', output: answer }
    }
    return part
  })
  return { ...message, parts }
}
