import type { ConfigEntry, LlmConfig } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { FakeModel } from './fake-model.ts'
import { Script, type ScriptedCall, type ScriptOptions } from './script.ts'
import type { ReplyFunctionOf, ScriptedReply } from './scripted-reply.ts'

type ConfigFilter = Parameters<LlmConfig['where']>[0]

/** Options of a scripted model: those of its script, and its config. */
export interface FakeModelConfig extends ScriptOptions {
  /** Name of the model; default `scripted`. */
  readonly model?: string | undefined
  /** Further keys of the config: request parameters, tags, tools. */
  readonly config?: ConfigEntry | undefined
}

/** An `LlmConfig` whose models answer with a function and log their requests. */
export interface FunctionModel extends LlmConfig {
  /** All requests so far, of all models made from this config or from one derived from it. */
  readonly calls: readonly ScriptedCall[]
  with(changes: ConfigEntry): this
  where(filter: ConfigFilter): this
}

/** An `LlmConfig` whose models play a script. */
export interface ScriptedModel extends FunctionModel {
  /** Fails with `invalid-state` when a reply was not used or a request found none. */
  assertComplete(): void
}

/**
 * Makes an `llmConfig` whose models give these replies in order. Configs and models derived from it (`with`, `where`,
 * `createModel`) share its replies and its log.
 */
export function scriptedModel(replies: readonly ScriptedReply[], options: FakeModelConfig = {}): ScriptedModel {
  if (!Array.isArray(replies))
    throw new XError(
      'invalid-argument',
      "cannot make a scripted model: its replies are not a list; give one, as in `scriptedModel(['Hello.'])`",
    )
  checkOptions(options, FAKE_MODEL_KINDS, 'make a scripted model')
  const script = new Script(replies, options)
  return describe(script, configOf(options), { assertComplete: () => script.assertComplete() }) as ScriptedModel
}

/** Makes an `llmConfig` whose models answer each request with a function. */
export function functionModel(
  reply: ReplyFunctionOf<ScriptedCall>,
  options: Omit<FakeModelConfig, 'repeatLast'> = {},
): FunctionModel {
  if (typeof reply !== 'function')
    throw new XError(
      'invalid-argument',
      "cannot make a function model: its reply is not a function; give one of the request, as in `functionModel(() => 'Hello.')`",
    )
  checkOptions(options, FAKE_MODEL_KINDS, 'make a function model')
  return describe(new Script(reply, options), configOf(options), {}) as FunctionModel
}

const FAKE_MODEL_KINDS: OptionKinds<FakeModelConfig> = {
  repeatLast: kind.flag,
  usage: kind.any,
  cost: kind.orNull(kind.finite),
  model: kind.text,
  config: kind.object,
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
          `no model matches the filter ${JSON.stringify(filter)}: give the scripted model \`${config.model}\` that \`model\` or those \`config.tags\``,
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
