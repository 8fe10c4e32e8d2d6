import type {
  Agent,
  Budget,
  CacheStore,
  ChatMessage,
  HistoryView,
  Io,
  Journal,
  LlmConfig,
  Logger,
  Reply,
} from '@x/interfaces'
import { kind, type OptionKinds } from '@x/kernel/options'

type Kind<T> = OptionKinds<{ its: T }>['its']

/** An agent, of any make. */
export const AGENT: Kind<Agent> = { ...kind.object, expected: 'an agent' }

/** A list of messages. */
export const MESSAGES: Kind<readonly ChatMessage[]> = { ...kind.list, expected: 'a list of messages' }

/** A message: its text, or an object. */
export const REPLY: Kind<Reply> = { ...kind.either(kind.text, kind.object), expected: 'a text or a message' }

/** A budget, and not its limits. */
export const BUDGET: Kind<Budget> = kind.having(
  'a budget, such as `createBudget({ calls: 10 })` of `@x/model`',
  'reserve',
)

/** A cache, and not its options. */
export const CACHE: Kind<CacheStore> = kind.having('a cache, such as `createMemoryCache()` of `@x/model`', 'get', 'set')

/** A journal. */
export const JOURNAL: Kind<Journal> = kind.having('a journal, such as `new ChatJournal()`', 'keep', 'recall')

/** The kind of an object that chooses the messages a model sees. */
export const HISTORY: Kind<HistoryView> = kind.having('what `fit(…)` of `@x/history` returns', 'choose', 'noteUsage')

/** The kind of an `io`, which receives events. */
export const IO: Kind<Io> = kind.having('an `io` with `send` and `input`', 'send')

/** The kind of a logger, which receives log records. */
export const LOGGER: Kind<Logger> = kind.having('a logger with `log`', 'log')

/** The kind of a value that makes models, or of false for none. */
export const LLM_CONFIG: Kind<LlmConfig | false | null> = {
  expected: 'a value of `llmConfig({ providers, configList })` of `@x/model`, or false',
  takes: (value) => value === false || value === null || typeof value?.createModel === 'function',
  remedy: llmRemedy,
}

/** Packages of the providers, by the beginning of the names of their models. */
const PROVIDERS: readonly (readonly [models: RegExp, provider: string])[] = [
  [/^claude-/u, 'anthropic'],
  [/^gemini-/u, 'google'],
  [/^(?:gpt|o\d)/u, 'openai'],
]

/** Says how to write a model that was given by its name, by its entry or by a list of entries. */
function llmRemedy(value: unknown): string | undefined {
  const { model = value, configList } = (Object(value) ?? {}) as { model?: unknown; configList?: unknown }
  const first: unknown = Array.isArray(configList) ? (configList as { model?: unknown }[])[0]?.model : model
  if (typeof value !== 'string' && typeof value !== 'object') return undefined
  const name = typeof first === 'string' && /^[a-z][\w.-]{1,40}$/u.test(first) ? first : 'gpt-5'
  const known = PROVIDERS.find(([models]) => models.test(name))
  const [shown, provider] = known ? [name, known[1]] : ['…', 'openai']
  return `write \`llmConfig({ providers: [${provider}], configList: [{ model: '${shown}' }] })\`, with \`llmConfig\` of \`@x/model\` and \`${provider}\` of \`@x/provider-${provider}\``
}
