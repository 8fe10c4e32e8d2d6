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
import { AgentOperations } from './operations.ts'
import { textOfResult } from '../memory/text.ts'
import type { MappedFunction } from '../options/mapped-function.ts'
import { openContext, stateOf, type State } from '../memory/state.ts'

/** The attributes of an agent that can be read, and the few that can be set. */
export abstract class AgentAttributes extends AgentOperations implements Agent {
  /** Name, unique among those it talks with. */
  get name(): string {
    return this.#state.name
  }

  /** What others are told of the agent. */
  get description(): string {
    return this.#state.description
  }

  /** What the model is told first. */
  get systemMessage(): string {
    return textOfResult(this.#state.systemMessage.content)
  }

  /** The models it may ask; false for none. */
  get llmConfig(): LlmConfig | false {
    return this.#state.llmConfig
  }

  /** When a human is asked. */
  get humanInputMode(): HumanInputMode {
    return this.#state.humanInputMode
  }

  set humanInputMode(mode: HumanInputMode) {
    this.#state.humanInputMode = mode
  }

  /** Whether received messages are not shown; null leaves it to each operation. */
  get silent(): boolean | null {
    return this.#state.silent
  }

  set silent(silent: boolean | null) {
    this.#state.silent = silent
  }

  /** Cache of the agent's own questions outside a chat; null for the model's own. */
  get clientCache(): CacheStore | null {
    return this.#state.clientCache
  }

  set clientCache(cache: CacheStore | null) {
    this.#state.clientCache = cache
  }

  /** Whether it replies to each counterpart when nothing else is said. */
  get replyAtReceive(): ReadonlyMap<Agent | null, boolean> {
    const conversations = [...this.#state.conversations.values()]
    return new Map(conversations.map(({ counterpart, replyAtReceive }) => [counterpart, replyAtReceive]))
  }

  /** The conversations by counterpart, oldest message first. */
  get chatMessages(): ReadonlyMap<Agent | null, readonly ChatMessage[]> {
    const begun = [...this.#state.conversations.values()].filter((conversation) => conversation.begun)
    return new Map(begun.map(({ counterpart, messages }) => [counterpart, messages]))
  }

  /** The hooks, by the place where they run. */
  get hookLists(): { readonly [N in HookName]: readonly Hooks[N][] } {
    return this.#state.hooks
  }

  /** The executor of code blocks; null without one. */
  get codeExecutor(): CodeExecutor | null {
    const config = this.#state.codeExecution
    return config && 'executor' in config ? config.executor : null
  }

  /** Docker image, or whether to use one; null when code execution is off. */
  get useDocker(): boolean | string | null {
    const { codeExecution: config, dockerImage } = this.#state
    return config && 'runner' in config ? (dockerImage ?? config.runner.useDocker) : null
  }

  /** A copy of the list of tools that the model is told of. */
  get tools(): Tool[] {
    return [...this.#state.tools]
  }

  /** A copy of the functions that calls can name. */
  get functionMap(): Record<string, MappedFunction> {
    return Object.fromEntries(this.#state.functionMap ?? [])
  }

  /** What humans typed, since it was last cleared. */
  get humanInput(): readonly string[] {
    return [...this.#state.humanInput]
  }

  /** The reply functions in the order in which they are asked. */
  get replyFuncList(): readonly ReplyFunctionRecord[] {
    return this.#state.replies.filter((place) => place !== null)
  }

  /** Changes what the model is told first. */
  updateSystemMessage(systemMessage: string): void {
    this.#state.systemMessage = Object.freeze({ content: systemMessage, role: 'system' })
  }

  /** A context variable, or the default. */
  getContext(key: string, fallback: unknown = null): unknown {
    const { context } = this.#state
    return context?.has(key) ? context.get(key) : fallback
  }

  /** Sets a context variable. */
  setContext(key: string, value: unknown): void {
    openContext(this.#state).set(key, value)
  }

  /** Sets several context variables. */
  updateContext(contextVariables: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(contextVariables)) this.setContext(key, value)
  }

  /** Takes a context variable out and gives it, or the default. */
  popContext(key: string, fallback: unknown = null): unknown {
    const value = this.getContext(key, fallback)
    this.#state.context?.delete(key)
    return value
  }

  get #state(): State {
    return stateOf(this)
  }
}
