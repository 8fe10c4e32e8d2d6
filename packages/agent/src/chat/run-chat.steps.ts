import type { Agent, ChatMessage, ChatResult, JsonSchema, Reply, Tool } from '@x/interfaces'
import { snapshotOf } from '../memory/history.ts'
import { XError, type Steps } from '@x/kernel'
import { chat, hasOwnConversations, type OpenChat } from './chat.steps.ts'
import type { ResultOptions, RunChatOptions, RunResult } from '../options/operations.ts'
import { inChat } from './with-scope.steps.ts'
import { schemaOf, type OutputOf, type Parameters } from '../schema/parameters.ts'
import { sameJson } from '../schema/plain-json.ts'
import { openConversation, stateOf, warn, type ActiveChat, type AnswerWatch, type State } from '../memory/state.ts'
import { watchIdleAnswers, watchResult } from './answer-watch.steps.ts'
import { ResultJudge } from './result-judge.steps.ts'
import { untilResult } from './until-result.steps.ts'
import { gatheredUsage } from '../memory/usage.ts'
import { addFunctions } from '../tool/function-map.ts'
import { updateToolSignature } from '../tool/signatures.ts'
import { mappedTool, toolList, toolSchema } from '../tool/tool.ts'
import { warnOfTimeout } from '../tool/warn-of-timeout.ts'

/** A run whose answer is read as a value of a given shape; the answer is told of it and may try again. */
export function* runForResult<P extends Parameters>(
  agent: Agent,
  message: Reply,
  options: RunChatOptions & ResultOptions<P>,
): Steps<RunResult<OutputOf<P>>> {
  return yield* inChat(options, (scope, active) => runWithResult({ scope, active }, agent, message, options))
}

function* runWithResult<P extends Parameters>(
  open: OpenChat,
  agent: Agent,
  message: Reply,
  options: RunChatOptions & ResultOptions<P>,
): Steps<RunResult<OutputOf<P>>> {
  const { result, resultRepairs = 2 } = options
  if (options.msgTo === 'user') {
    throw new XError('invalid-argument', '`msgTo` cannot be combined with `result`: leave it out')
  }
  const schema = schemaOf(result, 'result')
  const judge = new ResultJudge(result, schema, resultRepairs)
  const asked = withText(message, resultInstruction(schema))
  // An approval that is pending inside has no result: it is an error.
  const its = { maxTurns: 10, ...options, message: asked, journal: undefined }
  const user = executorOf(agent, options)
  const chat = open.active
  const tools = runToolsOf(agent, options)
  const watch = watchResult({ agent, user, chat }, judge, schema)
  const ran = yield* runTools(open, [agent, user], its, { tools, watch })
  const value = yield* untilResult({ agent, user, chat }, judge, options.silent)
  const [self, other] = [stateOf(user), stateOf(agent)]
  const chatHistory = snapshotOf(openConversation(self, agent, chat))
  const cost = gatheredUsage([self, other])
  return { ...ran, chatHistory, cost, terminationReason: 'result', result: value }
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

/** A chat with an agent that stands for the user and executes the tools. */
export function* runChat(agent: Agent, message: Reply, options: RunChatOptions): Steps<ChatResult> {
  return yield* inChat(options, (scope, active) => {
    const user = executorOf(agent, options)
    const tools = runToolsOf(agent, options)
    const watch = watchRun(active, [agent, user], options, tools.length > 0)
    return runTools({ scope, active }, [agent, user], { message, ...options }, { tools, watch })
  })
}

const runToolsOf = (agent: Agent, { tools }: RunChatOptions): readonly Tool[] =>
  toolList(tools, `run \`run\` of \`${agent.name}\``)

/** Ends a run in which no human is asked: with tools at the first answer without a call, and otherwise at the second. */
function watchRun(
  chat: ActiveChat,
  [agent, user]: readonly [Agent, Agent],
  options: RunChatOptions,
  hasTools: boolean,
): AnswerWatch {
  const most = hasTools || stateOf(agent)?.ownTools ? 1 : 2
  const empty = options.clearHistory || options.conversation === 'own'
  const before = empty ? 0 : openConversation(stateOf(user), agent, chat).messages.length
  return watchIdleAnswers({ agent, user, chat }, most, options.msgTo === 'user' ? before + 1 : -1)
}

function* runTools(
  open: OpenChat,
  [agent, executor]: readonly [Agent, Agent],
  options: RunChatOptions & { readonly message: Reply },
  { tools, watch }: { readonly tools: readonly Tool[]; readonly watch: AnswerWatch },
): Steps<ChatResult> {
  const { scope, active } = open
  const { message, msgTo = 'agent', maxTurns = null, clearHistory = false, summaryMethod, journal } = options
  const { conversation } = options
  if (msgTo !== 'agent' && msgTo !== 'user') {
    throw new XError('invalid-argument', `\`msgTo\` is \`${String(msgTo)}\`: give 'agent' or 'user'`)
  }
  const chatOptions = {
    message,
    maxTurns,
    maxMessages: options.maxMessages,
    silent: options.silent,
    clearHistory,
    journal,
    conversation,
    ...(summaryMethod !== undefined && { summaryMethod }),
  }
  const [from, to] = msgTo === 'agent' ? [executor, agent] : [agent, executor]
  const sides = [stateOf(from), stateOf(to)] as const
  // Before the tools of a run under way are replaced by those of this one.
  const keepsOwn = hasOwnConversations(sides, active, chatOptions)
  active.watch = watch
  const tell = scope.silent ? () => {} : warn
  const told: Tool[] = []
  try {
    for (const tool of tools) {
      warnOfTimeout(stateOf(executor), tool)
      addFunctions(stateOf(executor), { [tool.name]: mappedTool(tool) }, tell)
      addRunTool(stateOf(agent), tool, tell)
      told.push(tool)
    }
    return yield* chat(open, sides, chatOptions, { keepsOwn })
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
