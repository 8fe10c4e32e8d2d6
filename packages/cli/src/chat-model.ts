import type { LlmConfig, Provider } from '@x/interfaces'
import { redact } from '@x/kernel/redact'
import { llmConfig } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'

/** Providers by the name a person types, and the model that is asked unless one is named. */
const PROVIDERS: Readonly<Record<ProviderName, { provider: Provider; model: string; keys: readonly string[] }>> = {
  openai: { provider: openai, model: 'gpt-5-mini', keys: ['OPENAI_API_KEY'] },
  anthropic: { provider: anthropic, model: 'claude-opus-4-6', keys: ['ANTHROPIC_API_KEY'] },
  google: { provider: google, model: 'gemini-3-pro-preview', keys: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'] },
}

/** Names of the providers. */
export const PROVIDER_NAMES = ['openai', 'anthropic', 'google'] as const

/** Name of a provider. */
export type ProviderName = (typeof PROVIDER_NAMES)[number]

/** A person's choice of the model. */
export interface ModelChoice {
  readonly provider?: ProviderName | undefined
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
}

/** A real model, as a config and in words; null when nothing names one and no key is set. */
export function chosenModel(
  { provider: name, model, baseUrl }: ModelChoice,
  env: Readonly<Record<string, string | undefined>>,
): { llmConfig: LlmConfig; words: string } | null {
  const keyed = PROVIDER_NAMES.find((each) => PROVIDERS[each].keys.some((key) => env[key]))
  const named = name ?? (baseUrl ? 'openai' : keyed)
  if (!named) return null
  const { provider, model: usual } = PROVIDERS[named]
  const entry = { apiType: named, model: model ?? usual, ...(baseUrl && { baseUrl }) }
  return {
    llmConfig: llmConfig({ providers: [provider], configList: [entry], cacheSeed: null }),
    words: `The model is ${entry.model}, of ${baseUrl === undefined ? named : redact(baseUrl, [])}.`,
  }
}
