/** A provider of models, as the templates name it. */
export interface Provider {
  readonly label: string
  /** The model that is asked. */
  readonly model: string
  /** The variable that has the key. */
  readonly key: string
}

/** Providers by their names in `@x/kit`; the first is that of the templates. */
export const PROVIDERS: Readonly<Record<'openai' | 'anthropic' | 'google', Provider>> = {
  openai: { label: 'OpenAI', model: 'gpt-5-mini', key: 'OPENAI_API_KEY' },
  anthropic: { label: 'Anthropic', model: 'claude-sonnet-4-5', key: 'ANTHROPIC_API_KEY' },
  google: { label: 'Google', model: 'gemini-2.5-flash', key: 'GEMINI_API_KEY' },
}

/** The answers to the question for a provider. */
export const PROVIDER_NAMES = ['simulated', 'openai', 'anthropic', 'google'] as const

/** The kinds of projects, each with a folder of templates, in words. */
export const KINDS = {
  chat: 'a chat in the terminal',
  endpoint: 'an endpoint that streams',
  group: 'a group of agents',
  search: 'a search by a tree of thoughts',
} as const

/** Names of the kinds. */
export const KIND_NAMES = ['chat', 'endpoint', 'group', 'search'] as const

/** The four answers of which a project is made. */
export interface Choices {
  readonly provider: (typeof PROVIDER_NAMES)[number]
  readonly kind: (typeof KIND_NAMES)[number]
  readonly tests: boolean
  readonly typescript: boolean
}

/** The choices of `--yes`. */
export const DEFAULTS: Choices = { provider: 'openai', kind: 'chat', tests: true, typescript: true }
