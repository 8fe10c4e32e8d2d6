import type { BlockResult, CodeBlock, CodeResult, EventBody, OpenCall, Run } from '@x/interfaces'
import { currentRun, wait, type Steps } from '@x/kernel'
import { each } from '@x/kernel/each'
import { streamJob, type ExecutionContext } from './execution-context.ts'
import type { Job, Outcome } from './job.ts'
import { plainText } from './plain-text.ts'
import { planBlock } from './plan.ts'
import { inSpan, scopeOf } from '@x/kernel/run'

/** A piece of what code prints. */
type CodeOutput = Extract<EventBody, { type: 'codeOutput' }>

/** Runs blocks in order and stops at the first that fails. */
export function* executeBlocks(context: ExecutionContext, blocks: readonly CodeBlock[]): Steps<CodeResult> {
  const { face: its } = yield* currentRun()
  const warning = context.takeWarning()
  if (warning !== undefined) yield { type: 'warning', agent: null, topic: 'timeout', text: warning }
  const results: BlockResult[] = []
  let codeFile: string | undefined
  let output = ''
  for (const [index, block] of blocks.entries()) {
    const started = context.now()
    const planned = planBlock(block, context.plan)
    const outcome = 'runtime' in planned ? yield* runJob(context, planned, index) : planned
    const ran = blockResult(block, planned, outcome, context.now() - started)
    results.push(ran)
    codeFile ??= outcome.savedAs ?? undefined
    output += plainText(textOf(outcome))
    if (ran.exitCode !== 0) break
  }
  const last = results.at(-1)
  const artifacts = !results.some((block) => block.file !== undefined)
    ? []
    : its === 'sync'
      ? context.openSync().artifacts()
      : yield* wait(context.open().artifacts(), 'the work directory')
  return { exitCode: last?.exitCode ?? 0, output, codeFile, blocks: results, artifacts }
}

function* runJob(context: ExecutionContext, job: Job, index: number): Steps<Outcome> {
  const { face: its, signal } = yield* currentRun()
  const source = its === 'sync' ? context.openSync().run(job) : streamJob(context, job, signal)
  return yield* each(
    source,
    ({ stream, text }): CodeOutput => ({ type: 'codeOutput', agent: null, stream, text, block: index }),
    'the code',
  )
}

/** Returns the text that a block adds to the output, in the order of the Python library: errors first, then what it printed. */
function textOf({ stdout, stderr, reason }: Outcome): string {
  if (reason === 'timeout') return `${stderr}${stdout}\nTimeout`
  const stop = STOP_NOTES[reason]
  return stop === undefined ? stderr + stdout : `${stderr}${stdout}\n${stop}`
}

const STOP_NOTES: Partial<Record<Outcome['reason'], string>> = {
  'output-limit': 'Stopped: it printed too much',
  memory: 'Stopped: it used too much memory',
  processes: 'Stopped: it started too many processes',
  disk: 'Stopped: it filled the work directory',
}

function blockResult(block: CodeBlock, planned: Job | Outcome, outcome: Outcome, ms: number): BlockResult {
  const { exitCode, stdout, stderr, reason, truncatedBytes, isolation, savedAs } = outcome
  const job = 'runtime' in planned ? planned : undefined
  return {
    language: job?.runtime ?? block.language,
    exitCode,
    stdout,
    stderr,
    reason,
    truncatedBytes,
    ms,
    isolation,
    file: job && savedAs ? job.file : undefined,
  }
}

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
    const recorded = executeAndKeep(open, steps)
    if (!scope.takes('codeStart')) return yield* recorded
    return yield* inSpan(run, { common, now: () => scope.now(), send: run.emit }, recorded)
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
