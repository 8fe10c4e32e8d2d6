import type { CallToolResult, InputRequests, InputRequiredResult } from '@modelcontextprotocol/server'
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
type ServedDecision = { readonly allow: true } | { readonly allow: false; readonly reason: string }

/** Reads a decision; anything but a clear yes is a no. */
export function readDecision(answer: unknown): ServedDecision {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { allow?: unknown; reason?: unknown } }
  if (action === 'accept' && content?.allow === true) return { allow: true }
  const reason = action === 'accept' && typeof content?.reason === 'string' ? content.reason.slice(0, 1000) : ''
  return { allow: false, reason: reason ? `the user said: ${reason}` : 'the user said no' }
}

/** Asks the person at the client to decide, and lets the client keep the sealed state of the call. */
export async function askClient(
  seal: StateSeal,
  call: ServedCall,
  waiting: WaitingCall,
  questions: Readonly<Record<string, string>>,
): Promise<ServedOutcome> {
  const requestState = await seal.seal(waiting, bindingOf(call))
  if (requestState === undefined) return failedResult('it became too long to wait for an approval at the client')
  const inputRequests: InputRequests = Object.fromEntries(
    Object.entries(questions).map(([id, message]) => [
      id,
      {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message,
          requestedSchema: {
            type: 'object',
            properties: {
              allow: { type: 'boolean', title: 'Allow it' },
              reason: { type: 'string', title: 'Why not', maxLength: 1000 },
            },
            required: ['allow'],
          },
        },
      },
    ]),
  )
  return { resultType: 'input_required', inputRequests, requestState }
}

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
