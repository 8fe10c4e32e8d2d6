import type { ConfigEntry, Provider } from '@x/interfaces'
import { createAnthropic } from '@x/provider-anthropic'
import { createGoogle } from '@x/provider-google'
import { createOpenAI } from '@x/provider-openai'

/** Options that all adapters have. */
type AdapterOptions = Pick<NonNullable<Parameters<typeof createOpenAI>[0]>, 'clock'>

/** Every wire with a factory of its adapter and an entry. */
export const WIRES: readonly (readonly [string, (options?: AdapterOptions) => Provider, ConfigEntry])[] = [
  ['openai', createOpenAI, { model: 'gpt-4o-mini' }],
  ['openai (responses)', createOpenAI, { model: 'gpt-5-mini', api: 'responses' }],
  ['openai (azure)', createOpenAI, { apiType: 'azure', model: 'mine', apiVersion: '2024-10-21' }],
  ['anthropic', createAnthropic, { apiType: 'anthropic', model: 'claude-haiku-4-5' }],
  ['google', createGoogle, { apiType: 'google', model: 'gemini-2.5-flash' }],
  ['google (genai)', createGoogle, { apiType: 'google', model: 'gemini-2.5-flash', sdk: 'genai' }],
  ['google (generative-ai)', createGoogle, { apiType: 'google', model: 'gemini-2.5-flash', sdk: 'generative-ai' }],
]
