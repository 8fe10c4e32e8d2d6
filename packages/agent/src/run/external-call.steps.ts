import type { MaybePromise, Run, RunContext } from '@x/interfaces'
import { currentRun, wait, type Steps } from '@x/kernel'
import { needsAwait } from '@x/kernel/run'
import { openCall, type AgentCall, type CallUnderWay } from './open-call.ts'
import { scopeIn } from './scope.ts'
import { withSpan, type AgentSpan, type SpanKind } from './span.steps.ts'

/** How something outside is asked: it is given its part of the run. */
type Ask<T> = (context: RunContext & { readonly run: Run }) => MaybePromise<T>

/** A call whose start and end are events. */
interface TimedCall<K extends SpanKind> extends AgentCall {
  readonly span?: AgentSpan<K, unknown>['details'] | undefined
}

/** Asks something outside the program's own logic, or the journal if it has answered before. */
export function* externalCall<T, K extends SpanKind = SpanKind>(call: TimedCall<K>, ask: Ask<T>): Steps<T> {
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const open = openCall(scope, run, call)
  const { span: details } = call
  const steps = answerAndKeep(open, call.label, ask)
  return yield* details ? withSpan(scope, run, { details, ...spanOf(open) }, steps) : steps
}

/** The span of a call; one that has answered was told, unless nothing came behind it. */
export const spanOf = ({
  place,
  scope,
  known,
  begunBefore,
}: CallUnderWay): Pick<AgentSpan<never, never>, 'id' | 'inside' | 'resumed'> => ({
  id: place,
  inside: scope,
  resumed: known !== undefined || begunBefore,
})

/** The answer of a call, kept before anybody hears that there is one. */
function* answerAndKeep<T>(open: CallUnderWay, label: string, ask: Ask<T>): Steps<T> {
  if (open.known) return open.known.value as T
  const value = yield* answerOf(open, label, ask)
  yield* keepAnswer(open, value)
  return value
}

/**
 * The answer of a call under way. While something inside it waits for an approval it has none, whatever its code makes of
 * that.
 */
export function* answerOf<T>(open: CallUnderWay, label: string, ask: Ask<T>): Steps<T> {
  const { inside } = open
  try {
    const given = ask(open.context)
    const value = needsAwait(open.run, given) ? yield* wait(given, label) : (given as T)
    if (!inside?.suspended) return value
  } catch (error) {
    throw inside?.suspended ?? error
  } finally {
    open.end()
  }
  throw inside.suspended
}

/** Keeps the answer of a call; the chat goes on when it is kept. */
export function* keepAnswer(open: Pick<CallUnderWay, 'keep'>, value: unknown): Steps<void> {
  const kept = open.keep(value)
  if (kept) yield* wait(kept, 'the journal of a chat')
}
