import type { LlmConfig, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { redact } from '@x/kernel/redact'
import { llmConfig } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { type Command, Option } from 'commander'
import type { Environment } from './recording.ts'

/** A provider, the model that is asked unless one is named, and how the names of its models begin. */
interface KnownProvider {
  readonly provider: Provider
  readonly model: string
  readonly begins: string
  readonly keys: readonly string[]
}

/** Providers by the name a person types. */
const PROVIDERS: Readonly<Record<ProviderName, KnownProvider>> = {
  openai: { provider: openai, model: 'gpt-5-mini', begins: 'gpt-', keys: ['OPENAI_API_KEY'] },
  anthropic: { provider: anthropic, model: 'claude-opus-4-6', begins: 'claude-', keys: ['ANTHROPIC_API_KEY'] },
  google: {
    provider: google,
    model: 'gemini-3-pro-preview',
    begins: 'gemini-',
    keys: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  },
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

/**
 * A real model, as a config and in words; null when nothing names one and no key is set. Of several keys, that of the vendor counts
 * whose models are named so. A model that nobody can be asked for is refused: a simulated one would stand for it.
 */
export function chosenModel(
  { provider: name, model, baseUrl }: ModelChoice,
  env: Environment,
): { llmConfig: LlmConfig; words: string } | null {
  const keyed = PROVIDER_NAMES.filter((each) => PROVIDERS[each].keys.some((key) => env[key]))
  const own = keyed.find((each) => model?.startsWith(PROVIDERS[each].begins))
  const named = name ?? (baseUrl ? 'openai' : (own ?? keyed[0]))
  if (!named && model !== undefined) throw noModel(`ask \`${model}\``, '`--provider` or `--base-url`')
  if (!named) return null
  const { provider, model: usual } = PROVIDERS[named]
  const entry = { apiType: named, model: model ?? usual, ...(baseUrl && { baseUrl }) }
  return {
    llmConfig: llmConfig({ providers: [provider], configList: [entry], cacheSeed: null }),
    words: `The model is ${entry.model}, of ${baseUrl === undefined ? named : redact(baseUrl, [])}.`,
  }
}

/** Returns the model that a person names or has a key for; without one the error says what to give, `other` among it. */
export function requiredModel(
  choice: ModelChoice,
  env: Environment,
  { attempt, other }: { readonly attempt: string; readonly other: string },
): LlmConfig {
  const chosen = chosenModel(choice, env)
  if (chosen) return chosen.llmConfig
  throw noModel(attempt, `\`--provider\`, \`--base-url\` or ${other}`)
}

const noModel = (attempt: string, options: string): XError =>
  new XError(
    'invalid-argument',
    `cannot ${attempt}: there is no model to ask; set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or give ${options}`,
  )

/** Adds the options by which a person chooses the model. */
export const addModelOptions = (
  command: Command,
  model: Option = new Option('--model <name>', 'model to ask; default: a usual one of the provider'),
): Command =>
  command
    .addOption(new Option('--provider <name>', 'whose model to ask').choices(PROVIDER_NAMES))
    .addOption(model)
    .option('--base-url <url>', 'root URL of the provider, or of an OpenAI-compatible server')
