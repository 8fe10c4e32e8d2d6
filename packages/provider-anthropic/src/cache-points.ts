/** A block or tool that may carry `cache_control`. */
type Cacheable = Record<string, unknown>

/** Most places at which the provider's cache may be told to keep what came before. */
const MOST = 4

/** The parts of a request that may carry them, in the order in which the provider counts. */
export interface CacheParts {
  readonly tools: readonly Cacheable[]
  readonly system: readonly Cacheable[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Cacheable[] }[]
}

/** How long the provider's cache keeps a beginning: five minutes, or an hour. */
export type CacheLife = boolean | '5m' | '1h'

/**
 * Asks the provider's cache to keep the beginning of a conversation: tools and system, the last two turns of the user.
 * Marks that the caller set come first; beyond four, the later ones are taken off, with a warning.
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
    if (used > MOST) {
      delete place['cache_control']
      warn('cache_control', `a request may have ${MOST} cache marks: later ones were left out`)
    }
  }
  if (life === false) return
  const given = places.map(({ cache_control: mark }) => mark as { ttl?: string } | undefined)
  const markAt = (at: number): object => {
    // What is kept longer has to come first.
    const longer = given.some((mark, n) => n > at && mark?.ttl === '1h')
    const shorter = given.some((mark, n) => n < at && mark !== undefined && mark.ttl !== '1h')
    return { type: 'ephemeral', ...((longer || (life === '1h' && !shorter)) && { ttl: '1h' }) }
  }
  const turns = parts.messages.filter(({ role }) => role === 'user').slice(-2)
  const wanted = [parts.system.at(-1) ?? parts.tools.at(-1), ...turns.map(({ content }) => content.at(-1))]
  for (const place of wanted) {
    if (!place || place['cache_control'] !== undefined || used >= MOST || !takesMark(place)) continue
    place['cache_control'] = markAt(places.indexOf(place))
    used++
  }
}

const takesMark = ({ type }: Cacheable): boolean => type !== 'thinking' && type !== 'redacted_thinking'
