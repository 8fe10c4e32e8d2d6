import type { LlmConfig, Tool } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { refuseForeignWords } from '../options/kinds.ts'
import { ConversableAgent } from './conversable-agent.ts'
import { AGENT_OPTION_KINDS, type ConversableAgentOptions, FOREIGN_AGENT_WORDS, llmRemedy } from './options.ts'

/** Options of {@link createAgent}. */
export interface CreateAgentOptions<M = LlmConfig> extends Omit<
  ConversableAgentOptions,
  'systemMessage' | 'llmConfig' | 'functions'
> {
  /** The model to ask, or several in order of preference: what `llmConfig` of `@x/model` returns, or takes. */
  model: M | LlmConfig
  /** System message of the model; default: `You are a helpful AI Assistant.` */
  instructions?: string | undefined
  /** Tools that the model may call; the agent brings their functions along. */
  tools?: Tool | readonly Tool[] | undefined
}

const CREATE_AGENT_KINDS: OptionKinds<CreateAgentOptions<unknown>> = {
  ...Object.fromEntries(
    Object.entries(AGENT_OPTION_KINDS).filter(([name]) => !['systemMessage', 'llmConfig', 'functions'].includes(name)),
  ),
  name: kind.any,
  model: kind.any,
  instructions: kind.text,
  tools: { ...kind.either(kind.object, kind.list), expected: 'a tool or a list of tools' },
} as OptionKinds<CreateAgentOptions<unknown>>

/** Words of other frameworks, and the words of the full form, for the options of {@link createAgent}. */
const FOREIGN_WORDS: Readonly<Record<string, string | ((value: unknown) => string)>> = {
  ...Object.fromEntries(Object.entries(FOREIGN_AGENT_WORDS).filter(([word]) => !(word in CREATE_AGENT_KINDS))),
  ...Object.fromEntries(
    ['systemMessage', 'system_message', 'system', 'systemPrompt', 'system_prompt', 'prompt'].map((word) => [
      word,
      'write `instructions`, which is its name here',
    ]),
  ),
  llmConfig: 'write `model`, which takes it',
  llm_config: 'write `model`, which takes what `llmConfig` returns',
  functions: 'write `tools`, which the agent executes itself',
  outputType: 'give the schema to the question, as in `agent.run(question, { result: schema })`',
  responseFormat: 'give the schema to the question, as in `agent.run(question, { result: schema })`',
}

/**
 * Makes an agent from a model, instructions and tools, which it executes itself. It stands for the full form, and gives the
 * same object:
 *
 * ```ts
 * new ConversableAgent({ name, systemMessage: instructions, llmConfig: model, humanInputMode: 'NEVER' }).use(tools)
 * ```
 *
 * `model` is what `llmConfig` of `@x/model` returns. With `makeModels`, as in `createAgent(options, llmConfig)`, it may also be
 * what that function takes, such as `openai('gpt-5-mini')`; `createAgent` of `@x/kit` has it built in.
 */
export function createAgent(options: CreateAgentOptions): ConversableAgent
export function createAgent<M>(options: CreateAgentOptions<M>, makeModels: (models: M) => LlmConfig): ConversableAgent
export function createAgent<M>(
  options: CreateAgentOptions<M>,
  makeModels?: (models: M) => LlmConfig,
): ConversableAgent {
  const name: unknown = (options as Partial<CreateAgentOptions> | null)?.name
  const attempt = typeof name === 'string' ? `create the agent \`${name}\`` : 'create an agent'
  refuseForeignWords(options, FOREIGN_WORDS, attempt)
  checkOptions(options ?? null, CREATE_AGENT_KINDS, attempt)
  const { model, instructions, tools, humanInputMode = 'NEVER', ...others } = options
  const llmConfig = isLlmConfig(model) ? model : modelsOf(model, makeModels, attempt)
  const agent = new ConversableAgent({ ...others, systemMessage: instructions, llmConfig, humanInputMode })
  return tools === undefined ? agent : agent.use(tools)
}

const isLlmConfig = (model: unknown): model is LlmConfig =>
  typeof (model as Partial<LlmConfig> | null | undefined)?.createModel === 'function'

function modelsOf<M>(model: M, makeModels: ((models: M) => LlmConfig) | undefined, attempt: string): LlmConfig {
  if (typeof model === 'object' && model !== null && makeModels) return makeModels(model)
  const problem = model === undefined || model === null ? 'it has no `model`' : 'its `model` is none'
  throw new XError(
    'invalid-argument',
    `cannot ${attempt}: ${problem}; ${llmRemedy(model ?? '…', makeModels !== undefined)}`,
  )
}
