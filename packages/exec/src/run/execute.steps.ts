import type { CodeBlock, CodeResult, EventBody, MaybePromise, OpenCall, Run, RunScope } from '@x/interfaces'
import { currentRun, wait, XError, type Steps } from '@x/kernel'
import { each } from '@x/kernel/each'
import { inSpan, scopeOf, type Span, within } from '@x/kernel/run'
import { MAX_LISTED_CHANGES, type Change, type Choice, type ChooseChanges } from '../changes/changeset.ts'
import { heldText } from '../changes/changeset-text.ts'
import { streamJob, type ExecutionContext } from './execution-context.ts'
import type { Job, Outcome } from './job.ts'
import { plainText } from './plain-text.ts'
import { planBlock } from './plan.ts'

/** Event with a piece of output. */
type CodeOutput = Extract<EventBody, { type: 'codeOutput' }>

/**
 * Runs blocks in order and stops at the first failure. In a run that a tool or function passes on, the execution is a call
 * of that run: its result is kept in the journal and replayed from there. Its start and end are events if somebody listens.
 * An agent keeps the result of its executor itself, and sends these events.
 */
export function* executeInRun(
  context: ExecutionContext,
  blocks: readonly CodeBlock[],
  choose?: ChooseChanges,
): Steps<CodeResult> {
  const run = yield* currentRun()
  const scope = scopeOf(run)
  if (!scope || scope.callKind === 'code') return yield* executeBlocks(context, blocks, choose)
  const call = scope.open?.(run, { kind: 'code' })
  call?.noteInput?.({ blocks })
  const known = call?.known?.value as CodeResult | undefined
  try {
    const held = known ? undefined : call?.beforeCall?.()
    if (held) yield* wait(held, 'the journal of a chat')
    const isTold = scope.takes('codeStart') && (!known || call?.isUntold === true || scope.tellsRecalled === true)
    const steps = known ? wait(known, 'the journal of a chat') : executeBlocks(context, blocks, choose)
    const result = yield* isTold ? inCodeSpan({ run, scope, call }, blocks, steps) : steps
    if (!isTold && !known && call?.recorded) yield* wait(call.keep(result), 'the journal of a chat')
    return result
  } finally {
    call?.end()
  }
}

/** An execution with its run, and its call if a journal may keep the result. */
interface Execution {
  readonly run: Run
  readonly scope: RunScope
  readonly call: OpenCall | undefined
}

/** Runs code between the events of its start and end; its output is told inside. */
function* inCodeSpan(
  { run, scope, call }: Execution,
  blocks: readonly CodeBlock[],
  steps: Steps<CodeResult>,
): Steps<CodeResult> {
  const id = call?.spanId ?? scope.newSpanId()
  const isRecalled = call?.known !== undefined
  const isResumed = isRecalled || call?.begunBefore === true
  const send = (event: EventBody): MaybePromise<void> =>
    run.emit(isRecalled ? Object.assign({ ...event }, { recalled: true }) : event)
  const span: Span<CodeResult> = {
    id,
    parentId: scope.spanId,
    common: { type: 'code', agent: null },
    atStart: { blocks },
    atEnd: endOf,
    now: () => scope.now(),
    keep: (result, isTold) => (call?.recorded && !isRecalled ? call.keep(result, isTold) : undefined),
    send,
    sendStart: (event) => send(isResumed ? Object.assign({ ...event }, { resumed: true }) : event),
  }
  return yield* inSpan(run, span, within(scope.inside(id), steps))
}

const endOf = (result: CodeResult | undefined): Pick<CodeEnd, 'exitCode' | 'output' | 'artifacts'> => ({
  exitCode: result?.exitCode ?? null,
  output: result?.output ?? '',
  artifacts: result?.artifacts ?? [],
})

type CodeEnd = Extract<EventBody, { type: 'codeEnd' }>

function* executeBlocks(
  context: ExecutionContext,
  blocks: readonly CodeBlock[],
  choose: ChooseChanges | undefined,
): Steps<CodeResult> {
  const { face } = yield* currentRun()
  const warning = context.takeWarning()
  if (warning !== undefined) yield { type: 'warning', agent: null, topic: 'timeout', text: warning }
  const results: NonNullable<CodeResult['blocks']>[number][] = []
  let codeFile: string | undefined
  let output = ''
  const changes: Change[] = []
  for (const [index, block] of blocks.entries()) {
    const started = context.now()
    const plan = planBlock(block, { ...context.plan, asks: choose !== undefined })
    const outcome =
      'runtime' in plan ? yield* settleJob(context, plan, yield* runJob(context, plan, index), choose) : plan
    const result = blockResult(block, plan, outcome, context.now() - started)
    results.push(result)
    codeFile ??= outcome.savedAs ?? undefined
    output += plainText(withHeld(outputText(outcome), outcome.changes))
    if (outcome.changes) changes.push(...outcome.changes)
    if (result.exitCode !== 0) break
  }
  const last = results.at(-1)
  const artifacts = !results.some((block) => block.file !== undefined)
    ? []
    : face === 'sync'
      ? context.openSync().artifacts()
      : yield* wait(context.open().artifacts(), 'the work directory')
  const changed = changes.length > 0 ? { changes: changes.slice(0, MAX_LISTED_CHANGES) } : {}
  return { exitCode: last?.exitCode ?? 0, output, codeFile, blocks: results, artifacts, ...changed }
}

function* runJob(context: ExecutionContext, job: Job, index: number): Steps<Outcome> {
  const { face, signal } = yield* currentRun()
  context.refuseClosed()
  const source = face === 'sync' ? context.openSync().run(job) : streamJob(context, job, signal)
  return yield* each(
    source,
    ({ stream, text }): CodeOutput => ({ type: 'codeOutput', agent: null, stream, text, block: index }),
    'the code',
  )
}

/** Asks which of the changes of a job come back, where they wait for a choice, and applies the answer. */
function* settleJob(
  context: ExecutionContext,
  job: Job,
  { proposal, ...outcome }: Outcome,
  choose: ChooseChanges | undefined,
): Steps<Outcome> {
  if (!proposal || !choose) return outcome
  const { id, changes, diff } = proposal
  const run = yield* currentRun()
  const asked = choose({ changes, diff }, { run, signal: run.signal, emit: run.emit })
  const choice = checkChoice(yield* wait(asked, 'the choice of changes'))
  const settled =
    run.face === 'sync'
      ? context.openSync().settle(job, id, choice)
      : yield* wait(context.settle(job, id, choice), 'the work directory')
  return { ...outcome, changes: [...(outcome.changes ?? []), ...settled] }
}

function checkChoice(choice: unknown): Choice {
  if (choice === 'all' || choice === 'safe' || choice === 'none') return choice
  if (Array.isArray(choice) && choice.every((name) => typeof name === 'string')) return choice
  throw new XError(
    'invalid-argument',
    "cannot apply the changes of code: the function that chooses them returned something else than 'all', 'safe', 'none' or a list of names; nothing was written",
  )
}

/** Returns the text that a block adds to the output, in the order of the Python library: `stderr`, then `stdout`. */
function outputText({ stdout, stderr, reason }: Outcome): string {
  if (reason === 'timeout') return `${stderr}${stdout}\nTimeout`
  const note = STOP_NOTES[reason]
  return note === undefined ? stderr + stdout : `${stderr}${stdout}\n${note}`
}

/** Adds to an output which changes are not in the user's directory. */
function withHeld(output: string, changes: readonly Change[] = []): string {
  const held = heldText(changes)
  if (held === null) return output
  return output === '' || output.endsWith('\n') ? output + held : `${output}\n${held}`
}

const STOP_NOTES: Partial<Record<Outcome['reason'], string>> = {
  'output-limit': 'Stopped: it printed too much',
  memory: 'Stopped: it used too much memory',
  processes: 'Stopped: it started too many processes',
  disk: 'Stopped: it filled the work directory',
}

function blockResult(
  block: CodeBlock,
  plan: Job | Outcome,
  outcome: Outcome,
  ms: number,
): NonNullable<CodeResult['blocks']>[number] {
  const { exitCode, stdout, stderr, reason, truncatedBytes, isolation, savedAs } = outcome
  const job = 'runtime' in plan ? plan : undefined
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
