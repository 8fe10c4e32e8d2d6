import type { Agent, ChatMessage, ChatResult, Reply, SummaryMethod, Tool } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { chat, hasOwnConversations } from './chat.steps.ts'
import type { ChatMeans } from './chat-means.ts'
import { inChat } from './with-scope.steps.ts'
import { schemaOf, type OutputOf, type Parameters } from '../schema/parameters.ts'
import { openConversation, stateOf, type State } from '../memory/state.ts'
import { sameJson } from '../schema/plain-json.ts'
import { resultInstruction, structuredResult } from './structured-result.steps.ts'
import { gatheredUsage } from '../memory/usage.ts'
import { addFunctions } from '../tool/function-map.ts'
import { updateToolSignature } from '../tool/signatures.ts'
import { mappedTool, toolList, toolSchema } from '../tool/tool.ts'
import type { Scope } from '../run/scope.ts'

/** Options of `run`. */
export interface RunChatOptions extends ChatMeans {
  /** Tools for this run: told to the model, executed by the user's side, gone afterwards. */
  readonly tools?: Tool | readonly Tool[] | undefined
  /** Options of the agent that stands for the user, beside its name and mode. */
  readonly executorKwargs?: Readonly<Record<string, unknown>> | undefined
  /** Round trips; default: until the chat is ended. */
  readonly maxTurns?: number | null | undefined
  /** Who gets the first message; default `agent`. */
  readonly msgTo?: 'agent' | 'user' | undefined
  /** Whether earlier conversation is forgotten; default false. */
  readonly clearHistory?: boolean | undefined
  /** Whether a human is asked for the user's answers; default true. */
  readonly userInput?: boolean | undefined
  readonly summaryMethod?: SummaryMethod | null | undefined
  /**
   * Where the messages are kept: with the agents (`shared`, the default), or in the result only (`own`): such a run begins
   * empty and may run beside others of the same agent.
   */
  readonly conversation?: 'shared' | 'own' | undefined
}

/** Options of a `run` that gives a checked value. */
export interface ResultOptions<P extends Parameters> {
  /** Shape of the result: zod, any Standard Schema with a JSON Schema, or plain JSON Schema. */
  readonly result: P
  /** Times the agent may try again when its answer does not fit; default 2. */
  readonly resultRepairs?: number | undefined
}

/** The outcome of a `run` with a `result`: the result of the chat, and the checked value. */
export interface RunResult<T> extends ChatResult {
  readonly result: T
}

/** A run whose answer is read as a value of a given shape; the answer is told of it and may try again. */
export function* runForResult<P extends Parameters>(
  agent: Agent,
  message: Reply,
  options: RunChatOptions & ResultOptions<P>,
): Steps<RunResult<OutputOf<P>>> {
  return yield* inChat(options, (scope) => runWithResult(scope, agent, message, options))
}

function* runWithResult<P extends Parameters>(
  scope: Scope,
  agent: Agent,
  message: Reply,
  options: RunChatOptions & ResultOptions<P>,
): Steps<RunResult<OutputOf<P>>> {
  const { result: schema, resultRepairs: repairs = 2 } = options
  if (options.msgTo === 'user') {
    throw new XError('invalid-argument', '`msgTo` cannot be combined with `result`: leave it out')
  }
  const asked = withText(message, resultInstruction(schemaOf(schema, 'result')))
  // An approval that is pending inside has no result: it is an error.
  const user = executorOf(agent, options)
  const ran = yield* runTools(scope, [agent, user], { maxTurns: 10, ...options, message: asked, journal: undefined })
  const result = yield* structuredResult(agent, user, { schema, repairs })
  const [self, other] = [stateOf(user), stateOf(agent)]
  const chatHistory = [...openConversation(self, agent, scope.chat).messages]
  return { ...ran, chatHistory, cost: gatheredUsage([self, other]), result }
}

function withText(message: Reply, text: string): Reply {
  if (typeof message === 'string') return `${message}\n\n${text}`
  const { content } = message
  if (Array.isArray(content)) return { ...message, content: [...content, { type: 'text', text }] }
  return { ...message, content: typeof content === 'string' ? `${content}\n\n${text}` : text }
}

/** A chat with an agent that stands for the user and executes the tools. */
export function* runChat(agent: Agent, message: Reply, options: RunChatOptions): Steps<ChatResult> {
  return yield* inChat(options, (scope) =>
    runTools(scope, [agent, executorOf(agent, options)], { message, ...options }),
  )
}

function* runTools(
  scope: Scope,
  [agent, executor]: readonly [Agent, Agent],
  options: RunChatOptions & { readonly message: Reply },
): Steps<ChatResult> {
  const { message, msgTo = 'agent', maxTurns = null, clearHistory = false, summaryMethod, journal } = options
  const { conversation } = options
  if (msgTo !== 'agent' && msgTo !== 'user') {
    throw new XError('invalid-argument', `\`msgTo\` is \`${String(msgTo)}\`: give 'agent' or 'user'`)
  }
  const tools = toolList(options.tools)
  const chatOptions = {
    message,
    maxTurns,
    clearHistory,
    journal,
    conversation,
    ...(summaryMethod !== undefined && { summaryMethod }),
  }
  const [from, to] = msgTo === 'agent' ? [executor, agent] : [agent, executor]
  const sides = [stateOf(from), stateOf(to)] as const
  // Before the tools of a run under way are replaced by those of this one.
  hasOwnConversations(sides, scope.chat, chatOptions)
  const told: Tool[] = []
  try {
    for (const tool of tools) {
      addFunctions(stateOf(executor), { [tool.name]: mappedTool(tool) })
      addRunTool(stateOf(agent), tool)
      told.push(tool)
    }
    return yield* chat(scope, sides, chatOptions)
  } finally {
    for (const { name } of told) removeRunTool(stateOf(agent), name)
  }
}

/** Tells the model of a tool for a run; runs at once may have the same one. */
function addRunTool(state: State, tool: Tool): void {
  const schema = toolSchema(tool)
  const known = state.runTools?.get(tool.name)
  if (!known || !sameJson(known.schema, schema)) updateToolSignature(state, schema)
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
    state.createAgent({
      isTerminationMsg: endsRun,
      io: state.io,
      ...(state.logger && { logger: state.logger }),
      ...executorKwargs,
      name: 'user',
      humanInputMode: userInput ? 'ALWAYS' : 'NEVER',
    })
  return conversation === 'own' ? createExecutor() : (state.runExecutor ??= createExecutor())
}

const endsRun = ({ content }: ChatMessage): boolean => typeof content === 'string' && content.includes('TERMINATE')
