import { type ConversableAgent, createAgent as createAgentOf, type CreateAgentOptions } from '@x/agent'
import type { ModelRef } from '@x/interfaces'
import { llmConfig } from '@x/model'

/**
 * Makes an agent from a model, instructions and tools, as in
 * `createAgent({ name: 'assistant', model: openai('gpt-5-mini'), instructions: 'Be brief.' })`: `createAgent` of `@x/agent`
 * with `llmConfig` of `@x/model`. Models of a list are asked in order, until one answers.
 */
export const createAgent = (options: CreateAgentOptions<ModelRef | readonly ModelRef[]>): ConversableAgent =>
  createAgentOf(options, llmConfig)
