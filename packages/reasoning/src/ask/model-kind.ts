import type { Model } from '@x/interfaces'
import { kind, type OptionKinds } from '@x/kernel/options'

/** A model, and not the `llmConfig` that makes models. */
export const MODEL: OptionKinds<{ model: Model }>['model'] = {
  ...kind.having('a model, such as `new ModelWrapper({ … })` of `@x/model`', 'create'),
  remedy: (value) =>
    typeof (value as { createModel?: unknown } | null)?.createModel === 'function'
      ? 'write `llmConfig({ … }).createModel()`'
      : undefined,
}

/** A best rating. */
export const SCALE: OptionKinds<{ scale: number }>['scale'] = kind.number(2)

/** A number of characters that a prompt may have. */
export const PROMPT_LENGTH: OptionKinds<{ length: number }>['length'] = kind.whole(1000)
