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
    model_calls: grouped(seen.model_calls, ({ model, params }) => `${text(model)} asked by ${speakers(params)}`),
    function_calls: unordered(seen.function_calls, (call) => text(call['function'])),
    log: unordered(seen.log, ({ source }) => text(source)),
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const pair = (...names: unknown[]): string => names.map(text).toSorted().join(' and ')

/** Who speaks in the messages of a request: agents of several chats may ask the same model. */
function speakers(params: unknown): string {
  const { messages } = params as { messages?: readonly Facts[] }
  return pair(...new Set((messages ?? []).map(({ name }) => name)))
}

function grouped(list: Comparable['events'], key: (facts: Facts) => string): Record<string, readonly Facts[]> {
  return Object.groupBy(list as readonly Facts[], key) as Record<string, readonly Facts[]>
}

/** Grouped, without an order: such an entry does not say in which chat it was made. */
function unordered(list: Comparable['events'], key: (facts: Facts) => string): Record<string, readonly Facts[]> {
  const sorted = (list as readonly Facts[]).toSorted((one, other) => (spelt(one) < spelt(other) ? -1 : 1))
  return grouped(sorted, key)
}

/** The text of a value, whatever the order of its keys. */
const spelt = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
