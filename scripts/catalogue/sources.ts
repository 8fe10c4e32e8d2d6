import type { SourceFacts } from './source-facts.ts'

/** A public table: facts by endpoint and model name, and their origin. */
export interface PublicTable {
  /** Name and version of the package, for the data files. */
  readonly origin: string
  readonly models: ReadonlyMap<string, ReadonlyMap<string, SourceFacts>>
}

/** Names of one endpoint in the public tables; absent if a table does not list the endpoint. */
interface EndpointNames {
  readonly genaiPrices?: string
  /** Value of `litellm_provider`, and the prefix of names unless `prefix` is set. */
  readonly litellm?: string
  readonly prefix?: string
  readonly modelsDev?: string
  /** Path in front of names, left out in the file: a name is found with any path. */
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
