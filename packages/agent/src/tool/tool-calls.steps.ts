import type { Agent, ChatMessage, FunctionCall, ReplyOutcome, ToolResponse } from '@x/interfaces'
import { face, isXError, type Steps } from '@x/kernel'
import { allOrSuspended, apart } from '../resume/apart.steps.ts'
import { callArguments } from './call-arguments.ts'
import { answer, kept, leafRun, placeOf, type Place } from '../resume/leaf.steps.ts'
import { plainOrText } from '../resume/plain-json.ts'
import { textOfResult } from './result-text.ts'
import { CALLED } from '../resume/saved-shapes.ts'
import { conversationWith, type MappedFunction, type State } from '../state/state.ts'
import { permittedCall } from './vetting.steps.ts'

/** Options of one call. */
export interface ExecuteFunctionOptions {
  /** Identifier of the call. */
  readonly callId?: string | null | undefined
  /** Whether an `executedFunction` event follows the call; default false. */
  readonly verbose?: boolean | undefined
}

/** What came of a call: whether it succeeded, and the message that says so. */
export type FunctionOutcome = [success: boolean, result: { name: string; role: 'function'; content: unknown }]

/** Calls a function of the function map; what goes wrong comes back as the content (spec, rule 9). */
export function* executeFunction(
  state: State,
  call: Partial<FunctionCall>,
  { callId = null, verbose = false }: ExecuteFunctionOptions = {},
): Steps<FunctionOutcome> {
  const name = call.name ?? ''
  const called = yield* calledFunction(state, name, call.arguments, callId)
  if (verbose) {
    yield {
      type: 'executedFunction',
      funcName: name,
      callId,
      arguments: called.args,
      content: textOfResult(called.content),
      recipient: state.agent.name,
    }
  }
  return [called.success, { name, role: 'function', content: called.content }]
}

interface Called {
  readonly success: boolean
  readonly args: unknown
  readonly content: unknown
}

function* calledFunction(state: State, name: string, text: unknown, callId: string | null): Steps<Called> {
  const mapped = state.functionMap?.get(name)
  if (!mapped) return { success: false, args: {}, content: `Error: Function ${name} not found.` }
  const read = callArguments(text)
  if ('problem' in read) {
    const content = `Error: ${read.problem}\n The argument must be in JSON format.`
    return { success: false, args: null, content }
  }
  const permitted = yield* permittedCall(state, mapped, { name, args: read.value, callId })
  if ('denied' in permitted) {
    return { success: false, args: read.value, content: `Error: the call of ${name} was denied: ${permitted.denied}` }
  }
  const { args } = permitted
  yield { type: 'executeFunction', funcName: name, callId, arguments: args, recipient: state.agent.name }
  const place = yield* placeOf(`the function ${name} of ${state.name}`, CALLED)
  if (place?.known) return { ...(place.known.value as Outcome), args }
  const outcome = yield* run(state, mapped, { name, args, callId, place })
  yield* kept(place, outcome)
  return { ...outcome, args }
}

type Outcome = Omit<Called, 'args'>

interface Call {
  readonly name: string
  readonly args: object
  readonly callId: string | null
  readonly place: Place | undefined
}

function* run(state: State, mapped: MappedFunction, { name, args, callId, place }: Call): Steps<Outcome> {
  const { signal, emit } = leafRun(state, yield* face(), place)
  try {
    const context = { callId: callId ?? undefined, signal, emit }
    const result = yield* answer(place, name, () => mapped(args as never, context))
    return { success: true, content: place?.scope.journal ? plainOrText(result) : (result ?? null) }
  } catch (error) {
    // A chat inside the function waits for an approval, and this one with it.
    if (isXError(error, 'suspended')) throw error
    return { success: false, content: `Error: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** Answers the tool calls of the last message: at once in the async faces, results in call order (spec, rule 10). */
export function* generateToolCallsReply(
  state: State,
  messages: readonly ChatMessage[] | null | undefined,
  sender: Agent | null,
): Steps<ReplyOutcome> {
  const conversation = conversationWith(state, sender)
  const message = (messages ?? conversation.messages).at(-1)
  const calls = message?.tool_calls ?? []
  if (calls.length === 0) return [false, null]
  const sofar: ToolResponse[] = (conversation.answered = [])
  const responses = yield* allOrSuspended(
    yield* apart(calls.map((call) => answered(state, call.function ?? {}, call.id, sofar))),
  )
  conversation.answered = null
  const content = responses.map((response) => response.content).join('\n\n')
  return [true, { role: 'tool', tool_responses: responses, content }]
}

function* answered(
  state: State,
  call: Partial<FunctionCall>,
  callId: string | undefined,
  sofar: ToolResponse[],
): Steps<ToolResponse> {
  const [, { content }] = yield* executeFunction(state, call, { callId })
  const id = callId !== undefined && { tool_call_id: callId }
  const response: ToolResponse = { ...id, role: 'tool', content: textOfResult(content) }
  sofar.push(response)
  return response
}

/** Answers the function call of the last message (spec, rule 10). */
export function* generateFunctionCallReply(
  state: State,
  messages: readonly ChatMessage[] | null | undefined,
  sender: Agent | null,
): Steps<ReplyOutcome> {
  const message = (messages ?? conversationWith(state, sender).messages).at(-1)
  if (!message?.function_call) return [false, null]
  const [, result] = yield* executeFunction(state, message.function_call, { callId: message.id })
  return [true, result as ChatMessage]
}
