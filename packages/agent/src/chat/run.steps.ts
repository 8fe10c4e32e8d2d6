import type { Agent, ChatMessage, ChatResult, JsonSchema, Reply, Tool } from '@x/interfaces'
import { type Steps, wait, XError } from '@x/kernel'
import { contentText } from '../data/message.ts'
import { type AnswerWatch, openConversation, snapshotOf, type State, stateOf, warn } from '../memory/state.ts'
import { gatheredUsage } from '../memory/usage.ts'
import type { ResultOptions, RunChatOptions, RunResult } from '../options/operations.ts'
import { generateReply, saysNothing } from '../reply/reply.steps.ts'
import { issuesText, type OutputOf, type Parameters, schemaOf, validation } from '../data/parameters.ts'
import { sameJson } from '../data/plain-json.ts'
import { addFunctions, updateToolSignature, warnOfTimeout } from '../tool/registration.ts'
import { mappedTool, toolList, toolSchema } from '../tool/tool.ts'
import { mustKeepApart } from './begin.steps.ts'
import { holdChat, send } from './chat.steps.ts'
import { type OpenChat, openChat } from './open.steps.ts'

/** Runs a chat of an agent with an executor, which stands for the user and executes the tools; with a `result`, until an answer fits. */
export function runChat(
  agent: Agent,
  message: Reply,
  options: RunChatOptions & Partial<ResultOptions<Parameters>>,
): Steps<ChatResult> {
  const { result, resultRepairs } = options
  if (result) return runForResult(agent, message, { ...options, result })
  if (resultRepairs === undefined) return runToEnd(agent, message, options)
  throw new XError('invalid-argument', 'cannot run `run`: `resultRepairs` comes without a `result`; give its schema')
}

/** Runs the chat until one side ends it. */
function* runToEnd(agent: Agent, message: Reply, options: RunChatOptions): Steps<ChatResult> {
  const user = executorOf(agent, options)
  return yield* openChat(sidesOfRun(agent, user, options), options, (chat) => {
    const tools = runToolsOf(agent, options)
    const sides = { agent, user, chat }
    chat.watch = watchIdle(sides, options, tools.length > 0)
    return holdWithTools(sides, { message, ...options }, tools)
  })
}

/** Runs the chat until an answer fits the schema: the agent is told the schema, and may try again. */
function* runForResult<P extends Parameters>(
  agent: Agent,
  message: Reply,
  options: RunChatOptions & ResultOptions<P>,
): Steps<RunResult<OutputOf<P>>> {
  const user = executorOf(agent, options)
  return yield* openChat(sidesOfRun(agent, user, options), options, (chat) =>
    runToResult({ agent, user, chat }, message, options),
  )
}

/** Returns the states of both sides of a run; the first side starts the chat. */
function sidesOfRun(agent: Agent, user: Agent, { msgTo = 'agent' }: RunChatOptions): readonly [State, State] {
  if (msgTo === 'agent') return [stateOf(user), stateOf(agent)]
  if (msgTo === 'user') return [stateOf(agent), stateOf(user)]
  throw new XError('invalid-argument', `\`msgTo\` is \`${String(msgTo)}\`: give 'agent' or 'user'`)
}

function* runToResult<P extends Parameters>(
  sides: RunSides,
  message: Reply,
  options: RunChatOptions & ResultOptions<P>,
): Steps<RunResult<OutputOf<P>>> {
  const { agent, chat } = sides
  const { result, resultRepairs = 2 } = options
  if (options.msgTo === 'user') {
    throw new XError('invalid-argument', '`msgTo` cannot be combined with `result`: leave it out')
  }
  const schema = schemaOf(result, 'result')
  const judge = new ResultJudge(result, schema, resultRepairs)
  chat.watch = watchResult(sides, judge, schema)
  const question = withText(message, resultInstruction(schema))
  // Without the journal a pending approval is an error: it leaves no result.
  const chatOptions = { maxTurns: 10, ...options, message: question, journal: undefined }
  return yield* holdWithTools(sides, chatOptions, runToolsOf(agent, options), (chatResult) =>
    resultIn(sides, chatResult, judge, options.silent),
  )
}

/** Reads the result of a run whose chat has ended. */
function* resultIn<P extends Parameters>(
  sides: RunSides,
  chatResult: ChatResult,
  judge: ResultJudge<P>,
  silent: boolean | null | undefined,
): Steps<RunResult<OutputOf<P>>> {
  const { agent, user, chat } = sides
  const result = yield* untilResult(sides, judge, silent)
  const chatHistory = snapshotOf(openConversation(stateOf(user), agent, chat))
  const cost = gatheredUsage([stateOf(user), stateOf(agent)])
  return { ...chatResult, chatHistory, cost, terminationReason: 'result', result }
}

/** Text that tells an agent the schema of its answer: not every model has an option for the schema. */
const resultInstruction = (schema: JsonSchema): string =>
  `When you have the answer, give it as one JSON value and nothing else. It has to fit this JSON Schema:\n${JSON.stringify(schema)}`

function withText(message: Reply, text: string): Reply {
  if (typeof message === 'string') return `${message}\n\n${text}`
  const { content } = message
  if (Array.isArray(content)) return { ...message, content: [...content, { type: 'text', text }] }
  return { ...message, content: typeof content === 'string' ? `${content}\n\n${text}` : text }
}

const runToolsOf = (agent: Agent, { tools }: RunChatOptions): readonly Tool[] =>
  tools === undefined ? [] : toolList(tools, `run \`run\` of \`${agent.name}\``)

/** Limits the idle answers of a run that asks no human: an answer without a call ends it, without tools a second one in a row. */
function watchIdle(sides: RunSides, options: RunChatOptions, hasTools: boolean): AnswerWatch {
  const { agent, user, chat } = sides
  const maxIdle = hasTools || stateOf(agent)?.ownTools ? 1 : 2
  const isEmpty = options.clearHistory || options.conversation === 'own'
  const before = isEmpty ? 0 : openConversation(stateOf(user), agent, chat).messages.length
  return watchIdleAnswers(sides, maxIdle, options.msgTo === 'user' ? before + 1 : -1)
}

/** Holds the chat of a run with its tools: until the chat ends the model may call them, and the executor executes the calls. */
function* holdWithTools<R extends ChatResult = ChatResult>(
  { agent, user, chat }: RunSides,
  options: RunChatOptions & { readonly message: Reply },
  tools: readonly Tool[],
  finish?: (result: ChatResult) => Steps<R>,
): Steps<R> {
  const { message, maxTurns = null, clearHistory = false, summaryMethod, journal } = options
  const { maxMessages, silent, conversation } = options
  const chatOptions = {
    ...{ message, maxTurns, maxMessages, silent, clearHistory, journal, conversation },
    ...(summaryMethod !== undefined && { summaryMethod }),
  }
  // Comes first: a chat that is refused must not replace the tools of the run under way.
  const isApart = mustKeepApart(chat, chatOptions)
  const tell = chat.scope.events.isSilent ? () => {} : warn
  const registered: Tool[] = []
  try {
    for (const tool of tools) {
      warnOfTimeout(stateOf(user), tool)
      addFunctions(stateOf(user), { [tool.name]: mappedTool(tool) }, tell)
      addRunTool(stateOf(agent), tool, tell)
      registered.push(tool)
    }
    return yield* holdChat(chat, chatOptions, { isApart }, finish)
  } finally {
    for (const { name } of registered) removeRunTool(stateOf(agent), name)
  }
}

/** Adds a tool to the list of the model for one run. Concurrent runs may share a tool. */
function addRunTool(state: State, tool: Tool, tell: typeof warn): void {
  const schema = toolSchema(tool)
  const known = state.runTools?.get(tool.name)
  if (!known || !sameJson(known.schema, schema)) updateToolSignature(state, schema, false, tell)
  state.runTools ??= new Map()
  state.runTools.set(tool.name, { schema, runs: (known?.runs ?? 0) + 1 })
}

/** Removes a tool from the list of the model when the last run with this tool ends. */
function removeRunTool(state: State, name: string): void {
  const known = state.runTools!.get(name)!
  if (known.runs > 1) state.runTools!.set(name, { ...known, runs: known.runs - 1 })
  else {
    state.runTools!.delete(name)
    updateToolSignature(state, name, true)
  }
}

/** Returns the executor of an agent's runs: one agent for all of them, or a new one for a run with its own conversation. */
function executorOf(agent: Agent, { executorKwargs = {}, userInput = true, conversation }: RunChatOptions): Agent {
  const state = stateOf(agent)
  const createExecutor = (): Agent =>
    state.settings.createAgent({
      isTerminationMsg: endsRun,
      io: state.io,
      silent: state.silent,
      ...(state.logger && { logger: state.logger }),
      ...executorKwargs,
      name: 'user',
      humanInputMode: userInput ? 'ALWAYS' : 'NEVER',
    })
  return conversation === 'own' ? createExecutor() : (state.runExecutor ??= createExecutor())
}

const endsRun = ({ content }: ChatMessage): boolean => typeof content === 'string' && content.includes('TERMINATE')

/** The two sides of a `run`. */
interface RunSides {
  readonly agent: Agent
  /** The agent that stands for the user. */
  readonly user: Agent
  /** The chat of the run. */
  readonly chat: OpenChat
}

/**
 * Ends a `run` that asks no human once the agent has given `maxIdle` answers in a row without a call and the user's side
 * has no reply to the last one.
 */
function watchIdleAnswers({ agent, user, chat }: RunSides, maxIdle: number, opening: number): AnswerWatch {
  const state = stateOf(user)
  let inRow = 0
  let next = 0
  return {
    agent,
    user,
    answerSchema: undefined,
    isLast: null,
    replyByDefault(reply) {
      if (state.humanInputMode !== 'NEVER' || !saysNothing(reply)) return reply
      const conversation = openConversation(state, agent, chat)
      const count = conversation.messages.length
      // The message that opens the chat is not an answer.
      inRow = count === opening ? 0 : count === next ? inRow + 1 : 1
      next = count + 2
      if (inRow < maxIdle) return reply
      conversation.ended = 'answered'
      return null
    },
  }
}

/** Ends a `run` at the first answer that fits the schema, and sends other answers back. */
function watchResult({ agent, user, chat }: RunSides, judge: ResultJudge, schema: JsonSchema): AnswerWatch {
  return {
    agent,
    user,
    answerSchema: schema['type'] === 'object' ? schema : undefined,
    *isLast(messages) {
      const last = messages.at(-1)
      if (!last || hasCall(last) || !(yield* judge.fits(last))) return false
      openConversation(stateOf(user), agent, chat).ended = 'result'
      return true
    },
    replyByDefault: () => judge.takeRepair(),
  }
}

/** True if a message asks for a call. */
const hasCall = ({ tool_calls: calls, function_call: call }: ChatMessage): boolean =>
  Boolean(call) || Boolean(calls && calls.length > 0)

/**
 * Reads the result from the last answer of a run that has ended. An answer that does not fit is sent back while attempts
 * are left; then the run fails with `invalid-result`.
 */
function* untilResult<P extends Parameters>(
  { agent, user, chat }: RunSides,
  judge: ResultJudge<P>,
  silent?: boolean | null,
): Steps<OutputOf<P>> {
  const state = stateOf(user)
  for (;;) {
    const conversation = openConversation(state, agent, chat)
    const { messages, saidLast } = conversation
    const newest = messages.at(-1)
    const isOpen = !saidLast && newest !== undefined && hasCall(newest)
    const answer = messages.findLast(({ name }) => name === agent.name)
    if (!isOpen && answer && (yield* judge.fits(answer))) return judge.value
    const repair = judge.takeRepair()
    // Providers refuse a message that follows calls without an answer.
    const reply = repair !== null && isOpen ? yield* generateReply(state, { sender: agent }) : repair
    if (reply === null) throw judge.failure(agent.name)
    // One question, one answer: the user's side must not reply by itself.
    conversation.replyAtReceive = false
    yield* send(user, reply, agent, { requestReply: true, silent })
  }
}

/** Checks answers against the schema of a `run`, and counts the answers that were sent back. */
class ResultJudge<P extends Parameters = Parameters> {
  readonly #check: ReturnType<typeof validation>
  readonly #repairs: number
  #sentBack = 0
  /** The answer that was checked last, with its value or its problem. */
  #judged: { readonly answer: ChatMessage; readonly reading: AnswerReading } | null = null

  constructor(parameters: P, schema: JsonSchema, repairs: number) {
    this.#check = validation(parameters, schema)
    this.#repairs = repairs
  }

  /** Tells whether an answer fits the schema. */
  *fits(answer: ChatMessage): Steps<boolean> {
    if (this.#judged?.answer !== answer) this.#judged = { answer, reading: yield* readAnswer(answer, this.#check) }
    return 'value' in this.#judged.reading
  }

  /** The value of the answer that was checked last, if it fits. */
  get value(): OutputOf<P> {
    return (this.#judged!.reading as { value: unknown }).value as OutputOf<P>
  }

  /** Returns the text that sends the last answer back, and counts the attempt; null if no attempt is left. */
  takeRepair(): string | null {
    if (this.#sentBack === this.#repairs) return null
    this.#sentBack++
    return `Your answer does not fit: ${this.#problem}. Give the whole JSON value again, corrected, and nothing else.`
  }

  /** Makes the error for an agent without an answer that fits. */
  failure(agent: string): XError {
    const attempts = this.#sentBack + 1
    const problem = this.#problem
    return new XError(
      'invalid-result',
      `\`${agent}\` gave no result that fits after ${attempts} attempts: ${problem}; allow more \`resultRepairs\`, or a simpler schema`,
      { details: { attempts, problem } },
    )
  }

  get #problem(): string {
    const reading = this.#judged?.reading
    return reading && 'problem' in reading ? reading.problem : 'there is no text'
  }
}

/** The value that an answer has by the schema, or the reason why it has none. */
type AnswerReading = { readonly value: unknown } | { readonly problem: string }

function* readAnswer(answer: ChatMessage, check: ReturnType<typeof validation>): Steps<AnswerReading> {
  const parsed = jsonOf(answer)
  if ('problem' in parsed) return parsed
  const valid = yield* wait(check(parsed.value), 'the check of a result')
  return 'issues' in valid ? { problem: issuesText(valid.issues) } : { value: valid.value }
}

/** Reads the JSON value of a message: the whole text, a fenced block, or the outermost braces. */
function jsonOf(message: ChatMessage): AnswerReading {
  const text = contentText(message).replaceAll('TERMINATE', '').trim()
  if (text === '') return { problem: 'there is no text' }
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/u.exec(text)?.[1]
  const braces = /[[{][\s\S]*[\]}]/u.exec(text)?.[0]
  for (const candidate of [text, fenced, braces]) {
    if (candidate === undefined) continue
    try {
      return { value: JSON.parse(candidate) as unknown }
    } catch {
      // The next candidate may be the JSON.
    }
  }
  return { problem: 'it is not JSON' }
}
