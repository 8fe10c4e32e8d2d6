import type { Agent, ChatMessage, FunctionCall, ReplyOutcome, ToolResponse } from '@x/interfaces'
import { all, face, wait, type Steps } from '@x/kernel'
import { callArguments } from './call-arguments.ts'
import { textOfResult } from './result-text.ts'
import { refusedCall } from './vetting.steps.ts'
import { conversationWith, type MappedFunction, type State } from './state.ts'

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
  const mapped = state.functionMap.get(name)
  if (!mapped) return { success: false, args: {}, content: `Error: Function ${name} not found.` }
  const read = callArguments(text)
  if ('problem' in read) {
    const content = `Error: ${read.problem}\n The argument must be in JSON format.`
    return { success: false, args: null, content }
  }
  const { value: args } = read
  const reason = yield* refusedCall(state, name, args, callId)
  if (reason !== undefined) return { success: false, args, content: `Error: the call of ${name} was denied: ${reason}` }
  yield { type: 'executeFunction', funcName: name, callId, arguments: args, recipient: state.agent.name }
  try {
    return { success: true, args, content: yield* run(mapped, name, args, callId) }
  } catch (error) {
    return { success: false, args, content: `Error: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function* run(mapped: MappedFunction, name: string, args: object, callId: string | null): Steps<unknown> {
  const { signal, emit } = yield* face()
  return (yield* wait(mapped(args as never, { callId: callId ?? undefined, signal, emit }), name)) ?? null
}

/** Answers the tool calls of the last message: at once in the async faces, results in call order (spec, rule 10). */
export function* generateToolCallsReply(
  state: State,
  messages: readonly ChatMessage[] | null | undefined,
  sender: Agent | null,
): Steps<ReplyOutcome> {
  const message = (messages ?? conversationWith(state, sender).messages).at(-1)
  const calls = message?.tool_calls ?? []
  if (calls.length === 0) return [false, null]
  const responses = yield* all(calls.map((call) => answered(state, call.function ?? {}, call.id)))
  const content = responses.map((response) => response.content).join('\n\n')
  return [true, { role: 'tool', tool_responses: responses, content }]
}

function* answered(state: State, call: Partial<FunctionCall>, callId: string | undefined): Steps<ToolResponse> {
  const [, { content }] = yield* executeFunction(state, call, { callId })
  return { ...(callId !== undefined && { tool_call_id: callId }), role: 'tool', content: textOfResult(content) }
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
