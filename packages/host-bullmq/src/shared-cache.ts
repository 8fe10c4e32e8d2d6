import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** Options of a cache of model answers on a server. */
export interface SharedCacheOptions {
  /** Keeps those who share the server apart: required, because their answers must not mix. */
  readonly namespace: string
  /** Seconds for which an answer is kept; default a week. `Infinity` keeps it until the server is full. */
  readonly ttl?: number | undefined
  /** Names the cache in warnings; default: the namespace. */
  readonly name?: string | undefined
  /** Hears of lost connections, which are made again; default: nobody, since calls that go on without the cache are warned of. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Seconds of a week. */
export const WEEK = 604_800

/** Kinds of the options of every cache on a server. */
export const CACHE_KINDS: OptionKinds<SharedCacheOptions & { readonly url: string }> = {
  url: kind.text,
  namespace: kind.text,
  ttl: kind.positive,
  name: kind.text,
  onError: kind.call,
}

/** Refuses unknown, wrong and missing options of a cache. */
export function checkCache<O extends SharedCacheOptions & { readonly url: string }>(
  operation: string,
  options: O,
  kinds: OptionKinds<O>,
  { protocol, example }: { readonly protocol: RegExp; readonly example: string },
): void {
  checkOptions(options ?? null, kinds, `run \`${operation}\``)
  const problem =
    (!protocol.test(options.url ?? '') && `give the \`url\` of a server, such as \`${example}\``) ||
    (!options.namespace &&
      "give a `namespace`, such as { namespace: 'my-app' }: answers of others would mix with its own")
  if (problem) throw new XError('invalid-argument', `cannot run \`${operation}\`: ${problem}`)
}
