import type { ConfigEntry, ModelClient, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { clientOf, type ScriptedClientOptions } from './scripted-client.ts'
import { Script, type LoggedCall, type Replies, type ScriptedCall } from './script.ts'

/** Options of a scripted provider. */
export interface ScriptedProviderOptions extends ScriptedClientOptions {
  /** Values of `apiType` that it answers for; default `scripted`. */
  readonly apiTypes?: readonly string[] | undefined
}

/** Replies by the name of the model. */
export type RepliesByModel = Readonly<Record<string, Replies>>

/** A provider whose clients play scripts. */
export interface ScriptedProvider extends Provider {
  /** All requests so far, of all its clients. */
  readonly calls: readonly ScriptedCall[]
  /** Configs of its clients, in order of creation. */
  readonly configs: readonly ConfigEntry[]
  /** Fails with `invalid-state` when a reply was not used or a request found none. */
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
    const own = shared ?? byModel.get(model)
    if (own) return own
    throw new XError(
      'invalid-config',
      `the scripted provider has no replies for the model \`${model}\`: add them beside those for \`${[...byModel.keys()].join('`, `')}\``,
    )
  }
  return {
    name: '@x/testing',
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
