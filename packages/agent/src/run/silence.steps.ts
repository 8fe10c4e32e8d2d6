import { currentRun, type Steps } from '@x/kernel'
import { inScope, scopeIn } from './scope.ts'

/** Runs steps of which nothing is printed, if they are `silent`; an `io` of the caller's gets their events all the same. */
export const withSilence = <T>(silent: boolean | null | undefined, steps: Steps<T>): Steps<T> =>
  silent ? silently(steps) : steps

function* silently<T>(steps: Steps<T>): Steps<T> {
  const scope = scopeIn(yield* currentRun())
  return yield* scope.silent || !scope.means.prints ? steps : inScope(scope.inner({ silent: true }), steps)
}
