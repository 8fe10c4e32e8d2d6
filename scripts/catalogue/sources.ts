import type { SourceFacts } from './source-facts.ts'

/** A public table: facts by endpoint and model name, and where they are from. */
export interface PublicTable {
  /** Name and version of the package, for the data files. */
  readonly origin: string
  readonly models: ReadonlyMap<string, ReadonlyMap<string, SourceFacts>>
}

/** Names of one endpoint in the public tables; absent where a table does not have it. */
interface EndpointNames {
  readonly genaiPrices?: string
  /** Value of `litellm_provider`, which is also the prefix of names unless `prefix` says another. */
  readonly litellm?: string
  readonly prefix?: string
  readonly modelsDev?: string
  /** Path in front of names, which the file leaves out: a name is known with any path. */
  readonly path?: RegExp
}

/** Endpoints of the catalogue, by the names of docs/endpoints.md. */
export const ENDPOINTS: Readonly<Record<string, EndpointNames>> = {
  anthropic: { genaiPrices: 'anthropic', litellm: 'anthropic', prefix: '', modelsDev: 'anthropic' },
  google: { genaiPrices: 'google', litellm: 'gemini', modelsDev: 'google' },
  openai: { genaiPrices: 'openai', litellm: 'openai', prefix: '', modelsDev: 'openai' },
  cerebras: { genaiPrices: 'cerebras', litellm: 'cerebras', modelsDev: 'cerebras' },
  deepseek: { genaiPrices: 'deepseek', litellm: 'deepseek', modelsDev: 'deepseek' },
  fireworks: {
    genaiPrices: 'fireworks',
    litellm: 'fireworks_ai',
    modelsDev: 'fireworks',
    path: /^accounts\/fireworks\/(?:models|routers)\//u,
  },
  groq: { genaiPrices: 'groq', litellm: 'groq', modelsDev: 'groq' },
  mistral: { genaiPrices: 'mistral', litellm: 'mistral', modelsDev: 'mistral' },
  moonshot: { genaiPrices: 'moonshotai', litellm: 'moonshot', modelsDev: 'moonshotai' },
  openrouter: { genaiPrices: 'openrouter', litellm: 'openrouter', modelsDev: 'openrouter' },
  perplexity: { genaiPrices: 'perplexity', litellm: 'perplexity' },
  snowflake: { litellm: 'snowflake' },
  together: { genaiPrices: 'together', litellm: 'together_ai', modelsDev: 'together' },
  xai: { genaiPrices: 'x-ai', litellm: 'xai', modelsDev: 'xai' },
}
