import type {
  Agent,
  ChatMessage,
  ContentPart,
  FunctionCall,
  ReplyOutcome,
  RunContext,
  ToolCall,
  ToolContext,
  ToolResponse,
} from '@x/interfaces'
import { currentRun, isXError, type Steps } from '@x/kernel'
import { contentOfResult, toolContent } from '@x/kernel/tool-content'
import { CALL_OUTCOME_SHAPE } from '../durability/saved-shapes.ts'
import { permitCall } from '../human/ask-human.steps.ts'
import { joinedResponses, textOfResult } from '../data/message.ts'
import { openConversation, type State } from '../memory/state.ts'
import type { AskedInRun, ExecuteFunctionOptions, FunctionOutcome, MappedFunction } from '../options/operations.ts'
import { answerOf, type CallUnderWay, keepAnswer, openCall, spanOf } from '../run/external-call.steps.ts'
import { scopeIn } from '../run/scope.ts'
import { sideBySide, withSilence, withSpan } from '../run/within.steps.ts'
import { notJson } from '../data/plain-json.ts'
import { functionFor } from '../tool/registration.ts'

/** Calls a function of the function map. A failure is returned as the content. */
export const executeFunction = (
  state: State,
  call: Partial<FunctionCall>,
  options: ExecuteFunctionOptions = {},
  caller: Agent | null = null,
): Steps<FunctionOutcome> => withSilence(state.silent, outcomeFor(state, call, options, caller))

function* outcomeFor(
  state: State,
  call: Partial<FunctionCall>,
  options: ExecuteFunctionOptions,
  caller: Agent | null,
): Steps<FunctionOutcome> {
  const { success, content } = yield* execute(state, call, options, caller)
  return [success, { name: call.name ?? '', role: 'function', content: contentOfResult(content) ?? content }]
}

function* execute(
  state: State,
  call: Partial<FunctionCall>,
  { callId = null, verbose = false }: ExecuteFunctionOptions,
  caller: Agent | null,
): Steps<CallOutcome> {
  const name = call.name ?? ''
  const choice = { mapped: functionFor(state, caller, name), recipient: state.name, caller: undefined }
  const outcome = yield* findAndCall(state, { name, text: call.arguments, callId }, choice)
  if (verbose) {
    yield {
      type: 'executedFunction',
      agent: state.name,
      funcName: name,
      callId,
      arguments: outcome.args,
      content: textOfResult(outcome.content),
      recipient: state.name,
    }
  }
  return outcome
}

/** The outcome of a call, with the arguments that it was made with. */
interface CallOutcome {
  readonly success: boolean
  readonly args: unknown
  readonly content: unknown
}

/** A call as a message asks for it. */
interface RequestedCall {
  readonly name: string
  /** Text of the arguments. */
  readonly text: unknown
  readonly callId: string | null
}

/** The function of a call, and the agents around it. */
interface CallChoice {
  /** The function; undefined if none has the name. */
  readonly mapped: MappedFunction | undefined
  /** Name of the agent that makes the call, in events. */
  readonly recipient: string
  readonly caller: Agent | undefined
}

/**
 * Makes a call for the agent whose message asked for it, with the vetting and approvals of that agent. Returns the result
 * as it is, not as text.
 */
export function* callFor(
  state: State,
  { id, function: call = {} }: Partial<Omit<ToolCall, 'function'>> & { readonly function?: Partial<FunctionCall> },
  { mapped, recipient }: Pick<CallChoice, 'mapped' | 'recipient'>,
): Steps<{ readonly success: boolean; readonly content: unknown; readonly arguments: unknown }> {
  const [name, callId] = [call.name ?? '', id ?? null]
  const { success, args, content } = yield* findAndCall(
    state,
    { name, text: call.arguments, callId },
    { mapped, recipient, caller: state.agent },
  )
  return { success, content, arguments: args }
}

function* findAndCall(
  state: State,
  { name, text, callId }: RequestedCall,
  { mapped, recipient, caller }: CallChoice,
): Steps<CallOutcome> {
  if (!mapped) return { success: false, args: {}, content: `Error: Function ${name} not found.` }
  const parsed = callArguments(text)
  if ('problem' in parsed) {
    const content = `Error: ${parsed.problem}\n The argument must be in JSON format.`
    return { success: false, args: null, content }
  }
  const permitted = yield* permitCall(state, mapped, { name, args: parsed.value, callId })
  if ('denied' in permitted) {
    return { success: false, args: parsed.value, content: `Error: the call of ${name} was denied: ${permitted.denied}` }
  }
  const { args } = permitted
  yield {
    type: 'executeFunction',
    agent: state.name,
    funcName: name,
    callId,
    arguments: args,
    recipient,
  }
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const { agent } = state
  const open = openCall(scope, run, {
    kind: 'tool',
    name,
    label: `the function ${name}`,
    shape: CALL_OUTCOME_SHAPE,
    agent,
  })
  const details = { type: 'tool', agent: state.name, name, callId } as const
  const span = { details, ...spanOf(open), ...CALL_END } as const
  const outcome = yield* withSpan(scope, run, span, callAndKeep(state, open, mapped, { name, args, callId, caller }))
  return { ...outcome, args }
}

/** Reports a failed function in the end event of its call: the model reads the error, and the chat goes on. */
const CALL_END = {
  outcome: ({ success }: Outcome) => (success ? 'ok' : 'error'),
  atEnd: (outcome: Outcome | undefined) =>
    outcome && !outcome.success ? { error: { code: null, message: textOfResult(outcome.content) } } : {},
} as const

/** Calls a function, or recalls its outcome from the journal. A new outcome is kept before the end of the call is sent. */
function* callAndKeep(state: State, open: CallUnderWay, mapped: MappedFunction, call: PermittedCall): Steps<Outcome> {
  if (open.known) return outcomeOf(open.known.value as RecordedOutcome)
  const outcome = yield* callFunction(state, open, mapped, call)
  yield* keepAnswer(open, open.recorded ? recordedOutcome(outcome) : null)
  return outcome
}

type Outcome = Omit<CallOutcome, 'args'>

/** The outcome of a call, as a journal stores it: the text that a model reads; `json` if the result was not a text. */
interface RecordedOutcome {
  readonly success: boolean
  readonly text: string
  readonly json?: boolean
  /** Content that a model reads in place of the text, if the result has more than text. */
  readonly parts?: readonly ContentPart[]
}

function recordedOutcome({ success, content }: Outcome): RecordedOutcome {
  const text = textOfResult(content)
  const parts = contentOfResult(content)
  if (Array.isArray(parts)) return { success, text, parts }
  return typeof content !== 'string' && parts === undefined && notJson(content) === undefined
    ? { success, text, json: true }
    : { success, text }
}

const outcomeOf = ({ success, text, json, parts }: RecordedOutcome): Outcome => ({
  success,
  content: parts ? toolContent(parts) : json ? (JSON.parse(text || 'null') as unknown) : text,
})

/** A permitted call. */
interface PermittedCall {
  readonly name: string
  readonly args: object
  readonly callId: string | null
  readonly caller: Agent | undefined
}

function* callFunction(
  { io }: State,
  open: CallUnderWay,
  mapped: MappedFunction,
  { name, args, callId, caller }: PermittedCall,
): Steps<Outcome> {
  try {
    const result = yield* answerOf(open, name, (context) =>
      mapped(args as never, toolContext(context, { callId: callId ?? undefined, key: open.key, io, caller })),
    )
    return { success: true, content: result ?? null }
  } catch (error) {
    // A chat inside the function waits for an approval: this chat waits too.
    if (isXError(error, 'suspended')) throw error
    return { success: false, content: `Error: ${error instanceof Error ? error.message : String(error)}` }
  }
}

const toolContext = (
  context: RunContext,
  facts: Pick<ToolContext, 'callId' | 'key' | 'io' | 'caller'>,
): ToolContext => ({
  ...facts,
  run: context.run,
  get signal() {
    return context.signal
  },
  get emit() {
    return context.emit
  },
  get contextVariables() {
    return context.contextVariables
  },
})

/** Answers the tool calls of the last message: side by side unless the call blocks. The responses keep the order of the calls. */
export function* generateToolCallsReply(state: State, { messages, sender, run }: AskedInRun): Steps<ReplyOutcome> {
  const conversation = openConversation(state, sender, scopeIn(run).chat)
  const message = (messages ?? conversation.messages).at(-1)
  const calls = message?.tool_calls ?? []
  if (calls.length === 0) return [false, null]
  const responsesSoFar: ToolResponse[] = (conversation.answered = [])
  const responses = yield* sideBySide(
    calls.map((call) => answerCall({ state, caller: sender }, call.function ?? {}, call.id, responsesSoFar)),
  )
  conversation.answered = null
  const content = joinedResponses(responses, '\n\n')
  return [true, { role: 'tool', tool_responses: responses, content }]
}

function* answerCall(
  { state, caller }: { readonly state: State; readonly caller: Agent | null },
  call: Partial<FunctionCall>,
  callId: string | undefined,
  responsesSoFar: ToolResponse[],
): Steps<ToolResponse> {
  const { content } = yield* withSilence(state.silent, execute(state, call, { callId }, caller))
  const id = callId !== undefined && { tool_call_id: callId }
  const response: ToolResponse = { ...id, role: 'tool', content: contentOfResult(content) ?? textOfResult(content) }
  responsesSoFar.push(response)
  return response
}

/** Answers the function call of the last message. */
export function* generateFunctionCallReply(state: State, { messages, sender, run }: AskedInRun): Steps<ReplyOutcome> {
  const message = (messages ?? openConversation(state, sender, scopeIn(run).chat).messages).at(-1)
  if (!message?.function_call) return [false, null]
  const [, result] = yield* executeFunction(state, message.function_call, { callId: message.id })
  return [true, result as ChatMessage]
}

/** The arguments of a call as an object, or the problem with their text. */
export type CallArguments = { readonly value: Record<string, unknown> } | { readonly problem: string }

/**
 * Reads the JSON text of a call's arguments. Accepts raw line ends and tabs inside strings, which models write, and drops
 * `__proto__` keys.
 */
function callArguments(text: unknown): CallArguments {
  const json = typeof text === 'string' ? text : text === undefined || text === null ? '{}' : JSON.stringify(text)
  let value: unknown
  try {
    value = JSON.parse(json.trim() === '' ? '{}' : escaped(json), guarded)
  } catch (error) {
    return { problem: (error as Error).message }
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { value: value as Record<string, unknown> }
  }
  return {
    problem: `the arguments are ${value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`}`,
  }
}

const guarded = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value)

/** Escapes line ends and tabs inside strings, and drops line ends outside, as the Python library does. */
function escaped(json: string): string {
  let result = ''
  let inside = false
  let last = ' '
  for (const character of json) {
    if (last !== '\\' && character === '"') inside = !inside
    last = character
    if (character === '\n') result += inside ? '\\n' : ''
    else if (character === '\t' && inside) result += '\\t'
    else result += character
  }
  return result
}
