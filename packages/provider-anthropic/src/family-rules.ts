import type { CatalogueData } from '@x/provider-kit'

/** All levels of effort, lowest first. */
export const ALL_EFFORTS: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max']

/**
 * Rules of Anthropic's models, by families of names (see `CatalogueData.models`). `claude-*` has the rules of the newest
 * models: a name that is not in the table counts as one of them.
 */
export const anthropicFamilies: CatalogueData = {
  date: '2026-11-27',
  sources: [
    'https://platform.claude.com/docs/en/build-with-claude/effort',
    'https://platform.claude.com/docs/en/build-with-claude/extended-thinking',
    'https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking',
    'https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide',
    'https://platform.claude.com/docs/en/build-with-claude/structured-outputs',
  ],
  models: {
    'claude-*': {
      thinking: 'effort',
      thinkingOff: 'never',
      efforts: ALL_EFFORTS,
      forcedTools: 'never',
      sampling: 'none',
      prefill: false,
      schema: 'anthropic-strict',
      images: true,
      source: 3,
    },
    'claude-sonnet-*': { thinkingOff: 'between_tools', source: 2 },
    'claude-haiku-*': { thinkingOff: 'disabled-to-high', forcedTools: 'always', source: 2 },

    'claude-opus-5*': { thinkingOff: 'disabled-to-high', forcedTools: 'always', source: 2 },
    'claude-opus-5.#*': { thinkingOff: 'never', forcedTools: 'never', source: 3 },
    'claude-sonnet-5*': { thinkingOff: 'disabled', forcedTools: 'always', source: 2 },
    'claude-sonnet-5.#*': { thinkingOff: 'between_tools', forcedTools: 'never', source: 3 },
    'claude-fable-5*': { forcedTools: 'always', source: 2 },
    'claude-fable-5.#*': { forcedTools: 'never', source: 3 },
    'claude-mythos-5*': '=claude-fable-5*',
    'claude-mythos-5.#*': '=claude-fable-5.#*',

    'claude-opus-4*': {
      thinking: 'budget',
      thinkingOff: 'disabled',
      efforts: [],
      forcedTools: 'without-thinking',
      sampling: 'both',
      prefill: true,
      schema: 'none',
      source: 1,
    },
    'claude-sonnet-4*': '=claude-opus-4*',
    'claude-haiku-4*': '=claude-opus-4*',
    'claude-opus-4.1*': { sampling: 'one', schema: 'anthropic-strict', source: 4 },
    'claude-sonnet-4.5*': '=claude-opus-4.1*',
    'claude-haiku-4.5*': '=claude-opus-4.1*',
    'claude-opus-4.5*': {
      efforts: ['low', 'medium', 'high'],
      sampling: 'one',
      schema: 'anthropic-strict',
      source: 0,
    },
    'claude-opus-4.6*': {
      thinking: 'effort',
      efforts: ['low', 'medium', 'high', 'max'],
      sampling: 'one',
      prefill: false,
      schema: 'anthropic-strict',
      source: 0,
    },
    'claude-sonnet-4.6*': '=claude-opus-4.6*',
    'claude-opus-4.7*': {
      thinking: 'effort',
      efforts: ALL_EFFORTS,
      sampling: 'none',
      prefill: false,
      schema: 'anthropic-strict',
      source: 0,
    },
    'claude-opus-4.8*': {
      thinking: 'effort',
      efforts: ALL_EFFORTS,
      forcedTools: 'always',
      sampling: 'none',
      prefill: false,
      schema: 'anthropic-strict',
      source: 0,
    },

    'claude-3*': {
      thinking: 'none',
      thinkingOff: 'disabled',
      efforts: [],
      forcedTools: 'without-thinking',
      sampling: 'both',
      prefill: true,
      schema: 'none',
      source: 1,
    },
    'claude-3.7*': { thinking: 'budget', source: 1 },
    'claude-2*': {
      thinking: 'none',
      thinkingOff: 'disabled',
      efforts: [],
      forcedTools: 'without-thinking',
      sampling: 'both',
      prefill: true,
      schema: 'none',
      images: false,
      source: 1,
    },
    'claude-instant*': '=claude-2*',
    'claude-v1*': '=claude-2*',

    // Some hosts write the version first.
    'claude-4*': '=claude-opus-4*',
    'claude-4.1-*': '=claude-opus-4.1*',
    'claude-4.5-*': '=claude-opus-4.1*',
    'claude-4.5-opus*': '=claude-opus-4.5*',
    'claude-4.6-*': '=claude-opus-4.6*',
    'claude-4.7-*': '=claude-opus-4.7*',
    'claude-4.8-*': '=claude-opus-4.8*',
    'claude-5-opus*': '=claude-opus-5*',
    'claude-5-sonnet*': '=claude-sonnet-5*',
    'claude-5-fable*': '=claude-fable-5*',
  },
}
