import type { CodeBlock, CodeResult, OpenCall, Run } from '@x/interfaces'
import { wait, type Steps } from '@x/kernel'
import { inSpan, scopeOf } from '@x/kernel/run'
import { executeBlocks } from './execute.steps.ts'
import type { ExecutionContext } from './execution-context.ts'

/**
 * Runs blocks. In a run that a tool or function passes on, the execution is a call of the run's own: its result is kept in
 * the journal and recalled from there, and its start and end are events. An agent keeps the result of its executor itself.
 */
export function* executeInRun(
  context: ExecutionContext,
  blocks: readonly CodeBlock[],
  run: Run | undefined,
): Steps<CodeResult> {
  const scope = run && scopeOf(run)
  const open = run && scope?.open?.(run, { kind: 'code' })
  const steps = executeBlocks(context, blocks)
  if (!scope || !open) return yield* steps
  try {
    if (open.known) return open.known.value as CodeResult
    const common = { type: 'code', agent: null, id: open.place, parentId: scope.spanId } as const
    const kept = executeAndKeep(open, steps)
    if (!scope.takes('codeStart')) return yield* kept
    return yield* inSpan(run, { common, now: () => scope.now(), send: run.emit }, kept)
  } finally {
    open.end()
  }
}

/** Keeps the result before anybody hears that there is one. */
function* executeAndKeep(open: OpenCall, steps: Steps<CodeResult>): Steps<CodeResult> {
  const result = yield* steps
  if (open.recorded) yield* wait(open.keep(result), 'the journal of a chat')
  return result
}
