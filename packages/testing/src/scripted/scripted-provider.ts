import type { ConfigEntry, ModelClient, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { clientOf, type ScriptedClientOptions } from './scripted-client.ts'
import { Script, type LoggedCall, type Replies, type ScriptedCall } from './script.ts'

/** Options of a scripted provider. */
export interface ScriptedProviderOptions extends ScriptedClientOptions {
  /** The `apiType`s it answers for; default `scripted`. */
  readonly apiTypes?: readonly string[] | undefined
}

/** What each model answers, by its name. */
export type RepliesByModel = Readonly<Record<string, Replies>>

/** A provider whose clients play scripts. */
export interface ScriptedProvider extends Provider {
  /** Every request so far, of all its clients. */
  readonly calls: readonly ScriptedCall[]
  /** The configs that clients were made for, in order. */
  readonly configs: readonly ConfigEntry[]
  /** Fails with `invalid-state` unless every reply was asked for and no request went without. */
  assertComplete(): void
}

/** Makes a provider with one script for all its clients, or one per model name. */
export function scriptedProvider(
  script: Replies | RepliesByModel,
  options: ScriptedProviderOptions = {},
): ScriptedProvider {
  const log: LoggedCall[] = []
  const configs: ConfigEntry[] = []
  const made = (replies: Replies): Script => new Script(replies, options, log)
  const shared = isReplies(script) ? made(script) : undefined
  const byModel = new Map(
    isReplies(script) ? [] : Object.entries(script).map(([name, replies]) => [name, made(replies)]),
  )
  const scriptOf = ({ model = 'scripted' }: ConfigEntry): Script => {
    const found = shared ?? byModel.get(model)
    if (found) return found
    throw new XError(
      'invalid-config',
      `the script has no replies for the model \`${model}\`: it has them for \`${[...byModel.keys()].join('`, `')}\``,
    )
  }
  return {
    apiTypes: options.apiTypes ?? ['scripted'],
    specVersion: 1,
    get calls() {
      return Object.freeze(log.map(({ call }) => call))
    },
    get configs() {
      return Object.freeze([...configs])
    },
    createClient(config: ConfigEntry): ModelClient {
      configs.push(config)
      return clientOf(scriptOf(config), { model: config.model }, options)
    },
    assertComplete() {
      for (const one of shared ? [shared] : byModel.values()) one.assertComplete()
    },
  }
}

const isReplies = (script: Replies | RepliesByModel): script is Replies =>
  typeof script === 'function' || Array.isArray(script)
