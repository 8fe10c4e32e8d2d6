import type { ConfigEntry, ModelRef, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { guardSecrets } from '@x/kernel/redact'

/** The keys that the type of a config entry names; a misspelt one does not compile. */
type RefOptions<Entry extends ConfigEntry> = {
  [Key in keyof Entry as string extends Key ? never : Exclude<Key, 'messages' | 'model'>]: Entry[Key]
}

/** A provider that is called with the name of a model. */
type NamingProvider<Entry extends ConfigEntry> = Provider & ((model: string, options?: RefOptions<Entry>) => ModelRef)

/**
 * Makes a provider that can be called with the name of a model, as in `openai('gpt-5-mini', { temperature: 0 })`, which
 * returns a `ModelRef`. All properties stay, so that it still stands in `providers`. `keyVariablesOf` names the environment
 * variables that have the key of a config entry.
 */
export function withModelRefs<Entry extends ConfigEntry>(
  provider: Provider,
  keyVariablesOf: (entry: ConfigEntry) => readonly string[],
): NamingProvider<Entry> {
  const refer = (model: string, options: ConfigEntry = {}): ModelRef => {
    checkNamed(provider, model, options)
    const { apiType = provider.apiTypes[0], ...keys } = options
    const environment = keyVariablesOf({ ...keys, apiType })
    return guardSecrets({ ...keys, provider: callable, model, apiType, environment })
  }
  const callable = Object.defineProperties(
    refer,
    Object.getOwnPropertyDescriptors(provider),
  ) as unknown as NamingProvider<Entry>
  return callable
}

function checkNamed({ module, apiTypes }: Provider, model: unknown, options: unknown): void {
  const name = module?.export ?? apiTypes[0]
  const isText = typeof model === 'string' && model !== ''
  if (isText && typeof options === 'object' && options !== null && !Array.isArray(options)) return
  const problem = isText ? 'its options are not an object' : 'the name is not a text'
  throw new XError(
    'invalid-argument',
    `cannot name a model of \`${name}\`: ${problem}; write \`${name}('model')\`, or \`${name}('model', { apiKey, temperature: 0 })\``,
  )
}
