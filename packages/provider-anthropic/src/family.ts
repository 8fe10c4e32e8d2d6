import type { ModelLimits } from '@x/interfaces'

/** Abilities of a model, as far as requests depend on them. */
export interface AnthropicModelFamily {
  /** True for a model of Anthropic with known limits. */
  readonly known: boolean
  /** Largest number of tokens of an answer. */
  readonly maxTokens: number
  /** How reasoning is requested: not at all, by a budget of tokens, or by an effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive'
  /**
   * How thinking is switched off: by `disabled`, by `disabled` at no more than high effort, by `between_tools` (also at no
   * more than high effort), or never.
   */
  readonly thinkingOff: 'disabled' | 'disabled-to-high' | 'between_tools' | 'never'
  /** Supported levels of effort, lowest first. */
  readonly efforts: readonly string[]
  /** When the model can be forced to call a tool. */
  readonly forcedTools: 'always' | 'without-thinking' | 'never'
  /** Supported sampling parameters: temperature and top_p, one of them, or neither. */
  readonly sampling: 'both' | 'one' | 'none'
  /** Whether a conversation may end with the beginning of its answer. */
  readonly prefill: boolean
  /** True if it supports structured output by a JSON Schema. */
  readonly structured: boolean
  /** True if it reads images and PDFs in results of tools; default: by the catalogue, then for Claude since 3. */
  readonly images: boolean
  readonly contextWindow: number
}

/** Defaults for models of other makers with this wire format. */
const FOREIGN_FAMILY: AnthropicModelFamily = {
  known: false,
  maxTokens: 4096,
  thinking: 'none',
  thinkingOff: 'disabled',
  efforts: [],
  forcedTools: 'without-thinking',
  sampling: 'both',
  prefill: true,
  structured: false,
  images: false,
  contextWindow: 200_000,
}

/**
 * Tells the family of a model by its name: newer names of a known family count as its newest, names of other makers as
 * an older model without limits. Limits come from the catalogue; the config wins over both.
 */
export function familyOf(
  model: string,
  { contextWindow, maxOutput }: ModelLimits,
  configured: Partial<AnthropicModelFamily> = {},
): AnthropicModelFamily {
  const version = versionOf(model)
  const family = version === undefined ? FOREIGN_FAMILY : familyOfVersion(version, model)
  return {
    ...family,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutput !== undefined && { maxTokens: maxOutput }),
    ...configured,
  }
}

/** Returns major and minor as one number: `claude-3-5-haiku` 3.5, `claude-opus-4-6` 4.6, `claude-opus-5` 5. */
function versionOf(model: string): number | undefined {
  // Gateways and hosts put a path or a vendor in front.
  const name = model.replace(/^.*(?:\/|anthropic\.)/u, '')
  const older = /^claude-(\d)(?:[-.](\d{1,2}))?-(?:opus|sonnet|haiku)/u.exec(name)
  const version = older ?? /^claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/u.exec(name)
  if (version) return Number(version[1]) + Number(version[2] ?? 0) / 10
  if (/^claude-(?:2|instant)/u.test(name)) return 2
  // A family without a number is newer than those that have one.
  return name.startsWith('claude-') ? 99 : undefined
}

function familyOfVersion(version: number, model: string): AnthropicModelFamily {
  return {
    ...FOREIGN_FAMILY,
    known: true,
    thinking: version < 3.7 ? 'none' : version < 4.6 ? 'budget' : 'adaptive',
    thinkingOff: thinkingOff(version, model),
    efforts: effortsOf(version, model),
    forcedTools: forcedTools(version, model),
    sampling: version < 4.1 ? 'both' : version < 4.7 ? 'one' : 'none',
    prefill: version < 4.6,
    structured: version >= 4.5 || (version >= 4.1 && model.includes('opus')),
    images: version >= 3,
  }
}

const EFFORT_LEVELS = ['low', 'medium', 'high', 'xhigh', 'max']

function effortsOf(version: number, model: string): readonly string[] {
  if (version >= 4.7) return EFFORT_LEVELS
  if (version >= 4.6) return EFFORT_LEVELS.filter((effort) => effort !== 'xhigh')
  return version >= 4.5 && model.includes('opus') ? EFFORT_LEVELS.slice(0, 3) : []
}

function thinkingOff(version: number, model: string): AnthropicModelFamily['thinkingOff'] {
  if (/fable|mythos/u.test(model)) return 'never'
  if (model.includes('haiku')) return version < 5 ? 'disabled' : 'disabled-to-high'
  if (model.includes('sonnet')) return version < 5.5 ? 'disabled' : 'between_tools'
  return version < 5 ? 'disabled' : version < 5.5 && model.includes('opus') ? 'disabled-to-high' : 'never'
}

function forcedTools(version: number, model: string): AnthropicModelFamily['forcedTools'] {
  if (version < 4.8) return 'without-thinking'
  if (model.includes('haiku')) return 'always'
  return version < (/fable|mythos/u.test(model) ? 5.1 : 5.5) ? 'always' : 'never'
}
