import type { ChatCount, ChatKind, HostedChatState } from '@x/interfaces'
import { MOST_SETS, OTHER } from './counter.ts'
import type { Metric, MetricSample } from './exposition.ts'

/** States of chats that have not ended. */
const OPEN: readonly HostedChatState[] = ['waiting', 'running', 'suspended']

/** Most programs that are told apart. */
const MOST_KINDS = Math.ceil(MOST_SETS / OPEN.length)

/** A program, and how many of its chats stand in each state. */
interface KindCounts extends ChatKind {
  readonly states: Map<HostedChatState, number>
}

/**
 * The chats of a store that have not ended, by program and state. Programs of this host are always there, with 0 too; of
 * the others as many as there is room for, and the rest together.
 */
export function chatsMetric(own: readonly ChatKind[], counts: readonly ChatCount[]): Metric {
  const rest: KindCounts = { name: OTHER, version: OTHER, states: new Map() }
  const kinds = new Map<string, KindCounts>()
  const others = counts.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  for (const { name, version } of [...own, ...others]) {
    const key = nameOf({ name, version })
    if (!kinds.has(key) && kinds.size < MOST_KINDS) kinds.set(key, { name, version, states: new Map() })
  }
  for (const count of counts) {
    const { states } = kinds.get(nameOf(count)) ?? rest
    states.set(count.state, (states.get(count.state) ?? 0) + count.count)
  }
  const shown = [...kinds.values(), ...(rest.states.size > 0 ? [rest] : [])]
  return {
    name: 'hosted_chats',
    help: 'Chats of the store that have not ended. Every process tells all of them: take the maximum over processes.',
    type: 'gauge',
    samples: shown.flatMap(({ name, version, states }): MetricSample[] =>
      OPEN.map((state) => ({ labels: { chat: name, version, state }, value: states.get(state) ?? 0 })),
    ),
  }
}

const nameOf = ({ name, version }: ChatKind): string => `${name}@${version}`
