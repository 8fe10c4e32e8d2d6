import type { Agent } from '@x/interfaces'
import { all, face, isXError, type Steps } from '@x/kernel'
import { innerScope, inScope, nextPlace, scopeOf } from './scope.ts'

/** Gives steps that run side by side places of their own, so that each has the same one in every run of the chat. */
export function* apart<T>(children: readonly Steps<T>[]): Steps<readonly Steps<T>[]> {
  const scope = scopeOf(yield* face())
  if (!scope) return children
  const place = nextPlace(scope)
  return children.map((child, index) => inScope(innerScope(scope, { key: `${place}.${index}` }), child))
}

/** Runs independent steps at once; when one waits for an approval, the others end first. */
export function* allOrSuspended<T>(children: readonly Steps<T>[]): Steps<T[]> {
  let suspended: unknown
  function* ended(child: Steps<T>): Steps<T | undefined> {
    try {
      return yield* child
    } catch (error) {
      if (!isXError(error, 'suspended')) throw error
      suspended ??= error
      return undefined
    }
  }
  const results = yield* all(children.map(ended))
  if (suspended) throw suspended
  return results as T[]
}

/** Runs what happens in a reply of an agent in a scope of its own, so that its events say whose reply it is. */
export function* inReply<T>(agent: Agent, steps: Steps<T>): Steps<T> {
  const scope = scopeOf(yield* face())
  return scope ? yield* inScope(innerScope(scope, { key: nextPlace(scope), agent }), steps) : yield* steps
}
