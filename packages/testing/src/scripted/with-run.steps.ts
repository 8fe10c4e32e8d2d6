import type { Budget, Run, RunScope } from '@x/interfaces'
import { currentRun, runAsync, wait } from '@x/kernel'

/**
 * Gives a test the `run` of an asynchronous operation that is not part of a chat, and ends the run when the test has
 * used it. A `budget` limits the spending of the whole run.
 */
export async function withRun<T>(
  { budget = null }: { readonly budget?: Budget | null | undefined },
  use: (run: Run) => Promise<T>,
): Promise<T> {
  const scope: RunScope = {
    chatId: null,
    agentPath: null,
    budget,
    cache: null,
    spanId: null,
    callKind: null,
    newSpanId: () => '',
    inside: () => scope,
    heard: () => scope,
    takes: () => true,
    now: () => 0,
    send: () => undefined,
  }
  function* steps() {
    return yield* wait(use(yield* currentRun()), 'the use of a run')
  }
  return await runAsync(steps(), { scope })
}
