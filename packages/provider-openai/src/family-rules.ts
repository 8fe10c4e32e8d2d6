import type { CatalogueData } from '@x/provider-kit'

const LOW_TO_HIGH = ['low', 'medium', 'high']

const NONE_TO_XHIGH = ['none', ...LOW_TO_HIGH, 'xhigh']

const NONE_TO_MAX = [...NONE_TO_XHIGH, 'max']

/**
 * Rules of OpenAI's models, by families of names (see `CatalogueData.models`). `gpt-#*` and `o#*` have the rules of the
 * newest models: a name that is not in the table counts as one of them. Of other makers, only the efforts of xAI are here.
 */
export const openaiFamilies: CatalogueData = {
  date: '2026-11-27',
  sources: [
    'https://developers.openai.com/api/docs/models',
    'https://developers.openai.com/api/docs/guides/reasoning',
    'https://developers.openai.com/api/reference/resources/chat',
    'https://developers.openai.com/api/docs/guides/structured-outputs',
    'https://developers.openai.com/api/docs/pricing',
    'https://developers.openai.com/api/docs/guides/deployment-checklist',
    'https://docs.x.ai/developers/model-capabilities/text/reasoning',
  ],
  models: {
    'gpt-#*': {
      thinking: 'effort',
      sampling: 'without-thinking',
      stop: false,
      api: 'responses',
      schema: 'openai-strict',
      tiers: ['flex', 'priority'],
      source: 5,
    },
    'gpt-*-nano*': { tiers: ['flex'], source: 4 },
    'gpt-*-chat': {
      thinking: 'none',
      efforts: [],
      sampling: 'both',
      api: 'any',
      schema: 'none',
      tiers: [],
      source: 0,
    },
    'gpt-*-chat-*': '=gpt-*-chat',
    'gpt-*-codex*': { api: 'responses', source: 0 },
    'gpt-*-pro': { api: 'responses', source: 0 },
    'gpt-*-pro-*': '=gpt-*-pro',
    'gpt-*-audio*': { api: 'chat', schema: 'none', source: 0 },
    'gpt-*-realtime*': '=gpt-*-audio*',
    'gpt-*-search*': { api: 'chat', sampling: 'no-temperature', schema: 'none', source: 2 },
    'gpt-*-image*': { schema: 'none', source: 3 },
    'gpt-*-transcribe*': '=gpt-*-image*',
    'gpt-*-tts*': '=gpt-*-image*',
    'gpt-audio*': { api: 'chat', source: 0 },
    'gpt-realtime*': '=gpt-audio*',

    'gpt-6*': { efforts: NONE_TO_MAX, source: 5 },
    'gpt-6-astra*': { efforts: [...LOW_TO_HIGH, 'xhigh', 'max'], source: 5 },
    'gpt-6.1-sol*': '=gpt-6-astra*',

    // Since gpt-5.4 chat completions refuse tools together with reasoning.
    'gpt-5*': { api: 'any', sampling: 'none', efforts: ['minimal', ...LOW_TO_HIGH], source: 1 },
    'gpt-5.#*': {
      api: 'responses-for-tools',
      sampling: 'without-thinking',
      efforts: NONE_TO_MAX,
      source: 1,
    },
    'gpt-5.1*': { api: 'any', efforts: ['none', ...LOW_TO_HIGH], source: 1 },
    'gpt-5.2*': { api: 'any', efforts: NONE_TO_XHIGH, source: 1 },
    'gpt-5.3*': '=gpt-5.2*',
    'gpt-5.4*': { api: 'responses-for-effort', efforts: NONE_TO_XHIGH, source: 1 },
    'gpt-5.5*': { api: 'responses-for-tools', efforts: NONE_TO_XHIGH, source: 1 },
    'gpt-5-codex*': { efforts: LOW_TO_HIGH, source: 1 },
    'gpt-5.1-codex*': '=gpt-5-codex*',
    'gpt-5.#-codex*': { efforts: [...LOW_TO_HIGH, 'xhigh'], source: 1 },
    'gpt-5.1-codex-max*': '=gpt-5.#-codex*',
    'gpt-5-pro*': { efforts: ['high'], source: 1 },
    'gpt-5.#-pro*': { efforts: ['medium', 'high', 'xhigh'], source: 1 },

    'gpt-4*': {
      thinking: 'none',
      efforts: [],
      sampling: 'both',
      api: 'any',
      schema: 'none',
      tiers: ['priority'],
      source: 0,
    },
    'gpt-4.1*': { schema: 'openai-strict', source: 3 },
    'gpt-4.1-nano*': { tiers: [], source: 4 },
    'gpt-4.5*': '=gpt-4.1*',
    'gpt-4o*': '=gpt-4.1*',
    'gpt-4o-2024-05-13': { schema: 'none', source: 3 },
    'chatgpt-*': { thinking: 'none', source: 0 },
    'gpt-3*': { thinking: 'none', efforts: [], sampling: 'both', api: 'any', schema: 'none', tiers: [], source: 0 },
    'gpt-35*': '=gpt-3*',

    'o#*': {
      thinking: 'effort',
      efforts: LOW_TO_HIGH,
      sampling: 'none',
      stop: false,
      api: 'any',
      schema: 'openai-strict',
      tiers: ['flex', 'priority'],
      source: 1,
    },
    'o#-pro': { api: 'responses', source: 0 },
    'o#-pro-*': '=o#-pro',
    'o#*-deep-research*': '=o#-pro',
    'o1*': { stop: true, tiers: [], source: 2 },
    // The first reasoning models know neither role nor effort.
    'o1-mini*': { efforts: [], systemRole: 'user', stop: false, api: 'chat', schema: 'none', source: 0 },
    'o1-preview*': '=o1-mini*',
    'o3-mini*': { stop: true, tiers: [], source: 2 },
    'codex-*': { thinking: 'effort', sampling: 'none', stop: false, api: 'responses', source: 0 },
    'computer-use*': { api: 'responses', source: 0 },

    // Most models of xAI reason and refuse an effort all the same.
    'grok-3*': { efforts: [], source: 6 },
    'grok-3-mini*': { efforts: ['low', 'high'], source: 6 },
    'grok-4': { efforts: [], source: 6 },
    'grok-4-*': '=grok-4',
    'grok-4.20*': '=grok-4',
    'grok-4.20-multi-agent*': { efforts: [...LOW_TO_HIGH, 'xhigh'], source: 6 },
    'grok-4.3*': { efforts: ['none', ...LOW_TO_HIGH], source: 6 },
    'grok-4.5*': { efforts: LOW_TO_HIGH, source: 6 },
    'grok-4.6*': '=grok-4.20-multi-agent*',
    'grok-4.7*': '=grok-4.20-multi-agent*',
    'grok-code-fast*': '=grok-4',
  },
}
