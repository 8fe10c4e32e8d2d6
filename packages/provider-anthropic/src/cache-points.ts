/** A block or tool that may carry `cache_control`. */
type Cacheable = Record<string, unknown>

/** Marks for the cache that a request may have. */
const MAX_CACHE_MARKS = 4

/** The parts of a request that may carry marks, in the order in which the provider counts them. */
export interface CacheParts {
  readonly tools: readonly Cacheable[]
  readonly system: readonly Cacheable[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Cacheable[] }[]
}

/** Time that the cache keeps the beginning of a conversation: five minutes (`true`), or an hour. */
export type CacheLife = boolean | '5m' | '1h'

/** How a request uses the cache of the provider. */
export interface CacheRules {
  /** Whether and for how long the beginning of the conversation is kept. */
  readonly life: CacheLife
  /** The mark that the provider places itself (`cache_control` of the request), if it was asked to: it counts as one. */
  readonly automatic?: { readonly ttl?: unknown } | undefined
  readonly warn: (topic: string, text: string) => void
}

/**
 * Asks the cache of the provider to keep the beginning of a conversation: tools and system, the last two turns of the user.
 * Marks of the caller come first. Beyond four, the latest stay, which keep the longest beginning, and the others are removed
 * with a warning; marks before one for an hour are for an hour, as the provider demands.
 */
export function placeCachePoints(parts: CacheParts, { life, automatic, warn }: CacheRules): void {
  const places = placesIn(parts)
  const limit = MAX_CACHE_MARKS - (automatic ? 1 : 0)
  const marked = places.filter(({ cache_control: mark }) => mark !== undefined && mark !== null)
  const surplus = marked.splice(0, Math.max(0, marked.length - limit))
  for (const place of surplus) delete place['cache_control']
  if (surplus.length > 0) warn('cache_control', `a request may have ${limit} cache marks: earlier ones were left out`)
  if (lengthenMarks(marked, automatic)) {
    warn('cache_control', 'cache marks before one for an hour were made to last an hour, as the provider demands')
  }
  if (life === false) return
  let used = marked.length
  const marks = places.map(({ cache_control: mark }) => mark as { ttl?: string } | undefined)
  const markAt = (at: number): object => {
    // Marks for an hour have to come before the others.
    const hasLongerBehind = automatic?.ttl === '1h' || marks.some((mark, n) => n > at && mark?.ttl === '1h')
    const hasShorterBefore = marks.some((mark, n) => n < at && mark && mark.ttl !== '1h')
    return { type: 'ephemeral', ...((hasLongerBehind || (life === '1h' && !hasShorterBefore)) && { ttl: '1h' }) }
  }
  const turns = parts.messages.filter(({ role }) => role === 'user').slice(-2)
  const wanted = [parts.system.at(-1) ?? parts.tools.at(-1), ...turns.map(({ content }) => content.at(-1))]
  for (const place of wanted) {
    if (!place || place['cache_control'] || used >= limit || !takesMark(place)) continue
    place['cache_control'] = markAt(places.indexOf(place))
    used++
  }
}

/** Returns all that may carry a mark, in its order; the parts of a result stand before it. */
function placesIn({ tools, system, messages }: CacheParts): Cacheable[] {
  const places = [...tools, ...system]
  for (const { content } of messages) {
    for (const block of content) {
      const { type, content: parts } = block
      if (type === 'tool_result' && Array.isArray(parts)) places.push(...(parts as Cacheable[]))
      places.push(block)
    }
  }
  return places
}

/** Gives an hour to marks before one for an hour; returns whether one was changed. It costs nothing: what stands before that mark is kept for an hour in any case. */
function lengthenMarks(marked: readonly Cacheable[], automatic: CacheRules['automatic']): boolean {
  const isLong = ({ cache_control: mark }: Cacheable): boolean => (mark as { ttl?: unknown }).ttl === '1h'
  const end = automatic?.ttl === '1h' ? marked.length : marked.findLastIndex(isLong)
  const short = marked.slice(0, Math.max(0, end)).filter((place) => !isLong(place))
  for (const place of short) place['cache_control'] = { ...(place['cache_control'] as object), ttl: '1h' }
  return short.length > 0
}

const takesMark = ({ type }: Cacheable): boolean => type !== 'thinking' && type !== 'redacted_thinking'
