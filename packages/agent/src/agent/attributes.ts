import type {
  Agent,
  CacheStore,
  ChatMessage,
  CodeExecutor,
  HookName,
  Hooks,
  HumanInputMode,
  LlmConfig,
  ReplyFunctionRecord,
  Tool,
} from '@x/interfaces'
import { checkOptions, kind } from '@x/kernel/options'
import { AgentOperations } from './operations.ts'
import { textOfResult } from '../data/message.ts'
import { VARIABLES_KIND } from '../options/kinds.ts'
import type { MappedFunction } from '../options/operations.ts'
import { openContext, stateOf } from '../memory/state.ts'

const SYSTEM_MESSAGE_KINDS = { systemMessage: kind.text }
const CONTEXT_KINDS = { contextVariables: VARIABLES_KIND }

/** The attributes of an agent that can be read, and the few that can be set. */
export abstract class AgentAttributes extends AgentOperations implements Agent {
  /** Name, unique among those it talks with. */
  get name(): string {
    return stateOf(this).name
  }

  /** Description for other agents. */
  get description(): string {
    return stateOf(this).settings.description
  }

  /** System message of the model. */
  get systemMessage(): string {
    return textOfResult(stateOf(this).systemMessage.content)
  }

  /** The models of the agent; false for none. */
  get llmConfig(): LlmConfig | false {
    return stateOf(this).llmConfig
  }

  /** When a human is asked. */
  get humanInputMode(): HumanInputMode {
    return stateOf(this).humanInputMode
  }

  set humanInputMode(mode: HumanInputMode) {
    const state = stateOf(this)
    state.humanInputMode = mode
    state.choosesHumanInputMode = true
  }

  /** True if received messages are not shown; null leaves it to the option of each operation. */
  get silent(): boolean | null {
    return stateOf(this).silent ?? null
  }

  set silent(silent: boolean | null) {
    stateOf(this).silent = silent
  }

  /** Cache of the agent's own questions outside a chat; null for the model's own. */
  get clientCache(): CacheStore | null {
    return stateOf(this).clientCache ?? null
  }

  set clientCache(cache: CacheStore | null) {
    stateOf(this).clientCache = cache
  }

  /** Tells for each counterpart whether the agent replies to its messages by default. */
  get replyAtReceive(): ReadonlyMap<Agent | null, boolean> {
    const conversations = [...stateOf(this).conversations.values()]
    return new Map(conversations.map(({ counterpart, replyAtReceive }) => [counterpart, replyAtReceive]))
  }

  /** The conversations by counterpart, oldest message first. */
  get chatMessages(): ReadonlyMap<Agent | null, readonly ChatMessage[]> {
    const begun = [...stateOf(this).conversations.values()].filter((conversation) => conversation.begun)
    return new Map(begun.map(({ counterpart, messages }) => [counterpart, messages]))
  }

  /** The hooks, by the place where they run. */
  get hookLists(): { readonly [N in HookName]: readonly Hooks[N][] } {
    return stateOf(this).hooks
  }

  /** The executor of code blocks; null without one. */
  get codeExecutor(): CodeExecutor | null {
    const config = stateOf(this).codeExecution
    return config && 'executor' in config ? config.executor : null
  }

  /** Docker image, or whether to use one; null when code execution is off. */
  get useDocker(): boolean | string | null {
    const { codeExecution: config, dockerImage } = stateOf(this)
    return config && 'runner' in config ? (dockerImage ?? config.runner.useDocker) : null
  }

  /** A copy of the list of tools that the model is told of. */
  get tools(): Tool[] {
    return [...stateOf(this).tools]
  }

  /** A copy of the functions that calls can name. */
  get functionMap(): Record<string, MappedFunction> {
    return Object.fromEntries(stateOf(this).functionMap ?? [])
  }

  /** Texts that the human typed since the agent was last cleared. */
  get humanInput(): readonly string[] {
    return [...stateOf(this).humanInput]
  }

  /** The reply functions in the order in which they are asked. */
  get replyFuncList(): readonly ReplyFunctionRecord[] {
    return stateOf(this).replies.filter((place) => place !== null)
  }

  /** Replaces the system message. */
  updateSystemMessage(systemMessage: string): void {
    // An `UpdateSystemMessage` may have given nothing, or a promise.
    checkOptions({ systemMessage: systemMessage ?? null }, SYSTEM_MESSAGE_KINDS, 'run `updateSystemMessage`', this.name)
    stateOf(this).systemMessage = Object.freeze({ content: systemMessage, role: 'system' })
  }

  /** A context variable, or the default. */
  getContext(key: string, fallback: unknown = null): unknown {
    const { context } = stateOf(this)
    return context?.has(key) ? context.get(key) : fallback
  }

  /** Sets a context variable. */
  setContext(key: string, value: unknown): void {
    openContext(stateOf(this)).set(key, value)
  }

  /** Sets several context variables. */
  updateContext(contextVariables: Readonly<Record<string, unknown>>): void {
    checkOptions({ contextVariables: contextVariables ?? null }, CONTEXT_KINDS, 'run `updateContext`', this.name)
    for (const [key, value] of Object.entries(contextVariables)) this.setContext(key, value)
  }

  /** Removes a context variable and returns it, or the default. */
  popContext(key: string, fallback: unknown = null): unknown {
    const value = this.getContext(key, fallback)
    stateOf(this).context?.delete(key)
    return value
  }
}
