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

/**
 * Asks the cache of the provider to keep the beginning of a conversation: tools and system, the last two turns of the user.
 * Marks of the caller come first; beyond four, the later ones are removed with a warning.
 */
export function placeCachePoints(
  parts: CacheParts,
  life: CacheLife,
  warn: (topic: string, text: string) => void,
): void {
  const blocks = parts.messages.map(({ content }) => content)
  const places = [parts.tools, parts.system, ...blocks].flat()
  let used = 0
  for (const place of places) {
    if (place['cache_control'] === undefined) continue
    used++
    if (used > MAX_CACHE_MARKS) {
      delete place['cache_control']
      warn('cache_control', `a request may have ${MAX_CACHE_MARKS} cache marks: later ones were left out`)
    }
  }
  if (life === false) return
  const marks = places.map(({ cache_control: mark }) => mark as { ttl?: string } | undefined)
  const markAt = (at: number): object => {
    // Marks for an hour have to come before the others.
    const hasLongerBehind = marks.some((mark, n) => n > at && mark?.ttl === '1h')
    const hasShorterBefore = marks.some((mark, n) => n < at && mark !== undefined && mark.ttl !== '1h')
    return { type: 'ephemeral', ...((hasLongerBehind || (life === '1h' && !hasShorterBefore)) && { ttl: '1h' }) }
  }
  const turns = parts.messages.filter(({ role }) => role === 'user').slice(-2)
  const wanted = [parts.system.at(-1) ?? parts.tools.at(-1), ...turns.map(({ content }) => content.at(-1))]
  for (const place of wanted) {
    if (!place || place['cache_control'] !== undefined || used >= MAX_CACHE_MARKS || !takesMark(place)) continue
    place['cache_control'] = markAt(places.indexOf(place))
    used++
  }
}

const takesMark = ({ type }: Cacheable): boolean => type !== 'thinking' && type !== 'redacted_thinking'
