import type { Agent, ChatMessage, HistoryQuestion, LlmConfig, Model, ModelLimits, Run } from '@x/interfaces'
import { XError } from '@x/kernel'

/** The known parts of a question without an agent. */
interface StandaloneFacts {
  readonly messages: readonly ChatMessage[]
  readonly before?: readonly ChatMessage[] | undefined
  readonly llmConfig?: LlmConfig | null | undefined
  readonly limits?: ModelLimits | undefined
  readonly run?: Run | undefined
  readonly conversation?: object | undefined
}

/** Makes a question to a history where no agent asks, as in a hook. */
export function standaloneQuestion(facts: StandaloneFacts): HistoryQuestion {
  const { messages, before = [], llmConfig = null, limits = {}, run, conversation = {} } = facts
  const agent: Agent = { name: 'history', description: '', systemMessage: '' }
  return {
    agent,
    conversation,
    before,
    messages,
    model: llmConfig ? llmConfig.createModel() : limitsOnlyModel(limits),
    llmConfig,
    run,
    refused: false,
    answered: false,
  }
}

/** Makes a placeholder for a model: it has limits, and refuses every request. */
function limitsOnlyModel(limits: ModelLimits): Model {
  const refuse = (): never => {
    throw new XError(
      'invalid-argument',
      'cannot summarize a history without an agent: no model is known; give `summarize({ model: llmConfig({ … }) })`',
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

/** Returns stored messages as a model sees them: every tool response is a message of its own. */
export function unrollToolResponses(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(({ tool_responses: responses }) => responses?.length)) return messages
  return messages.flatMap((message): readonly ChatMessage[] => {
    const { tool_responses: responses, ...rest } = message
    if (!responses?.length) return [message]
    return message.role === 'tool' ? responses : [...responses, rest]
  })
}
