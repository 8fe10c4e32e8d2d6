import type { LlmConfig, Tool } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { ConversableAgent } from './conversable-agent.ts'
import { toolList } from '../tool/tool.ts'
import { createAgentWords } from './foreign-words.ts'
import { modelRemedy } from './model-remedy.ts'
import { AGENT_OPTION_KINDS, type ConversableAgentOptions } from './options.ts'

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
  instructions: AGENT_OPTION_KINDS.systemMessage,
  // `toolList` refuses what is no tool.
  tools: kind.any,
} as OptionKinds<CreateAgentOptions<unknown>>

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
  checkCreation(options, attempt, makeModels !== undefined)
  const { model, instructions, tools: given, humanInputMode = 'NEVER', ...others } = options
  const tools = toolList(given, attempt)
  const llmConfig = isLlmConfig(model) ? model : llmConfigOf(model, makeModels, attempt)
  const agent = new ConversableAgent({ ...others, systemMessage: instructions, llmConfig, humanInputMode })
  return tools.length === 0 ? agent : agent.use(tools)
}

const REF_WORDS = createAgentWords(true)
const LLM_CONFIG_WORDS = createAgentWords(false)

/** Refuses an unknown or wrong option of a new agent. */
function checkCreation(options: unknown, attempt: string, takesRefs: boolean): void {
  if (options === undefined || options === null) {
    const model = takesRefs ? "openai('gpt-5-mini')" : "llmConfig(openai('gpt-5-mini'))"
    throw new XError(
      'invalid-argument',
      `cannot ${attempt}: it has no options; write \`createAgent({ name: 'assistant', model: ${model}, instructions: '…' })\``,
    )
  }
  checkOptions(options, CREATE_AGENT_KINDS, attempt, takesRefs ? REF_WORDS : LLM_CONFIG_WORDS)
}

const isLlmConfig = (model: unknown): model is LlmConfig =>
  typeof (model as Partial<LlmConfig> | null | undefined)?.createModel === 'function'

/** Makes the models of an agent; a value that names none is refused with the code that would. */
function llmConfigOf<M>(model: M, makeModels: ((models: M) => LlmConfig) | undefined, attempt: string): LlmConfig {
  const refuse = (problem: string, cause?: unknown): XError =>
    new XError(
      'invalid-argument',
      `cannot ${attempt}: ${problem}; ${modelRemedy(model, makeModels !== undefined)}`,
      cause === undefined ? {} : { cause },
    )
  if (model === undefined || model === null) throw refuse('it has no `model`')
  if (isEmptyList(model)) throw refuse('its list of models is empty')
  if (typeof model !== 'object' || !makeModels) throw refuse(`its \`model\` is ${kindOf(model)}`)
  try {
    return makeModels(model)
  } catch (error) {
    if (isForeignModel(model)) throw refuse(`its \`model\` is ${kindOf(model)}`, error)
    throw error
  }
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** True for what is neither a model of a provider nor options with providers or a list: an entry, or a model of another library. */
function isForeignModel(model: unknown): boolean {
  if (Array.isArray(model)) return model.some((each) => typeof each !== 'object' || isForeignModel(each))
  const { provider, providers, configList, config_list: list = configList } = Object(model) as Record<string, unknown>
  return providers === undefined && list === undefined && (provider === undefined || typeof provider === 'string')
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list with something that is no model'
  if (typeof value === 'function') return 'createClient' in value ? 'a provider, and not a model of it' : 'a function'
  if (typeof value === 'string') return 'a text'
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`
  return 'environment' in value ? 'a model of a provider, which `createAgent` of `@x/kit` takes as it is' : 'an object'
}
