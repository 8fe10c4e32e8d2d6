import type {
  Agent,
  ChatMessage,
  ContentPart,
  FunctionCall,
  Io,
  MaybePromise,
  ReplyOutcome,
  Run,
  RunContext,
  SpanEvent,
  ToolCall,
  ToolContext,
  ToolResponse,
} from '@x/interfaces'
import { currentRun, isXError, type Steps } from '@x/kernel'
import { redact } from '@x/kernel/redact'
import { contentOfResult, toolContent } from '@x/kernel/tool-content'
import { CALL_OUTCOME_SHAPE } from '../durability/saved-shapes.ts'
import { humanInput, type Permission, permitCall } from '../human/ask-human.steps.ts'
import { joinedResponses, textOfResult } from '../data/message.ts'
import { openConversation, type State, stateOf } from '../memory/state.ts'
import type { AskedInRun, ExecuteFunctionOptions, FunctionOutcome, MappedFunction } from '../options/operations.ts'
import { answerOf, type CallUnderWay, keepAnswer, openCall } from '../run/external-call.steps.ts'
import { operate, operateSync } from '../run/operate.ts'
import { isWaitedOut } from '../run/recorder.ts'
import { type FailedCall, type Scope, scopeIn } from '../run/scope.ts'
import { beginUnheard, type AgentSpan, sideBySide, withSilence, withSpan } from '../run/within.steps.ts'
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
  const { success, content } = yield* executeCall(state, call, options, caller)
  return [success, { name: call.name ?? '', role: 'function', content: contentOfResult(content) ?? content }]
}

function* executeCall(
  state: State,
  call: Partial<FunctionCall>,
  { callId = null, verbose = false }: ExecuteFunctionOptions,
  caller: Agent | null,
): Steps<CallOutcome> {
  const name = call.name ?? ''
  const choice = { mapped: functionFor(state, caller, name), recipient: state.name, caller: undefined }
  if (!choice.mapped && caller) yield* warnOfOwnFunction(stateOf(caller), state, name)
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

/** Warns once if the agent that calls a function has it itself, where nobody executes its calls. */
function* warnOfOwnFunction(caller: State, { name: executor }: State, name: string): Steps<void> {
  if (!caller.functionMap?.has(name) || caller.warnedFunctions?.has(name)) return
  caller.warnedFunctions = new Set([...(caller.warnedFunctions ?? []), name])
  const text = `\`${caller.name}\` calls its own function \`${name}\`, but \`${executor}\` executes its calls and does not have it: register it with \`${executor}\`, or give it as a tool by \`${caller.name}.use(…)\``
  yield { type: 'warning', agent: caller.name, topic: 'own-function', text }
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

/** A call from the moment that an agent is asked for it, as its events tell it. */
class AskedCall {
  /** Lives as long as the program, so that V8 keeps the layout and the code compiled for it. */
  static readonly kept: AskedCall = new AskedCall({ name: '', text: '{}', callId: null })
  readonly name: string
  readonly callId: string | null
  /** The arguments, or the problem with their text. */
  readonly parsed: CallArguments
  /** The arguments of the call; a person may have changed them. */
  args: Record<string, unknown> | null
  approval: Permission['approval'] = null
  /** The call under way, once it is permitted. */
  open: CallUnderWay | null = null

  constructor({ name, text, callId }: RequestedCall) {
    this.name = name
    this.callId = callId
    this.parsed = callArguments(text)
    this.args = 'value' in this.parsed ? this.parsed.value : null
  }

  get isRecalled(): boolean {
    return this.open?.isRecalled ?? false
  }

  get isUntold(): boolean {
    return this.open?.isUntold ?? false
  }

  /** Keeps the outcome in the journal, unless it is from there. */
  keep(outcome: Outcome, isTold = true): MaybePromise<void> {
    const { open } = this
    return open && !open.known ? open.keep(open.recorded ? recordedOutcome(outcome) : null, isTold) : undefined
  }
}

/** Makes a call: finds the function, reads the arguments, asks for permission, calls. All of it is one span. */
function* findAndCall(state: State, requested: RequestedCall, choice: CallChoice): Steps<CallOutcome> {
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const call = new AskedCall(requested)
  const number = scope.places.spans++
  const steps = permitAndCall(state, run, call, choice)
  const { spans, hearsSpans } = scope.services
  let outcome: Outcome
  if (hearsSpans) outcome = yield* withSpan(scope, run, toolSpan(scope, number, state.name, call), steps)
  else {
    const told = spans && beginUnheard(scope, run, toolSpan(scope, number, state.name, call))
    try {
      outcome = yield* steps
      if (told) told.end(outcome)
    } catch (error) {
      throw told ? told.fail(error) : error
    } finally {
      if (told) told.close()
    }
    if (scope.journal) yield* keepAnswer(call, outcome)
  }
  if (!outcome.success) scope.tally?.noteFailure(call.callId, failedCall(call, choice, outcome))
  return { ...outcome, args: call.args }
}

/** Tells the error of a call that failed. */
function failedCall({ open, approval }: AskedCall, { mapped }: CallChoice, { content }: Outcome): FailedCall {
  const text = textOfResult(content)
  const failed = open ? 'tool-failed' : mapped ? 'invalid-argument' : 'unknown-tool'
  const denial = approval && !approval.allow ? (approval.reason ?? text) : undefined
  const message = denial ?? text.replace(/^Error: /u, '')
  return { text, error: { code: denial === undefined ? failed : null, message } }
}

/** Describes the span of a call. */
const toolSpan = (scope: Scope, number: number, agent: string, call: AskedCall): AgentSpan<'tool', Outcome> => ({
  id: scope.places.span(number),
  common: { type: 'tool', agent, name: call.name, callId: call.callId },
  atStart: { arguments: call.args },
  atEnd: (outcome) => toolEnd(call, outcome),
  failure: toolFailure,
  resumed: scope.isPast,
  recall: call,
  keep: (outcome, isTold) => call.keep(outcome, isTold),
})

/** The model reads the error of a failed function, and the chat goes on. */
const toolFailure = ({ success, content }: Outcome): { code: null; message: string } | undefined =>
  success ? undefined : { code: null, message: textOfResult(content) }

function toolEnd(
  { args, approval }: AskedCall,
  outcome: Outcome | undefined,
): Pick<Extract<SpanEvent, { type: 'toolEnd' }>, 'arguments' | 'result' | 'parts' | 'approval'> {
  const parts = outcome && contentOfResult(outcome.content)
  return {
    arguments: args,
    result: outcome ? textOfResult(outcome.content) : null,
    parts: Array.isArray(parts) ? parts : null,
    approval,
  }
}

function* permitAndCall(state: State, run: Run, call: AskedCall, choice: CallChoice): Steps<Outcome> {
  const { mapped, recipient, caller } = choice
  const { name, callId, parsed } = call
  if (!mapped) {
    call.args = {}
    return { success: false, content: `Error: Function ${name} not found.` }
  }
  if ('problem' in parsed) {
    const content = `Error: ${parsed.problem}\n The argument must be in JSON format.`
    return { success: false, content }
  }
  const permission = yield* permitCall(state, mapped, { name, args: parsed.value, callId })
  call.approval = permission.approval
  if ('denied' in permission) {
    return { success: false, content: `Error: the call of ${name} was denied: ${permission.denied}` }
  }
  const { args } = permission
  call.args = args
  yield {
    type: 'executeFunction',
    agent: state.name,
    funcName: name,
    callId,
    arguments: args,
    recipient,
  }
  const { agent } = state
  const label = `the function ${name}`
  call.open = openCall(scopeIn(run), run, { kind: 'tool', name, label, shape: CALL_OUTCOME_SHAPE, agent })
  call.open.noteInput?.({ arguments: args })
  const { known } = call.open
  if (known) return readOutcome(known.value as RecordedOutcome)
  return yield* callFunction(state, call.open, mapped, { name, args, callId, caller })
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

const readOutcome = ({ success, text, json, parts }: RecordedOutcome): Outcome => ({
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

/** Returns the `io` for a tool: where nobody is there to answer, what it asks waits in the journal. */
function ioFor(state: State, { scope, run }: CallUnderWay): Io {
  const { io } = state
  if (!scope.unattended) return io
  const input = (prompt: string): MaybePromise<string> =>
    run.face === 'sync'
      ? operateSync(humanInput(state, prompt), state, { run })
      : operate(humanInput(state, prompt), state, { run })
  return { ...(io.takes && { takes: io.takes }), send: (event) => io.send(event), input }
}

function* callFunction(
  state: State,
  open: CallUnderWay,
  mapped: MappedFunction,
  { name, args, callId, caller }: PermittedCall,
): Steps<Outcome> {
  try {
    const result = yield* answerOf(open, name, (context) =>
      mapped(
        args as never,
        toolContext(context, open, { callId: callId ?? undefined, io: ioFor(state, open), caller }),
      ),
    )
    return { success: true, content: result ?? null }
  } catch (error) {
    // A chat inside the function waits for an approval, or the run for a provider: this chat waits too.
    if (isXError(error, 'suspended') || (open.inside && isWaitedOut(open.inside, error))) throw error
    if (isFault(error)) {
      const text = `the tool \`${name}\` failed with a ${error.name}, which the model reads as its result: ${error.message}${hintFor(error, args)}`
      yield { type: 'warning', agent: state.name, topic: 'tool-fault', text }
    }
    // Errors of servers repeat the keys that they were sent.
    return { success: false, content: `Error: ${redact(errorText(error), [])}` }
  }
}

/** The text of what a function threw: the message of an error, or else the value, whatever it is. */
function errorText(error: unknown): string {
  const said = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  return typeof said === 'object' && said !== null ? textOfResult(said) : String(said)
}

/** Says where the arguments are, of an error of a function that looked for one of them elsewhere, as in `({ context }) => …`. */
function hintFor({ message }: Error, args: object): string {
  const [, name] = /^Cannot read properties of undefined \(reading '(\w+)'\)$/u.exec(message) ?? []
  if (name === undefined || !Object.hasOwn(args, name)) return ''
  return `; the first argument of \`execute\` has it, as in \`execute: ({ ${name} }) => …\``
}

/** True for an error that a fault of a program makes; those of a network or of bad values have a code or a cause. */
const isFault = (error: unknown): error is Error =>
  (error instanceof TypeError || error instanceof ReferenceError) && error.cause === undefined && !('code' in error)

const toolContext = (
  context: RunContext,
  call: Pick<CallUnderWay, 'key'>,
  facts: Pick<ToolContext, 'callId' | 'io' | 'caller'>,
): ToolContext => ({
  ...facts,
  run: context.run,
  get key() {
    return call.key
  },
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
  const content = joinedResponses(responses)
  return [true, { role: 'tool', tool_responses: responses, content }]
}

function* answerCall(
  { state, caller }: { readonly state: State; readonly caller: Agent | null },
  call: Partial<FunctionCall>,
  callId: string | undefined,
  responsesSoFar: ToolResponse[],
): Steps<ToolResponse> {
  const { content } = yield* withSilence(state.silent, executeCall(state, call, { callId }, caller))
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
export function callArguments(text: unknown): CallArguments {
  const json = typeof text === 'string' ? text : text === undefined || text === null ? '{}' : JSON.stringify(text)
  let value: unknown
  try {
    const whole = json.trim() === '' ? '{}' : /[\n\t]/u.test(json) ? escaped(json) : json
    // The letters of a name may be escaped; a large value is read ten times as fast without a look at each part.
    value = /__proto__|\\u00[5-7]|\de\+?\d{3}/iu.test(whole) ? JSON.parse(whole, guarded) : JSON.parse(whole)
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

function guarded(key: string, value: unknown): unknown {
  if (value === Infinity || value === -Infinity) throw new RangeError(`the number of ${key} is too large`)
  return key === '__proto__' ? undefined : value
}

/** Escapes line ends and tabs inside strings, and drops line ends outside, as the Python library does. */
function escaped(json: string): string {
  const pieces: string[] = []
  let copied = 0
  let begin = 0
  for (let inside = false; begin <= json.length; inside = !inside) {
    const end = nextQuote(json, begin)
    const part = json.slice(begin, end)
    const clean = inside ? part.replaceAll('\n', '\\n').replaceAll('\t', '\\t') : part.replaceAll('\n', '')
    if (clean !== part) {
      pieces.push(json.slice(copied, begin), clean)
      copied = end
    }
    begin = end + 1
  }
  return pieces.join('') + json.slice(copied)
}

/** Finds the next quote without a backslash before it, or the end. */
function nextQuote(json: string, from: number): number {
  let at = json.indexOf('"', from)
  while (at > 0 && json[at - 1] === '\\') at = json.indexOf('"', at + 1)
  return at === -1 ? json.length : at
}
