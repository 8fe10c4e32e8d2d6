import type { Agent, ChatMessage, HistoryQuestion, LlmConfig, Model, ModelLimits, Run } from '@x/interfaces'
import { XError } from '@x/kernel'

/** What is known where no agent asks. */
interface OutsideFacts {
  readonly messages: readonly ChatMessage[]
  readonly before?: readonly ChatMessage[] | undefined
  readonly llmConfig?: LlmConfig | null | undefined
  readonly limits?: ModelLimits | undefined
  readonly run?: Run | undefined
  readonly conversation?: object | undefined
}

/** Makes a question of what is known where no agent asks, as in a hook. */
export function questionOutside(facts: OutsideFacts): HistoryQuestion {
  const { messages, before = [], llmConfig = null, limits = {}, run, conversation = {} } = facts
  const agent: Agent = { name: 'history', description: '', systemMessage: '' }
  return {
    agent,
    conversation,
    before,
    messages,
    model: llmConfig ? llmConfig.createModel() : noModel(limits),
    llmConfig,
    run,
    refused: false,
    answered: false,
  }
}

/** Stands where a model would be, and has nothing but limits. */
function noModel(limits: ModelLimits): Model {
  const refuse = (): never => {
    throw new XError(
      'invalid-argument',
      'cannot sum a history up outside of an agent: no model is known; give `summarize({ model: llmConfig({ … }) })`',
    )
  }
  return {
    create: async () => refuse(),
    createSync: refuse,
    createStream: refuse,
    limitsOf: () => limits,
    registerModelClient: refuse,
    actualUsageSummary: null,
    totalUsageSummary: null,
    printUsageSummary: () => undefined,
    clearUsageSummary: () => undefined,
  }
}
