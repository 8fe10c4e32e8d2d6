import { XError } from '@x/kernel'
import { urlProblem, type ServerUrl } from './server-url.ts'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** Options of a cache of model answers that processes share on a server. */
export interface SharedCacheOptions {
  /** Separates the programs that share the server. Required, because their answers must not mix. */
  readonly namespace: string
  /** Seconds for which an answer is kept; default a week. `Infinity` keeps it until the server is full. */
  readonly ttl?: number | undefined
  /** Names the cache in warnings; default: the namespace. */
  readonly name?: string | undefined
  /** Receives errors of lost connections, which are made again. Default: none, because calls warn when they go on without the cache. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Default `ttl`: a week. */
export const DEFAULT_TTL_S = 604_800

/** Kinds of the options that all shared caches have. */
export const SHARED_CACHE_KINDS: OptionKinds<SharedCacheOptions & { readonly url: string }> = {
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
  server: ServerUrl,
): void {
  checkOptions(options ?? null, kinds, `run \`${operation}\``)
  const wrongUrl = urlProblem(options.url, server)
  const problem =
    (wrongUrl && `give the \`url\` of a server, ${wrongUrl}`) ||
    (!options.namespace &&
      "give a `namespace`, such as { namespace: 'my-app' }: answers of other programs would mix with those of this one")
  if (problem) throw new XError('invalid-argument', `cannot run \`${operation}\`: ${problem}`)
}
