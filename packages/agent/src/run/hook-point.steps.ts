import type { Agent, HookName, JsonSchema, MaybePromise, Run, RunContext } from '@x/interfaces'
import { currentRun, isThenable, wait, type Steps } from '@x/kernel'
import { failRun, partRun } from '@x/kernel/run'
import { keepAnswer } from './external-call.steps.ts'
import { contextOf } from './open-call.ts'
import type { RecordedCall } from './recorder.ts'
import { scopeIn, type Scope } from './scope.ts'

/** The hooks of an agent at one point, and how each is called. */
export interface HookPoint<H, T> {
  readonly name: HookName
  readonly agent: Agent
  readonly hooks: readonly H[]
  /** Shape that a kept result has to have. */
  readonly shape: JsonSchema
  readonly call: (hook: H, value: T, context: RunContext) => MaybePromise<T>
}

/** What the hooks of a point made of a value, as a journal keeps it. */
interface KeptResult {
  readonly value: unknown
  /** Whether they took their time or started something, and with that a place. */
  readonly asked?: boolean
}

/**
 * Gives a value to every hook of a point, one after the other. A journal keeps what came of all of them together: a chat
 * that is resumed has what they made of its past, whichever hooks there are by now. Hooks take a place only when they do
 * not answer at once, so those that do may come and go while a chat waits.
 */
export function* applyHooks<H extends { readonly name: string }, T>(point: HookPoint<H, T>, first: T): Steps<T> {
  const { agent, hooks, name } = point
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const { recorder, participants } = scope
  const place = scope.upcomingPlace
  const call = recorder && recordedPoint(scope, point)
  if (recorder && call) {
    const known = recall(scope, run, call)
    if (known?.asked) scope.nextPlace()
    if (known) return known.value as T
    // There were no hooks when this happened.
    if (scope.isPast) return first
  }
  if (hooks.length === 0) return first
  const inner = scope.inner({ place, agent })
  const part = partRun(run, { scope: inner })
  let value = first
  let asked = false
  try {
    for (const hook of hooks) {
      const given = point.call(hook, value, contextOf(part.run))
      asked ||= isThenable(given)
      value = yield* wait(given, hook.name || `a ${name} hook`)
    }
  } finally {
    part.end()
  }
  asked ||= inner.counts.next > 0
  if (asked) scope.nextPlace()
  if (recorder && call) {
    const kept: KeptResult = { value, ...(asked && { asked }) }
    const around = { outside: participants!, inside: null }
    yield* keepAnswer({ keep: (value) => recorder.keep(run, { place, call, value, around }) }, kept)
  }
  return value
}

/** One use of a point, which is told from others before the next place by its number. */
function recordedPoint(
  { counts }: Scope,
  { name, shape }: Pick<HookPoint<never, never>, 'name' | 'shape'>,
): RecordedCall {
  counts.hooks ??= {}
  const use = (counts.hooks[name] = (counts.hooks[name] ?? 0) + 1)
  return {
    kind: 'hook',
    name: `${name} ${use}`,
    label: `the ${name} hooks`,
    shape: { type: 'object', properties: { value: shape }, required: ['value'] },
  }
}

function recall(scope: Scope, run: Run, call: RecordedCall): KeptResult | undefined {
  try {
    return scope.recorder!.recall(scope.upcomingPlace, call, scope.participants!)?.value as KeptResult | undefined
  } catch (error) {
    return failRun(run, error)
  }
}
