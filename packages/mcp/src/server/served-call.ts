import type { CallToolResult, InputRequests, InputRequiredResult } from '@modelcontextprotocol/server'
import type { RunTracer, TraceContext } from '@x/interfaces'
import { plainText } from '../text/plain-text.ts'
import type { StateSeal, WaitingCall } from './sealed-state.ts'

/** A call of a client, for tools and agents. */
export interface ServedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** Name of the authenticated caller; empty without authentication. */
  readonly caller: string
  /** Key of the call; a client repeats a call with the same key. */
  readonly key: string
  readonly signal: AbortSignal
  /** True if a person at the client can be asked. */
  readonly canAsk: boolean
  /** Follows the runs of the call in the trace of the caller; undefined if nobody follows them. */
  readonly tracer: RunTracer | undefined
  /** State of an earlier attempt, which the client sent back. */
  readonly waiting: WaitingCall | undefined
  /** Answers of a person to the questions of that attempt, by identifier. */
  readonly answers: Readonly<Record<string, unknown>>
  /** Sends progress to a client that asked for it. */
  readonly sendProgress: (message: string) => Promise<void>
}

/** The outcome of a call: a result, or questions that the client asks a person. */
export type ServedOutcome = CallToolResult | InputRequiredResult

/** A decision of a person at the client. */
type ServedDecision =
  | { readonly allow: true; readonly answer?: string }
  | { readonly allow: false; readonly reason: string }

/** Reads a decision, or the answer to a question; anything but a clear yes is a no. */
export function readDecision(answer: unknown, isQuestion = false): ServedDecision {
  const { action, content = {} } = (answer ?? {}) as { action?: unknown; content?: Record<string, unknown> }
  const isAccepted = action === 'accept'
  if (isQuestion && isAccepted && typeof content['answer'] === 'string') {
    return { allow: true, answer: content['answer'].slice(0, MAX_TEXT_LENGTH) }
  }
  if (!isQuestion && isAccepted && content['allow'] === true) return { allow: true }
  const given = isAccepted && typeof content['reason'] === 'string' ? content['reason'].slice(0, MAX_TEXT_LENGTH) : ''
  return { allow: false, reason: given ? `the user said: ${given}` : 'the user said no' }
}

/** Characters of a text that a person types at the client. */
const MAX_TEXT_LENGTH = 1000

/** Characters of a text in a question to the person at the client. */
const MAX_SHOWN_LENGTH = 4000

/** Returns a text as the person at the client may decide on it: it says what is cut, and hides nothing. */
export const shownText = (text: string): string => plainText(text, MAX_SHOWN_LENGTH)

/** A question to the person at the client. */
export interface ClientQuestion {
  readonly message: string
  /** True if the answer is a text, and not a decision. */
  readonly wantsText: boolean
}

/** Asks the person at the client to decide or to answer, and lets the client keep the sealed state of the call. */
export async function askClient(
  seal: StateSeal,
  call: ServedCall,
  waiting: WaitingCall,
  questions: Readonly<Record<string, ClientQuestion>>,
): Promise<ServedOutcome> {
  const requestState = await seal.seal(waiting, bindingOf(call))
  if (requestState === undefined) return failedResult('it became too long to wait for an approval at the client')
  const inputRequests: InputRequests = Object.fromEntries(
    Object.entries(questions).map(([id, { message, wantsText }]) => [
      id,
      {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message,
          requestedSchema: {
            type: 'object',
            properties: wantsText
              ? { answer: { type: 'string', title: 'Answer', maxLength: MAX_TEXT_LENGTH } }
              : {
                  allow: { type: 'boolean', title: 'Allow it' },
                  reason: { type: 'string', title: 'Why not', maxLength: MAX_TEXT_LENGTH },
                },
            required: [wantsText ? 'answer' : 'allow'],
          },
        },
      },
    ]),
  )
  return { resultType: 'input_required', inputRequests, requestState }
}

/** Characters of `traceparent` and `tracestate` that are passed on. */
const MAX_TRACE_LENGTHS = { traceparent: 128, tracestate: 8192 }

/** Reads the trace context of a caller, who may have sent anything: its `_meta` wins over the headers of its request. */
export function readTrace(
  meta: Readonly<Record<string, unknown>> | undefined,
  headers: Headers | undefined,
): TraceContext | undefined {
  const read = (from: (name: keyof TraceContext) => unknown): TraceContext | undefined => {
    const [traceparent, tracestate] = (['traceparent', 'tracestate'] as const).map((name) => {
      const value = from(name)
      return typeof value === 'string' && value.length <= MAX_TRACE_LENGTHS[name] ? value : undefined
    })
    return traceparent === undefined ? undefined : { traceparent, ...(tracestate !== undefined && { tracestate }) }
  }
  return read((name) => meta?.[name]) ?? read((name) => headers?.get(name))
}

/** Returns a tracer whose runs go on with the trace of a caller. */
export const tracerIn = (tracer: RunTracer, caller: TraceContext | undefined): RunTracer =>
  caller ? { begin: (context) => tracer.begin(context ?? caller) } : tracer

/** Returns the text that binds a sealed state to a caller and to a call with its arguments. */
export const bindingOf = ({ caller, name, args }: Pick<ServedCall, 'caller' | 'name' | 'args'>): string =>
  JSON.stringify([caller, name, args])

/** Makes the result of a failed call. */
export const failedResult = (reason: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: reason }],
})

/** Makes the result of a call from a text. */
export const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
