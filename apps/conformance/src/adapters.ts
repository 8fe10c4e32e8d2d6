import type { ConfigEntry, Provider } from '@x/interfaces'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import type { WireFormat } from '@x/testing/wire'

/** An adapter with a config entry, and the wire format of the fake of its provider. */
export interface Adapter {
  readonly name: string
  readonly provider: Provider
  readonly format: WireFormat
  readonly entry: ConfigEntry
}

/** The adapters whose fakes are wire formats of `@x/testing`; Google's once for each of its transports. */
export const adapters: readonly Adapter[] = [
  {
    name: 'anthropic',
    provider: anthropic,
    format: anthropicFormat,
    entry: { apiType: 'anthropic', model: 'claude-haiku-4-5' },
  },
  ...['fetch', 'genai', 'generative-ai'].map((sdk) => ({
    name: `google (${sdk})`,
    provider: google,
    format: googleFormat,
    entry: { apiType: 'google', model: 'gemini-2.5-flash', sdk },
  })),
  {
    name: 'openai (responses)',
    provider: openai,
    format: responsesFormat,
    entry: { apiType: 'openai', model: 'gpt-5-mini', api: 'responses' },
  },
]
