import { AssistantAgent, ConversableAgent, UserProxyAgent, type ConversableAgentOptions } from '@x/agent'
import { BUILT_IN, operate, operateStream, operateSync, internalsOf, stepsReply, type StepsReply } from '@x/agent/steps'
import type {
  Agent,
  ChatMessage,
  EventStream,
  FunctionSchema,
  LlmConfig,
  Model,
  ReplyOutcome,
  RunOptions,
  SearchBeliefs,
  ToolSchema,
} from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { eventOutside } from '@x/kernel/run'
import type { Random } from '../strategy/random.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { forestResponse, type ForestResponseInput } from './forest-response.steps.ts'
import type { InternalAgent } from './internal-agent.ts'
import { Reasoner } from './reasoner.ts'
import { refuseTool, refuseToolsOf, type ToolsOfModel } from './refuse-tools.ts'
import { rateNode, type RateNodeOptions } from './reasoner.steps.ts'
import { settingsFrom, usesDeprecated, type DeprecatedReasonOptions, type ReasonConfig } from './settings.ts'
import { runCodeWith } from './with-execution.ts'

/** Options of a `ReasoningAgent`. */
export interface ReasoningAgentOptions extends ConversableAgentOptions, DeprecatedReasonOptions {
  /** The models that answer, and by default think and grade. */
  llmConfig: LlmConfig
  /** The models that propose steps; default: `llmConfig`. */
  thinkerLlmConfig?: LlmConfig | null | undefined
  /** The models that rate steps and answers; default: `llmConfig`. */
  graderLlmConfig?: LlmConfig | null | undefined
  /** Options of the search. */
  reasonConfig?: ReasonConfig | null | undefined
  /** Deprecated: the opposite of `silent`. */
  verbose?: boolean | undefined
  /** Random numbers for the choices of a search; default: `seededRandom()`. */
  random?: Random | undefined
}

/** Options of `generateForestResponse`. */
export interface ForestResponseOptions extends RunOptions {
  /** The messages to answer; default: the stored history with the sender. */
  messages?: readonly ChatMessage[] | null | undefined
  sender?: Agent | null | undefined
  /** The config of the reply function; not used. */
  config?: unknown
}

const LLM_CONFIG_KIND = AssistantAgent.optionKinds.llmConfig

/** Kind of the models of the thinker and the grader, which unlike those of an agent cannot be `false`. */
const OWN_LLM_CONFIG_KIND: OptionKinds<ReasoningAgentOptions>['thinkerLlmConfig'] = {
  ...LLM_CONFIG_KIND,
  takes: (value) => value === null || (typeof value === 'object' && LLM_CONFIG_KIND.takes(value)),
}

const RATE_NODE_KINDS: OptionKinds<RateNodeOptions & RunOptions> = {
  groundTruth: kind.orNull(kind.text),
  isOutcome: kind.flag,
  ...runOptionKinds,
}

const FOREST_RESPONSE_KINDS: OptionKinds<ForestResponseOptions> = {
  messages: kind.orNull(kind.list),
  sender: kind.orNull(kind.object),
  config: kind.any,
  ...runOptionKinds,
}

/**
 * An assistant that answers by searching a tree of thoughts: a thinker proposes steps, a grader rates them. It refuses tools
 * for its model, since a tool call cannot be a step or an answer.
 */
export class ReasoningAgent extends AssistantAgent {
  static readonly #kinds: OptionKinds<ReasoningAgentOptions> = {
    ...AssistantAgent.optionKinds,
    thinkerLlmConfig: OWN_LLM_CONFIG_KIND,
    graderLlmConfig: OWN_LLM_CONFIG_KIND,
    reasonConfig: kind.orNull(kind.object),
    verbose: kind.flag,
    random: kind.call,
    maxDepth: kind.limit(1),
    beamSize: kind.whole(1),
    answerApproach: kind.any,
  }

  readonly #reasoner: Reasoner
  readonly #userProxy: UserProxyAgent | null

  constructor(options: ReasoningAgentOptions) {
    checkOptions(options ?? null, ReasoningAgent.#kinds, 'create a reasoning agent')
    const { thinkerLlmConfig, graderLlmConfig, reasonConfig, verbose, random, ...others } = options
    const { maxDepth, beamSize, answerApproach, codeExecutionConfig, ...rest } = others
    const silent = verbose === undefined ? rest.silent : !verbose
    // With the config the thinker writes code; the user proxy runs the code, never this agent.
    super({ ...rest, silent, codeExecutionConfig: false })
    const { llmConfig, io, logger } = rest
    if (!llmConfig) {
      throw new XError(
        'invalid-config',
        `cannot make the reasoning agent \`${this.name}\` without a model: give an \`llmConfig\``,
      )
    }
    for (const each of [this.llmConfig, thinkerLlmConfig, graderLlmConfig]) {
      if (each) refuseToolsOf(this.name, each.config as ToolsOfModel)
    }
    const modelOf = (ownConfig: LlmConfig | null | undefined) => (): Model =>
      (ownConfig ?? llmConfig).createModel({ io, logger, replaces: internalsOf(this).model ?? undefined })
    this.#userProxy = codeExecutionConfig
      ? new UserProxyAgent({
          name: 'reasoner_user_proxy',
          humanInputMode: 'NEVER',
          maxConsecutiveAutoReply: 1,
          codeExecutionConfig,
          silent,
          io,
          logger,
        })
      : null
    this.#reasoner = new Reasoner({
      settings: settingsFrom(reasonConfig ?? {}, { maxDepth, beamSize, answerApproach }),
      answerer: () => ({ name: this.name, systemMessage: this.systemMessage, model: modelOf(undefined)() }),
      models: { thinker: modelOf(thinkerLlmConfig), grader: modelOf(graderLlmConfig) },
      runCode: this.#userProxy ? runCodeWith(this.#userProxy) : undefined,
      random,
    })
    this.registerReply([ConversableAgent, null], ReasoningAgent.#reply)
    if (verbose !== undefined) this.#warn('`verbose` of a reasoning agent is deprecated: use `silent`, its opposite')
    if (usesDeprecated(others)) {
      this.#warn('`maxDepth`, `beamSize` and `answerApproach` of a reasoning agent are deprecated: use `reasonConfig`')
    }
  }

  /** The name of the search method; `own` for a method without a name. */
  get method(): string {
    const { method = 'beam_search' } = this.#reasoner.settings
    return typeof method === 'string' ? method : 'own'
  }

  /** The root of the last search tree; null before the first search. */
  get root(): ThinkNode | null {
    return this.#reasoner.root
  }

  /** The beliefs of the last search about its answer and its models; null before it, and for methods without beliefs. */
  get beliefs(): SearchBeliefs | null {
    return this.#reasoner.beliefs
  }

  /** The internal agent that proposes steps. */
  get thinker(): InternalAgent {
    return this.#reasoner.thinker
  }

  /** The internal agent that rates steps and answers. */
  get grader(): InternalAgent {
    return this.#reasoner.grader
  }

  /** The agent that runs the code of steps; null without a `codeExecutionConfig`. */
  get userProxy(): UserProxyAgent | null {
    return this.#userProxy
  }

  /** Refuses to add a tool for the model: neither a step nor an answer can be a tool call. Removing one is allowed. */
  override updateToolSignature(signature: string | ToolSchema, options: { isRemove?: boolean } = {}): void {
    if (!options.isRemove) refuseTool(this.name, typeof signature === 'string' ? signature : signature?.function?.name)
    super.updateToolSignature(signature, options)
  }

  /** Refuses a function for the model like {@link updateToolSignature}. */
  override updateFunctionSignature(signature: string | FunctionSchema, options: { isRemove?: boolean } = {}): void {
    if (!options.isRemove) refuseTool(this.name, typeof signature === 'string' ? signature : signature?.name)
    super.updateFunctionSignature(signature, options)
  }

  /** Rates a node, in [0, 1]; a rated node keeps its value. A reply without a rating counts as 0. */
  async rateNode(node: ThinkNode, options: RateNodeOptions & RunOptions = {}): Promise<number> {
    checkOptions(options, RATE_NODE_KINDS, 'run `rateNode`', this.name)
    return await operate(rateNode(this.#reasoner, node, options), internalsOf(this), options)
  }

  /** Rates a node like {@link rateNode}, but blocking. */
  rateNodeSync(
    node: ThinkNode,
    options: RateNodeOptions & Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'> = {},
  ): number {
    checkOptions(options, RATE_NODE_KINDS, 'run `rateNode`', this.name)
    return operateSync(rateNode(this.#reasoner, node, options), internalsOf(this), options)
  }

  /** Answers messages by a search, but leaves the agent's own messages to the next reply function. */
  async generateForestResponse(options: ForestResponseOptions = {}): Promise<ReplyOutcome> {
    return await operate(this.#respond(options), internalsOf(this), options)
  }

  /** Answers like {@link generateForestResponse}, but blocking: one model call after the other. */
  generateForestResponseSync(options: Omit<ForestResponseOptions, 'signal'> = {}): ReplyOutcome {
    return operateSync(this.#respond(options), internalsOf(this), options)
  }

  /** Answers like {@link generateForestResponse}, as a stream of the events of the search with a promise of the outcome. */
  generateForestResponseStream(options: Omit<ForestResponseOptions, 'emit'> = {}): EventStream<ReplyOutcome> {
    return operateStream(this.#respond(options), internalsOf(this), options)
  }

  #respond(input: ForestResponseInput): Steps<ReplyOutcome> {
    checkOptions(input, FOREST_RESPONSE_KINDS, 'run `generateForestResponse`', this.name)
    return forestResponse(this, this.#reasoner, input)
  }

  #warn(text: string): void {
    const { io, now } = internalsOf(this)
    void io.send(eventOutside({ type: 'warning', agent: this.name, topic: 'deprecated', text }, now()))
  }

  /** The reply function of all reasoning agents. */
  static readonly #reply: StepsReply = stepsReply('generateForestResponse', (agent, input) =>
    (agent as ReasoningAgent).#respond(input),
  )

  static {
    // Both methods name the reply function, like the methods of the built-in reply functions of every agent.
    for (const method of ['generateForestResponse', 'generateForestResponseSync'] as const) {
      Object.defineProperty(this.prototype[method], BUILT_IN, { value: this.#reply })
    }
  }
}
