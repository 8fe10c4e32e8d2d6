import type { ConfigEntry, ConfigFilter, LlmConfig } from '@x/interfaces'
import { XError } from '@x/kernel'
import { FakeModel } from './fake-model.ts'
import { Script, type ScriptedCall, type ScriptOptions } from './script.ts'
import type { ReplyFunctionOf, ScriptedReply } from './scripted-reply.ts'

/** Options of a model that is a fake: those of its script, and the config it shows. */
export interface FakeModelConfig extends ScriptOptions {
  /** Name of the model; default `scripted`. */
  readonly model?: string | undefined
  /** Further keys of the config: request parameters, tags, tools. */
  readonly config?: ConfigEntry | undefined
}

/** An `LlmConfig` whose models answer by a function and log what they are asked. */
export interface FunctionModel extends LlmConfig {
  /** Every request so far, of all models made from this config and from those derived from it. */
  readonly calls: readonly ScriptedCall[]
  with(changes: ConfigEntry): this
  where(filter: ConfigFilter): this
}

/** An `LlmConfig` whose models play a script. */
export interface ScriptedModel extends FunctionModel {
  /** Fails with `invalid-state` unless every reply was asked for and no request went without. */
  assertComplete(): void
}

/**
 * A model that gives these replies in order, to be used wherever an `llmConfig` is. What is derived from it (`with`,
 * `where`, `createModel`) plays the same script and writes the same log.
 */
export function scriptedModel(replies: readonly ScriptedReply[], options: FakeModelConfig = {}): ScriptedModel {
  const script = new Script(replies, options)
  return describe(script, configOf(options), { assertComplete: () => script.assertComplete() }) as ScriptedModel
}

/** A model that answers each request by a function of it, to be used wherever an `llmConfig` is. */
export function functionModel(
  reply: ReplyFunctionOf<ScriptedCall>,
  options: Omit<FakeModelConfig, 'repeatLast'> = {},
): FunctionModel {
  return describe(new Script(reply, options), configOf(options), {}) as FunctionModel
}

const configOf = ({ model = 'scripted', config }: FakeModelConfig): ConfigEntry => ({ ...config, model })

function describe(script: Script, given: ConfigEntry, extra: object): LlmConfig {
  // As with `llmConfig`, a key that is changed to undefined is removed.
  const known = Object.entries(given).filter(([, value]) => value !== undefined)
  const config: ConfigEntry = Object.freeze(Object.fromEntries(known))
  return Object.freeze({
    ...extra,
    config,
    get calls() {
      return script.calls
    },
    with: (changes: ConfigEntry) => describe(script, { ...config, ...changes }, extra),
    where(filter: ConfigFilter) {
      if (!matches(config, filter)) {
        throw new XError(
          'invalid-config',
          `the scripted model \`${config.model}\` does not match ${JSON.stringify(filter)}: give it that \`model\` or those \`config.tags\``,
          { details: { filter } },
        )
      }
      return describe(script, config, extra)
    },
    createModel: (options = {}) => new FakeModel(script, config, options),
  } satisfies LlmConfig & { calls: unknown })
}

function matches({ model: name, tags: own = [] }: ConfigEntry, { model, tags }: ConfigFilter): boolean {
  const models = model === undefined ? undefined : [model].flat()
  const labels = tags === undefined ? undefined : [tags].flat()
  return (!models || models.includes(String(name))) && (!labels || labels.some((label) => own.includes(label)))
}
