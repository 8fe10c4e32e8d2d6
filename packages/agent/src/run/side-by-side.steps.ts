import type { Agent } from '@x/interfaces'
import { all, currentRun, isXError, type Steps } from '@x/kernel'
import { inScope, scopeIn } from './scope.ts'

/**
 * Runs independent steps at once, each with places of its own, so that each has the same ones in every run of the chat.
 * When one waits for an approval, the others end first.
 */
export function* sideBySide<T>(children: readonly Steps<T>[]): Steps<T[]> {
  const scope = scopeIn(yield* currentRun())
  const place = scope.nextPlace()
  return yield* allOrSuspended(
    children.map((child, index) => inScope(scope.inner({ place: `${place}.${index}` }), child)),
  )
}

/** Runs independent steps at once; when one waits for an approval, the others end first. */
export function* allOrSuspended<T>(children: readonly Steps<T>[]): Steps<T[]> {
  let suspended: unknown
  function* untilEnd(child: Steps<T>): Steps<T | undefined> {
    try {
      return yield* child
    } catch (error) {
      if (!isXError(error, 'suspended')) throw error
      suspended ??= error
      return undefined
    }
  }
  const results = yield* all(children.map(untilEnd))
  if (suspended) throw suspended
  return results as T[]
}

/** Runs what happens in a reply of an agent in a scope of its own, so that its events say whose reply it is. */
export function* inReply<T>(agent: Agent, steps: Steps<T>): Steps<T> {
  const scope = scopeIn(yield* currentRun())
  return yield* inScope(scope.inner({ place: scope.nextPlace(), agent }), steps)
}
