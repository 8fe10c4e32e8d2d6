import type { ToolSchema } from '@x/interfaces'
import { isSecretName, redactData } from '@x/kernel/redact'
import type { Endpoint } from '../cache/cache-key.ts'
import { CLIENT_KEYS } from '../config/config-keys.ts'
import { splitOptions } from '../config/entry.ts'
import { hostOf, type Slot } from '../config/slot.ts'
import type { WrapperRequest } from './check-request.ts'

/** A request without its messages, as each config of a model would send it. */
export type RequestSettings = readonly Readonly<Record<string, unknown>>[]

/** The settings of the last request, and the parts that they were made of. */
interface KnownSettings {
  readonly tools: readonly ToolSchema[]
  readonly schema: unknown
  readonly settings: RequestSettings
}

/** Parameters that settings leave out: the messages, and headers, which may be secrets. */
const LEFT_OUT: readonly string[] = ['messages', 'prompt', 'extra_headers']

/** Makes the settings of the requests of a model; those of equal requests in a row are one list. */
export class SettingsReader {
  readonly #slots: readonly Slot[]
  #last: KnownSettings | undefined

  constructor(slots: readonly Slot[]) {
    this.#slots = slots
  }

  /** Returns what each config would send beside the messages, without secrets. */
  of(request: WrapperRequest): RequestSettings {
    const { messages: _, agent: __, context: ___, cache: ____, moreTools, answerSchema, ...given } = request
    const more = (moreTools as readonly ToolSchema[] | undefined) ?? []
    const isPlain = Object.keys(given).length === 0
    const last = this.#last
    if (isPlain && last && last.schema === answerSchema && sameItems(last.tools, more)) return last.settings
    const { params } = splitOptions(Object.fromEntries(Object.entries(given).filter(([key]) => !CLIENT_KEYS.has(key))))
    const settings = this.#slots.map(({ stored, provider, endpoint, secrets }) => {
      const all: Record<string, unknown> = { ...params, ...stored.params }
      const tools = [...((all['tools'] as readonly unknown[] | undefined) ?? []), ...more]
      if (tools.length > 0) all['tools'] = tools
      for (const key of LEFT_OUT) delete all[key]
      const own = {
        provider: provider?.module?.specifier ?? null,
        endpoint: hostOf(endpoint.baseUrl),
        // Before its parameters: of two configs in another order it tells most.
        ...('model' in all && { model: all['model'] }),
        ...askedIn(endpoint.more),
        ...all,
      }
      const shown = redactNamed(answerSchema ? { ...own, answerSchema } : own)
      return Object.freeze(redactData(shown, secrets) as RequestSettings[number])
    })
    Object.freeze(settings)
    if (isPlain) this.#last = { tools: more, schema: answerSchema, settings }
    return settings
  }
}

/** Keys of configs that are parameters of requests, or choose their API. Other keys say how a request is sent. */
const ASKED_KEYS = [
  'api',
  'betas',
  'cachedContent',
  'generationConfig',
  'promptCache',
  'safetySettings',
  'thinkingConfig',
]

/** Values that are the same as none: the API `auto`, which the request decides, and a prompt cache that is off. */
const DEFAULTS: ReadonlySet<unknown> = new Set([undefined, 'auto', false])

/** Returns the parameters among the keys of a provider. */
const askedIn = (more: Endpoint['more'] = {}): object =>
  Object.fromEntries(ASKED_KEYS.flatMap((key) => (DEFAULTS.has(more[key]) ? [] : [[key, more[key]]])))

const sameItems = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one === other || (one.length === other.length && one.every((item, index) => item === other[index]))

/** The name of a parameter with headers, as of a vendor's tool that asks a server: each may be a secret. */
const HEADERS = /headers$/iu
/** Keys of a schema whose values have names of their own: a parameter of a tool may be called `headers`. */
const SCHEMA_KEYS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])

/** Where a value stands: whether its texts are secrets, and the names of it and of what it is in. */
interface Named {
  readonly isSecret: boolean
  readonly name: string
  readonly around: string
}

const OUTERMOST: Named = { isSecret: false, name: '', around: '' }

/**
 * Copies plain data with `[redacted]` for texts under names of secrets and for headers, at any depth: a key in `extra_body` is
 * none of a config. Other values stay, such as the schema of a parameter `token`.
 */
function redactNamed(value: unknown, named: Named = OUTERMOST): unknown {
  const { isSecret, name, around } = named
  if (typeof value === 'string') return isSecret ? '[redacted]' : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => redactNamed(item, named))
  const areHeaders = HEADERS.test(name) && !SCHEMA_KEYS.has(around)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      redactNamed(item, { isSecret: areHeaders || isSecretName(key), name: key, around: name }),
    ]),
  )
}
