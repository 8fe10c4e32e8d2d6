import type { ModelEvent } from '@x/interfaces'

/** Returns a description of the first event that is out of order. */
export function findDisorder(events: readonly ModelEvent[]): string | undefined {
  const open = new Set<string>()
  const ended = new Set<string>()
  const finished = new Set<number>()
  for (const [at, event] of events.entries()) {
    const where = `event ${at}: ${event.type}`
    if ((event.type === 'start') !== (at === 0)) return `${where}: a stream begins with one start`
    if ('index' in event && event.type !== 'finish' && finished.has(event.index)) return `${where}: after the finish`
    if ('call' in event) {
      const call = `${event.index}/${event.call}`
      if (event.type === 'toolCallStart') {
        if (open.has(call) || ended.has(call)) return `${where}: begun twice`
        open.add(call)
      } else if (!open.has(call)) return `${where}: not begun`
      if (event.type === 'toolCallEnd') {
        open.delete(call)
        ended.add(call)
      }
    }
    if (event.type === 'finish') finished.add(event.index)
  }
  if (open.size > 0) return 'a call was not ended'
  return finished.size === 0 ? 'no choice was finished' : undefined
}
