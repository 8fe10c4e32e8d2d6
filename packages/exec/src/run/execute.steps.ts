import type { BlockResult, CodeBlock, CodeOutputEvent, CodeResult } from '@x/interfaces'
import { each, face, wait, type Steps } from '@x/kernel'
import { streamed } from './streamed.ts'
import type { Backend, Job, Outcome } from './job.ts'
import type { BlockingBackend } from '../backend/blocking.ts'
import { plainText } from './plain-text.ts'
import { planBlock, type PlanOptions } from './plan.ts'

/** What steps run blocks with. */
export interface Room {
  readonly plan: PlanOptions
  /** Opens the work directory and gives what runs jobs there. */
  open(): Backend
  /** The same for the blocking face. */
  openSync(): BlockingBackend
  /** Starts a job when there is room, and keeps it in mind, so that closing waits for it. */
  keep<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  now(): number
}

/** Runs blocks in order and stops at the first that fails. */
export function* executeBlocks(room: Room, blocks: readonly CodeBlock[]): Steps<CodeResult> {
  const { face: its } = yield* face()
  const results: BlockResult[] = []
  let codeFile: string | undefined
  let output = ''
  for (const [index, block] of blocks.entries()) {
    const started = room.now()
    const planned = planBlock(block, room.plan)
    const outcome = 'runtime' in planned ? yield* runJob(room, planned, index) : planned
    const ran = blockResult(block, planned, outcome, room.now() - started)
    results.push(ran)
    codeFile ??= outcome.savedAs ?? undefined
    output += plainText(textOf(outcome))
    if (ran.exitCode !== 0) break
  }
  const last = results.at(-1)
  const artifacts = !results.some((block) => block.file !== undefined)
    ? []
    : its === 'sync'
      ? room.openSync().artifacts()
      : yield* wait(room.open().artifacts(), 'the work directory')
  return { exitCode: last?.exitCode ?? 0, output, codeFile, blocks: results, artifacts }
}

function* runJob(room: Room, job: Job, index: number): Steps<Outcome> {
  const { face: its, signal } = yield* face()
  const source = its === 'sync' ? room.openSync().run(job) : streamed(room, job, signal)
  return yield* each(
    source,
    ({ stream, text }): CodeOutputEvent => ({ type: 'codeOutput', stream, text, block: index }),
    'the code',
  )
}

/** What a block adds to the output, the reference's order: errors first, then what was printed. */
function textOf({ stdout, stderr, reason }: Outcome): string {
  if (reason === 'timeout') return `${stderr}${stdout}\nTimeout`
  const stop = STOPS[reason]
  return stop === undefined ? stderr + stdout : `${stderr}${stdout}\n${stop}`
}

const STOPS: Partial<Record<Outcome['reason'], string>> = {
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
