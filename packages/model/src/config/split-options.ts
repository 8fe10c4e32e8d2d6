import type { Budget, ConfigEntry, FilterFunc, JsonSchema, Limiter, ToolSchema } from '@x/interfaces'
import { EXTRA_KEYS } from './config-keys.ts'

/** The options of a call that never travel. */
export interface Extra extends Pick<
  ConfigEntry,
  | 'allowFormatStrTemplate'
  | 'cache'
  | 'cacheMode'
  | 'cacheSeed'
  | 'cacheTimeout'
  | 'cacheWait'
  | 'failover'
  | 'maxRetryAfter'
  | 'price'
  | 'tags'
  | 'timeout'
> {
  readonly filterFunc?: FilterFunc | null | undefined
  readonly context?: Record<string, unknown> | null | undefined
  readonly agent?: string | undefined
  readonly sample?: number | undefined
  readonly answerSchema?: JsonSchema | undefined
  readonly moreTools?: readonly ToolSchema[] | undefined
  readonly budget?: Budget | null | undefined
  readonly limiter?: Limiter | null | undefined
}

/** Options as they are merged: those that are sent, and those that steer the wrapper. */
export interface SplitOptions {
  readonly params: Readonly<Record<string, unknown>>
  readonly extra: Extra
}

/** Keys that are left out: the method that is called says whether the answer is streamed. */
const METHOD_KEYS: ReadonlySet<string> = new Set(['stream', 'stream_options'])

/** Keys for which null means the default. */
const NULL_IS_DEFAULT: ReadonlySet<string> = new Set(['timeout', 'maxRetryAfter', 'model', 'cacheTimeout', 'cacheWait'])

/** Splits options into what is sent and what is not; absent ones are left out. */
export function splitOptions(options: Readonly<ConfigEntry>): SplitOptions {
  const split = { params: {}, extra: {} }
  for (const key of Object.keys(options)) addOption(split, key, options[key])
  return split
}

/** Adds one option to those it belongs to. */
export function addOption({ params, extra }: SplitOptions, key: string, value: unknown): void {
  if (value === undefined || METHOD_KEYS.has(key) || (value === null && NULL_IS_DEFAULT.has(key))) return
  const target = key === 'timeout' || EXTRA_KEYS.has(key) ? extra : params
  ;(target as Record<string, unknown>)[key] = value
}
