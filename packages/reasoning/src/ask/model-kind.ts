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

/** Returns the names of the models that a model may ask, for journals; undefined when it does not say. */
export const modelNameOf = ({ modelNames = [] }: Model): { readonly modelName?: string } =>
  modelNames.length === 0 ? {} : { modelName: modelNames.join(', ') }

/** Returns a warning when a method names a model to a part that asks a single one. */
export const warnOfModel = (part: string, model: string | undefined): readonly string[] =>
  model === undefined
    ? []
    : [
        `the method asks \`${part}\` for the model \`${model}\`, but that part has only one: give \`proposerByModel\`, or a part of your own that reads \`model\``,
      ]

/** A best rating. */
export const SCALE: OptionKinds<{ scale: number }>['scale'] = kind.number(2)

/** A number of characters that a prompt may have. */
export const PROMPT_LENGTH: OptionKinds<{ length: number }>['length'] = kind.whole(1000)
