import type { Face } from '@x/interfaces'
import type { Comparable } from './comparable.ts'
import type { Facts, Step, Trace } from './trace.ts'

/** Whether a trace has chats that run at once, so that only the order within each pair of agents is fixed. */
export function runsAtOnce({ steps }: Trace, face: Face): boolean {
  if (face === 'sync') return false
  return steps.some(
    (step) => queueLength(step) > 1 && (step.do === 'initiate_chats' || step.with?.['use_async'] === true),
  )
}

const queueLength = ({ args }: Step): number => (Array.isArray(args?.[0]) ? args[0].length : 0)

/** The same with everything that has an order grouped by who takes part in it. */
export function groupedByPair(seen: Comparable): Comparable {
  return {
    ...seen,
    events: grouped(seen.events, ({ sender_name: sender, recipient_name: recipient }) => pair(sender, recipient)),
    model_calls: grouped(seen.model_calls, ({ model }) => text(model)),
    function_calls: grouped(seen.function_calls, (call) => text(call['function'])),
    log: grouped(seen.log, ({ source }) => text(source)),
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const pair = (...names: unknown[]): string => names.map(text).toSorted().join(' and ')

function grouped(list: Comparable['events'], key: (facts: Facts) => string): Record<string, readonly Facts[]> {
  return Object.groupBy(list as readonly Facts[], key) as Record<string, readonly Facts[]>
}
