import type { Agent, ChatMessage, ChatResult, JsonSchema, Reply, Tool } from '@x/interfaces'
import { type Steps, wait, XError } from '@x/kernel'
import { contentText } from '../data/message.ts'
import { type AnswerWatch, openConversation, snapshotOf, type State, stateOf, warn } from '../memory/state.ts'
import { gatheredUsage } from '../memory/usage.ts'
import type { ResultOptions, RunChatOptions, RunResult } from '../options/operations.ts'
import { generateReply, saysNothing } from '../reply/reply.steps.ts'
import { type OutputOf, type Parameters, schemaOf } from '../data/parameters.ts'
import { sameJson } from '../data/plain-json.ts'
import { addFunctions, updateToolSignature, warnOfTimeout } from '../tool/registration.ts'
import { issuesText, mappedTool, toolList, toolSchema, validation } from '../tool/tool.ts'
import { mustKeepApart } from './begin.steps.ts'
import { holdChat, send } from './chat.steps.ts'
import { type OpenChat, openChat } from './open.steps.ts'

/** A chat of an agent with one that stands for the user and executes the tools; with a `result`, until a value fits it. */
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

/** A run until somebody ends it. */
function* runToEnd(agent: Agent, message: Reply, options: RunChatOptions): Steps<ChatResult> {
  const user = executorOf(agent, options)
  return yield* openChat(sidesOfRun(agent, user, options), options, (chat) => {
    const tools = runToolsOf(agent, options)
    const sides = { agent, user, chat }
    chat.watch = watchIdle(sides, options, tools.length > 0)
    return holdWithTools(sides, { message, ...options }, tools)
  })
}

/** A run whose answer is read as a value of a given shape: the agent is told the shape, and may try again. */
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

/** The states of the two sides of a run; the first one starts it. */
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
  const { agent, user, chat } = sides
  const { result, resultRepairs = 2 } = options
  if (options.msgTo === 'user') {
    throw new XError('invalid-argument', '`msgTo` cannot be combined with `result`: leave it out')
  }
  const schema = schemaOf(result, 'result')
  const judge = new ResultJudge(result, schema, resultRepairs)
  chat.watch = watchResult(sides, judge, schema)
  const question = withText(message, resultInstruction(schema))
  // A pending approval inside leaves no result: it is an error.
  const chatOptions = { maxTurns: 10, ...options, message: question, journal: undefined }
  const held = yield* holdWithTools(sides, chatOptions, runToolsOf(agent, options))
  const value = yield* untilResult(sides, judge, options.silent)
  const chatHistory = snapshotOf(openConversation(stateOf(user), agent, chat))
  const cost = gatheredUsage([stateOf(user), stateOf(agent)])
  return { ...held, chatHistory, cost, terminationReason: 'result', result: value }
}

/** The text that tells an agent the shape of its answer; not every model can be told it in another way. */
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

/** Ends a run in which no human is asked: with tools at the first answer without a call, without tools at the second. */
function watchIdle(sides: RunSides, options: RunChatOptions, hasTools: boolean): AnswerWatch {
  const { agent, user, chat } = sides
  const maxIdle = hasTools || stateOf(agent)?.ownTools ? 1 : 2
  const isEmpty = options.clearHistory || options.conversation === 'own'
  const before = isEmpty ? 0 : openConversation(stateOf(user), agent, chat).messages.length
  return watchIdleAnswers(sides, maxIdle, options.msgTo === 'user' ? before + 1 : -1)
}

/** Holds the chat of a run, whose tools the model is told of, and the user executes, until it ends. */
function* holdWithTools(
  { agent, user, chat }: RunSides,
  options: RunChatOptions & { readonly message: Reply },
  tools: readonly Tool[],
): Steps<ChatResult> {
  const { message, maxTurns = null, clearHistory = false, summaryMethod, journal } = options
  const { maxMessages, silent, conversation } = options
  const chatOptions = {
    ...{ message, maxTurns, maxMessages, silent, clearHistory, journal, conversation },
    ...(summaryMethod !== undefined && { summaryMethod }),
  }
  // Decided before the tools of a run under way are replaced by those of this one.
  const isApart = mustKeepApart(chat, chatOptions)
  const tell = chat.scope.events.isSilent ? () => {} : warn
  const told: Tool[] = []
  try {
    for (const tool of tools) {
      warnOfTimeout(stateOf(user), tool)
      addFunctions(stateOf(user), { [tool.name]: mappedTool(tool) }, tell)
      addRunTool(stateOf(agent), tool, tell)
      told.push(tool)
    }
    return yield* holdChat(chat, chatOptions, { isApart })
  } finally {
    for (const { name } of told) removeRunTool(stateOf(agent), name)
  }
}

/** Tells the model of a tool for a run; runs at once may have the same one. */
function addRunTool(state: State, tool: Tool, tell: typeof warn): void {
  const schema = toolSchema(tool)
  const known = state.runTools?.get(tool.name)
  if (!known || !sameJson(known.schema, schema)) updateToolSignature(state, schema, false, tell)
  state.runTools ??= new Map()
  state.runTools.set(tool.name, { schema, runs: (known?.runs ?? 0) + 1 })
}

/** Takes a tool back when the last run that has it ends. */
function removeRunTool(state: State, name: string): void {
  const known = state.runTools!.get(name)!
  if (known.runs > 1) state.runTools!.set(name, { ...known, runs: known.runs - 1 })
  else {
    state.runTools!.delete(name)
    updateToolSignature(state, name, true)
  }
}

/** The agent that stands for the user: the same for all runs, and another for a run with conversations of its own. */
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
 * Looks at the answers of a `run` in which no human is asked: once the agent has answered without a call so many times in
 * a row, and nothing on the user's side has a reply to that, the run ends.
 */
function watchIdleAnswers({ agent, user, chat }: RunSides, most: number, opening: number): AnswerWatch {
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
      if (inRow < most) return reply
      conversation.ended = 'answered'
      return null
    },
  }
}

/** Looks at the answers of a `run` for a result: ends it at the first that fits, and sends others back. */
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

/** Whether a message asks for a call. */
const hasCall = ({ tool_calls: calls, function_call: call }: ChatMessage): boolean =>
  Boolean(call) || Boolean(calls && calls.length > 0)

/**
 * Reads the result out of the last answer of a run that has ended, for whatever reason; one that does not fit is sent back
 * as long as there are attempts, and then the run fails with `invalid-result`.
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
    // Providers refuse a message behind calls that have no answer.
    const reply = repair !== null && isOpen ? yield* generateReply(state, { sender: agent }) : repair
    if (reply === null) throw judge.failure(agent.name)
    // One question and one answer: the user's side says nothing by itself.
    conversation.replyAtReceive = false
    yield* send(user, reply, agent, { requestReply: true, silent })
  }
}

/** Judges answers by the shape that a `run` was asked for, and counts how often one was sent back. */
class ResultJudge<P extends Parameters = Parameters> {
  readonly #check: ReturnType<typeof validation>
  readonly #repairs: number
  #sentBack = 0
  /** The newest answer that was judged, and what came of it. */
  #judged: { readonly answer: ChatMessage; readonly read: Read } | null = null

  constructor(parameters: P, schema: JsonSchema, repairs: number) {
    this.#check = validation(parameters, schema)
    this.#repairs = repairs
  }

  /** Tells whether an answer fits. */
  *fits(answer: ChatMessage): Steps<boolean> {
    if (this.#judged?.answer !== answer) this.#judged = { answer, read: yield* read(answer, this.#check) }
    return 'value' in this.#judged.read
  }

  /** The value of the newest answer, which fits. */
  get value(): OutputOf<P> {
    return (this.#judged!.read as { value: unknown }).value as OutputOf<P>
  }

  /** Gives what the newest answer is sent back with, or null when there are no further attempts. */
  takeRepair(): string | null {
    if (this.#sentBack === this.#repairs) return null
    this.#sentBack++
    return `Your answer does not fit: ${this.#problem}. Give the whole JSON value again, corrected, and nothing else.`
  }

  /** The error for an agent whose answers do not fit. */
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
    const its = this.#judged?.read
    return its && 'problem' in its ? its.problem : 'there is no text'
  }
}

type Read = { readonly value: unknown } | { readonly problem: string }

function* read(answer: ChatMessage, check: ReturnType<typeof validation>): Steps<Read> {
  const parsed = jsonOf(answer)
  if ('problem' in parsed) return parsed
  const valid = yield* wait(check(parsed.value), 'the check of a result')
  return 'issues' in valid ? { problem: issuesText(valid.issues) } : { value: valid.value }
}

/** The JSON value of a message: bare, in a fence, or the outermost braces of its text. */
function jsonOf(message: ChatMessage): Read {
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
