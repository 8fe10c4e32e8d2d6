import type { SpanEvent, SpanOutcome } from '@x/interfaces'
import { face, type Steps } from '@x/kernel'
import { inSpan } from '@x/kernel/run'
import type { OpenSpan, Scope } from './scope.ts'

type StartOf<T> = T extends { type: `${string}Start` } ? T : never

/** What takes time. */
export type SpanKind = StartOf<SpanEvent>['type'] extends `${infer K}Start` ? K : never

/** What the start and end of something say of it. */
type Details<K extends SpanKind> = Omit<
  Extract<SpanEvent, { type: `${K}Start` }>,
  'type' | 'id' | 'parentId' | 'time' | 'resumed'
>

/** Something of an agent that takes time. */
export interface AgentSpan<K extends SpanKind, T> {
  readonly kind: K
  /** Names it in its run; the same in a resumed one. */
  readonly id: string
  readonly details: Details<K>
  /** What the end says beside what the start said. */
  readonly atEnd?: ((value: T | undefined) => object) | undefined
  /** How it ended, where it ended without an error. */
  readonly outcome?: ((value: T) => SpanOutcome) | undefined
  /** Whether an earlier process had begun it; default: as far as the journal of the scope tells. */
  readonly resumed?: boolean | undefined
  /** The scope of what happens inside, where that is another. */
  readonly inside?: Scope | undefined
}

/**
 * Runs steps between their start and end, if somebody listens to such events. The start of something that an earlier
 * process had begun is held back until this one has come further: it is sent again then, as `resumed`.
 */
export function* withSpan<T, K extends SpanKind>(scope: Scope, its: AgentSpan<K, T>, steps: Steps<T>): Steps<T> {
  if (!scope.means.spans) return yield* steps
  const { kind, id, details, atEnd, outcome, resumed = scope.isPast, inside } = its
  const parent = scope.span
  const span: OpenSpan = { id, parent, start: null }
  const { emit } = yield* face()
  const { agent } = details
  const origin = scope.recorder ? null : { chatId: scope.chatId, agentPath: scope.pathTo(agent) }
  const common = { ...details, agent, id, parentId: parent?.id ?? null, ...origin }
  const sendStart: typeof emit = (event) => {
    if (!resumed) return emit(event)
    if (scope.takes(event.type)) span.start = scope.stamped(event)
    return undefined
  }
  scope.span = span
  if (inside) inside.span = span
  try {
    return yield* inSpan({ kind, common, atEnd, outcome, now: () => scope.now(), send: emit, sendStart }, steps)
  } finally {
    scope.span = parent
  }
}
