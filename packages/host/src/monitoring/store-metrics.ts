import type { ChatCount, ChatKind, HostedChatState } from '@x/interfaces'
import { MOST_SETS, OTHER } from './counter.ts'
import type { Metric, MetricSample } from './exposition.ts'

/** States of chats that have not ended. */
const OPEN: readonly HostedChatState[] = ['waiting', 'running', 'suspended']

/**
 * The chats of a store that have not ended, by program and state. Programs of this host are always there, with 0 too; of
 * the others as many as there is room for, and the rest together.
 */
export function chatsMetric(own: readonly ChatKind[], counts: readonly ChatCount[]): Metric {
  const kinds = new Map<string, { name: string; version: string; states: Partial<Record<HostedChatState, number>> }>()
  const others = counts.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  for (const { name, version } of [...own, ...others]) {
    const isFull = kinds.size >= MOST_SETS / OPEN.length && !kinds.has(nameOf({ name, version }))
    if (!isFull)
      kinds.set(nameOf({ name, version }), kinds.get(nameOf({ name, version })) ?? { name, version, states: {} })
  }
  for (const { name, version, state, count } of counts) {
    const key = nameOf({ name, version })
    const { states } = kinds.get(key) ?? restOf(kinds)
    states[state] = (states[state] ?? 0) + count
  }
  const samples = [...kinds.values()].flatMap(({ name, version, states }): MetricSample[] =>
    OPEN.map((state) => ({ labels: { chat: name, version, state }, value: states[state] ?? 0 })),
  )
  return {
    name: 'hosted_chats',
    help: 'Chats of the store that have not ended. Every process tells all of them: take the maximum over processes.',
    type: 'gauge',
    samples,
  }
}

type Kinds = Map<string, { name: string; version: string; states: Partial<Record<HostedChatState, number>> }>

/** Stands for all programs beyond those that are told apart; no program has a space in its name. */
function restOf(kinds: Kinds): { states: Partial<Record<HostedChatState, number>> } {
  const rest = kinds.get(' ') ?? { name: OTHER, version: OTHER, states: {} }
  kinds.set(' ', rest)
  return rest
}

const nameOf = ({ name, version }: ChatKind): string => `${name}@${version}`
