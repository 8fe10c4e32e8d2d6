import { AssistantAgent, ConversableAgent, UserProxyAgent, type ConversableAgentOptions } from '@x/agent'
import { BUILT_IN, stateOf } from '@x/agent/steps'
import type { Agent, ChatMessage, LlmConfig, Model, ReplyOutcome, RunOptions, XEvent } from '@x/interfaces'
import { runAsync, runStream, runSync, XError } from '@x/kernel'
import type { Random } from '../strategy/random.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { forestResponse, generateForestResponse } from './forest-response.steps.ts'
import type { InternalAgent } from './internal-agent.ts'
import { Reasoner } from './reasoner.ts'
import { rateNode, type RateNodeOptions } from './reasoner.steps.ts'
import { settingsFrom, usesDeprecated, type DeprecatedReasonOptions, type ReasonOptions } from './settings.ts'
import { codeOf } from './with-execution.ts'

/** What makes a reasoning agent. */
export interface ReasoningAgentOptions extends ConversableAgentOptions, DeprecatedReasonOptions {
  /** The models it answers with, and thinks and grades with unless others are given. */
  llmConfig: LlmConfig
  /** The models that propose steps; default: `llmConfig`. */
  thinkerLlmConfig?: LlmConfig | null | undefined
  /** The models that rate steps and answers; default: `llmConfig`. */
  graderLlmConfig?: LlmConfig | null | undefined
  /** How it searches. */
  reasonConfig?: ReasonOptions | null | undefined
  /** Deprecated: the opposite of `silent`. */
  verbose?: boolean | undefined
  /** Numbers in [0, 1) by place, for the choices of a search; default: a seeded stream. */
  random?: Random | undefined
}

/** What a reasoning agent answers. */
export interface ForestResponseOptions extends RunOptions {
  /** Default: the stored history with the sender. */
  messages?: readonly ChatMessage[] | null | undefined
  sender?: Agent | null | undefined
  /** Of the reply function; not used. */
  config?: unknown
}

/**
 * An assistant that answers by searching a tree of thoughts: a thinker proposes steps, a grader rates them. Its calls
 * carry no tools: a search goes on with words, and an answer that is a call would be none.
 */
export class ReasoningAgent extends AssistantAgent {
  readonly #reasoner: Reasoner
  readonly #userProxy: UserProxyAgent | null

  constructor(options: ReasoningAgentOptions) {
    const { thinkerLlmConfig, graderLlmConfig, reasonConfig, verbose, random, ...others } = options
    const { maxDepth, beamSize, answerApproach, codeExecutionConfig, ...rest } = others
    const silent = verbose === undefined ? rest.silent : !verbose
    // Whether the thinker writes code is decided by the config; it runs beside the agent and never in it.
    super({ ...rest, silent, codeExecutionConfig: false })
    const { llmConfig, io, logger } = rest
    if (!llmConfig) {
      throw new XError('invalid-config', `the reasoning agent \`${this.name}\` has no model: give it an \`llmConfig\``)
    }
    const modelOf = (own: LlmConfig | null | undefined) => (): Model =>
      (own ?? llmConfig).createModel({ io, logger, replaces: stateOf(this).model ?? undefined })
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
      runsCode: this.#userProxy ? codeOf(this.#userProxy) : undefined,
      random,
    })
    this.registerReply([ConversableAgent, null], generateForestResponse)
    if (verbose !== undefined) this.#warn('`verbose` of a reasoning agent is deprecated: use `silent`, its opposite')
    if (usesDeprecated(others)) {
      this.#warn('`maxDepth`, `beamSize` and `answerApproach` of a reasoning agent are deprecated: use `reasonConfig`')
    }
  }

  /** How it searches. */
  get method(): string {
    return this.#reasoner.settings.method ?? 'beam_search'
  }

  /** The root of the last tree that was searched; null before the first. */
  get root(): ThinkNode | null {
    return this.#reasoner.root
  }

  /** Proposes the steps. */
  get thinker(): InternalAgent {
    return this.#reasoner.thinker
  }

  /** Rates steps and answers. */
  get grader(): InternalAgent {
    return this.#reasoner.grader
  }

  /** Runs the code of steps; null without a `codeExecutionConfig`. */
  get userProxy(): UserProxyAgent | null {
    return this.#userProxy
  }

  /** What searches for it; for its reply function. */
  get reasoner(): Reasoner {
    return this.#reasoner
  }

  /** Rates a node, in [0, 1]; one that was rated keeps its value. What cannot be read as a rating counts 0. */
  async rateNode(node: ThinkNode, options: RateNodeOptions & RunOptions = {}): Promise<number> {
    const { signal, emit = this.#emit } = options
    return await runAsync(rateNode(this.#reasoner, node, options), { signal, emit })
  }

  /** {@link rateNode}, blocking. */
  rateNodeSync(node: ThinkNode, options: RateNodeOptions & Pick<RunOptions, 'emit'> = {}): number {
    return runSync(rateNode(this.#reasoner, node, options), { emit: options.emit ?? this.#emit })
  }

  /** Answers messages by a search; its own messages are left to the next reply function. */
  async generateForestResponse(options: ForestResponseOptions = {}): Promise<ReplyOutcome> {
    const { signal, emit = this.#emit } = options
    return await runAsync(forestResponse(this, options), { signal, emit })
  }

  /** {@link generateForestResponse}, blocking: one call after the other. */
  generateForestResponseSync(options: Omit<ForestResponseOptions, 'signal'> = {}): ReplyOutcome {
    return runSync(forestResponse(this, options), { emit: options.emit ?? this.#emit })
  }

  /** {@link generateForestResponse}, as a stream of the events of the growing tree that returns the outcome. */
  generateForestResponseStream(
    options: Omit<ForestResponseOptions, 'emit'> = {},
  ): AsyncGenerator<XEvent, ReplyOutcome, void> {
    return runStream(forestResponse(this, options), { signal: options.signal })
  }

  readonly #emit = (event: XEvent): void | PromiseLike<void> => stateOf(this).io.send(event)

  #warn(text: string): void {
    void stateOf(this).io.send({ type: 'warning', topic: 'deprecated', text })
  }

  static {
    // Either door of the reply function names it, as with those of every agent.
    for (const door of ['generateForestResponse', 'generateForestResponseSync'] as const) {
      Object.defineProperty(this.prototype[door], BUILT_IN, { value: generateForestResponse })
    }
  }
}
