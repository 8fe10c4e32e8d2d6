import type { EventBody, RunScope } from '@x/interfaces'
import { SCOPE, type Steps } from './steps.ts'

/** Runs steps in a scope of their own: it is what the run hands down to them and to what they call. */
export function* within<T, E extends { readonly type: string } = EventBody>(
  scope: RunScope,
  steps: Steps<T, E>,
): Steps<T, E> {
  // What takes it back is called and not yielded: a generator that yields while it is closed would go on.
  const back = (yield { type: SCOPE, scope }) as () => void
  try {
    return yield* steps
  } finally {
    back()
  }
}
