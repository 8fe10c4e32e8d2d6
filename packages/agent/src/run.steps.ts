import type { ChatMessage, ChatResult, Reply, SummaryMethod, Tool } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { initiateChat } from './chat.steps.ts'
import type { ConversableAgent } from './conversable-agent.ts'
import type { ConversableAgentOptions } from './options.ts'
import { stateOf } from './state.ts'
import { toolList, toolSchema } from './tool.ts'

/** Options of `run`. */
export interface RunChatOptions {
  /** Tools for this run: told to the model, executed by the user's side, gone afterwards. */
  readonly tools?: Tool | readonly Tool[] | undefined
  /** Options of the agent that stands for the user, beside its name and mode. */
  readonly executorKwargs?: Partial<ConversableAgentOptions> | undefined
  /** Round trips; default: until the chat is ended. */
  readonly maxTurns?: number | null | undefined
  /** Who gets the first message; default `agent`. */
  readonly msgTo?: 'agent' | 'user' | undefined
  /** Whether earlier conversation is forgotten; default false. */
  readonly clearHistory?: boolean | undefined
  /** Whether a human is asked for the user's answers; default true. */
  readonly userInput?: boolean | undefined
  readonly summaryMethod?: SummaryMethod | null | undefined
}

/** A chat with an agent that stands for the user and executes the tools (spec, rule 23). */
export function* runChat(agent: ConversableAgent, message: Reply, options: RunChatOptions): Steps<ChatResult> {
  const { msgTo = 'agent', maxTurns = null, clearHistory = false, summaryMethod } = options
  if (msgTo !== 'agent' && msgTo !== 'user') {
    throw new XError('invalid-argument', `\`msgTo\` is \`${String(msgTo)}\`: give 'agent' or 'user'`)
  }
  const executor = executorOf(agent, options)
  const tools = toolList(options.tools)
  const wishes = { message, maxTurns, clearHistory, ...(summaryMethod !== undefined && { summaryMethod }) }
  const told: Tool[] = []
  try {
    for (const tool of tools) {
      executor.registerForExecution(tool)
      agent.updateToolSignature(toolSchema(tool))
      told.push(tool)
    }
    const [from, to] = msgTo === 'agent' ? [executor, agent] : [agent, executor]
    return yield* initiateChat(from, to, wishes)
  } finally {
    for (const { name } of told) agent.updateToolSignature(name, { isRemove: true })
  }
}

function executorOf(
  agent: ConversableAgent,
  { executorKwargs = {}, userInput = true }: RunChatOptions,
): ConversableAgent {
  const state = stateOf(agent)
  state.runExecutor ??= state.createAgent({
    isTerminationMsg: endsRun,
    io: state.io,
    ...(state.logger && { logger: state.logger }),
    ...executorKwargs,
    name: 'user',
    humanInputMode: userInput ? 'ALWAYS' : 'NEVER',
  })
  return state.runExecutor
}

const endsRun = ({ content }: ChatMessage): boolean => typeof content === 'string' && content.includes('TERMINATE')
