import type { CallToolResult, InputRequests, InputRequiredResult } from '@modelcontextprotocol/server'
import type { StateSeal, WaitingCall } from './sealed-state.ts'

/** A call of a client, as tools and agents are given it. */
export interface ServedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** Who calls. */
  readonly caller: string
  /** Names the call; a client that gives a key gives the same for a repetition. */
  readonly key: string
  readonly signal: AbortSignal
  /** Whether a person at the client can be asked. */
  readonly canAsk: boolean
  /** What the client sent back of an earlier attempt. */
  readonly waiting: WaitingCall | undefined
  /** What a person said to the questions of that attempt, by identifier. */
  readonly answers: Readonly<Record<string, unknown>>
  /** Tells the client of progress, where it listens. */
  readonly tell: (message: string) => Promise<void>
}

/** The outcome of a call: a result, or questions that the client asks a person. */
export type ServedOutcome = CallToolResult | InputRequiredResult

/** A decision of a person at the client. */
export type ServedDecision = { readonly allow: true } | { readonly allow: false; readonly reason: string }

/** Reads a decision; whatever is not a clear yes is a no. */
export function decisionOf(answer: unknown): ServedDecision {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { allow?: unknown; reason?: unknown } }
  if (action === 'accept' && content?.allow === true) return { allow: true }
  const reason = action === 'accept' && typeof content?.reason === 'string' ? content.reason.slice(0, 1000) : ''
  return { allow: false, reason: reason ? `the user said: ${reason}` : 'the user said no' }
}

/** Asks the person at the client to decide, with what the server needs to go on. */
export async function askClient(
  seal: StateSeal,
  call: ServedCall,
  waiting: WaitingCall,
  questions: Readonly<Record<string, string>>,
): Promise<ServedOutcome> {
  const requestState = await seal.seal(waiting, bindingOf(call))
  if (requestState === undefined) return failed('it became too long to wait for an approval at the client')
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

/** Returns what a sealed state is bound to: the caller, and the call with its arguments. */
export const bindingOf = ({ caller, name, args }: Pick<ServedCall, 'caller' | 'name' | 'args'>): string =>
  JSON.stringify([caller, name, args])

/** The result of a call that failed. */
export const failed = (why: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text: why }] })

/** The result of a call, as text. */
export const given = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
