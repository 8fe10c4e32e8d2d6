import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Option, type Command } from 'commander'
import { printable } from '@x/agent'
import type { Model, ReasonMethod, SearchBeliefs, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import {
  MemorySearchJournal,
  METHOD_NAMES,
  methodOf,
  modelParts,
  renderHtml,
  renderMermaid,
  renderText,
  search,
  SearchProgress,
  type SearchParts,
  type SearchResult,
} from '@x/reasoning'
import { addModelOptions, type ModelChoice, requiredModel } from './chosen-model.ts'
import { whileWanted } from './command-end.ts'
import { checkedMade, importFrom, type FileExport } from './file-export.ts'
import { secondsOf, wholeFrom } from './option-values.ts'
import { type Environment, type RecordChoice, whileRecording } from './recording.ts'

/** Options of `x reason`. */
export interface ReasonOptions extends ModelChoice {
  method?: ReasonMethod | undefined
  maxDepth?: number | undefined
  beamSize?: number | undefined
  nsim?: number | undefined
  /** Independent trees. */
  trees?: number | undefined
  /** Budget: model calls. */
  calls?: number | undefined
  /** Budget: seconds. */
  seconds?: number | undefined
  concurrency?: number | undefined
  /** File that exports `task`. */
  task?: string | undefined
  /** File for the page of the tree. */
  html?: string | undefined
  /** File for the Mermaid drawing. */
  mermaid?: string | undefined
  /** File with the result of every call, from which a later run continues. */
  journal?: string | undefined
  /** File in which the search is recorded, or true for the usual one; default: it is not recorded. */
  record?: RecordChoice
}

/** The parts of a search that a file may bring. */
interface Task {
  /** The question as models get it; default: as it was asked. */
  readonly question?: string | undefined
  /** Answers without a model that the person chose. */
  readonly model?: Model | undefined
  /** Checks answers. */
  readonly verifier?: SearchParts['verifier']
  readonly maxDepth?: number | undefined
}

const TASK_EXPORT: FileExport = {
  name: 'task',
  type: 'function',
  example: 'export const task = (question) => ({ verifier: (answer) => … })',
}

/** Where a search shows itself, and what it needs of the process. */
export interface ReasonOutput {
  readonly env: Environment
  readonly write: (text: string) => void
  /** Shows a line in place of the one before; null takes it away. */
  readonly progress?: ((line: string | null) => void) | undefined
  readonly columns?: number | undefined
  readonly color?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /** Lets the command end with an exit status that tells of a failure. */
  readonly fail?: (() => void) | undefined
}

/** Searches for an answer, shows the progress and the tree; without an answer the command has failed. */
export async function reason(asked: string, options: ReasonOptions, output: ReasonOutput): Promise<SearchResult> {
  // Before anything is paid.
  for (const file of [options.html, options.mermaid]) {
    if (file !== undefined && !existsSync(dirname(file)))
      throw new XError('invalid-argument', `cannot write \`${file}\`: its folder does not exist`)
    if (file !== undefined && statSync(file, { throwIfNoEntry: false })?.isDirectory())
      throw new XError('invalid-argument', `cannot write \`${file}\`: it is a folder; give the name of a file`)
  }
  const { question, model, verifier, maxDepth } = await readTask(asked, options, output)
  const journal = journalOf(question, options.journal)
  const progress = new SearchProgress()
  const events: XEvent[] = []
  const recording = { choice: options.record, tags: { command: 'reason' }, env: output.env }
  const result = await whileRecording(
    recording,
    async (tracer) =>
      await search(question, {
        ...modelParts({ model }),
        method: methodOf({
          method: options.method,
          maxDepth: options.maxDepth ?? maxDepth,
          beamSize: options.beamSize,
          nsim: options.nsim,
          forestSize: options.trees,
        }),
        verifier,
        budget: { calls: options.calls, seconds: options.seconds },
        concurrency: options.concurrency,
        journal,
        signal: output.signal,
        tracer,
        emit(event) {
          progress.take(event)
          if (options.html) events.push(event)
          if (event.type === 'searchJobEnd') output.progress?.(progress.line(output.columns))
        },
      }),
  )
  output.progress?.(null)
  show(result, progress, output)
  if (result.answer === null) output.fail?.()
  if (options.html) writeFileSync(options.html, renderHtml(result, { events }))
  if (options.mermaid) writeFileSync(options.mermaid, `${renderMermaid(result)}\n`)
  return result
}

function show(result: SearchResult, progress: SearchProgress, { write, columns, color = false }: ReasonOutput): void {
  write(`${renderText(result, { width: columns, color })}\n\n`)
  write(`${progress.line(columns)}\n`)
  for (const warning of result.warnings) write(`warning: ${printable(warning)}\n`)
  write(`${result.status}: ${printable(result.answer ?? result.reason ?? '')}\n`)
  if (result.beliefs) write(`${describeBeliefs(result.beliefs)}\n`)
}

/** Describes the beliefs of a search in one line: how sure it is, and how far it trusts a grader that has graded steps. */
function describeBeliefs({ confidence, grader }: SearchBeliefs): string {
  const percent = (share: number): string => `${Math.round(100 * share)} %`
  const { truePraise, falsePraise, graded } = grader.steps
  const trust = `; the grader praises ${percent(truePraise)} of the good steps and ${percent(falsePraise)} of the others, it seems`
  return `right with ${percent(confidence)}${graded > 0 ? trust : ''}`
}

/** Makes the task of a question by the function of a file, which may be asynchronous. */
async function taskOf(file: string, asked: string): Promise<Task> {
  const make = await importFrom<(question: string) => unknown>(file, TASK_EXPORT)
  return checkedMade(await make(asked), { file, of: TASK_EXPORT, fields: [] })
}

/** Completes what the file of a task says; a model that the person names comes before that of the file. */
async function readTask(
  asked: string,
  { task: file, ...choice }: ReasonOptions,
  { env }: ReasonOutput,
): Promise<Task & { readonly question: string; readonly model: Model }> {
  const task = file === undefined ? {} : await taskOf(file, asked)
  const { question = asked } = task
  if (!question.trim()) throw new XError('invalid-argument', 'cannot search: the question is empty; give one')
  const isNamed = choice.provider !== undefined || choice.model !== undefined || choice.baseUrl !== undefined
  const own = isNamed ? undefined : task.model
  const wanted = { attempt: 'search', other: 'a `--task` with a model' }
  return { ...task, question, model: own ?? requiredModel(choice, env, wanted).createModel() }
}

function journalOf(question: string, file: string | undefined): MemorySearchJournal {
  if (!file) return new MemorySearchJournal({ question })
  const saved = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  // Written as it comes: a search that is killed loses no call that was answered.
  return new MemorySearchJournal({ question, saved, append: (line) => appendFileSync(file, line) })
}

/** Adds `x reason` to the program. */
export function addReason(program: Command): void {
  const command = program
    .command('reason')
    .description('Answers by searching a tree of thoughts, on the model that has a key or that you name.')
    .argument('<question>', 'the question')
    .addOption(new Option('--method <name>', 'how the tree is searched').choices(METHOD_NAMES).default('best_first'))
    .option('--max-depth <n>', 'depth of the tree', wholeFrom(1))
    .option('--beam-size <n>', 'paths kept by a beam', wholeFrom(1))
    .option('--nsim <n>', 'simulations, or answers of best_of_n and the like', wholeFrom(1))
    .option('--trees <n>', 'independent trees', wholeFrom(1))
    .option('--calls <n>', 'model calls at most', wholeFrom(1))
    .option('--seconds <n>', 'seconds at most', secondsOf)
    .option('--concurrency <n>', 'model calls at once', wholeFrom(1))
    .option('--html <file>', 'writes the tree as a page that opens from the file')
    .option('--mermaid <file>', 'writes the tree as a Mermaid drawing')
    .option('--journal <file>', 'keeps what came of every call; a stopped search goes on from it')
    .option('--task <file>', 'module that exports `task`: a verifier of answers, a model, the wording of the question')
  addModelOptions(command)
  command
    .option(
      '--record [file]',
      'records the search, for `x log`; default: x/runs.db in $XDG_STATE_HOME or ~/.local/state',
    )
    .action(async (question: string, options: ReasonOptions) => {
      const { stdout, stderr } = process
      const live = stderr.isTTY
      await whileWanted(async (signal, fail) => {
        await reason(question, options, {
          env: process.env,
          write: (text) => void stdout.write(text),
          progress: live ? (line) => void stderr.write(`\r\u001B[2K${line ?? ''}`) : undefined,
          // A terminal that knows no width says 0.
          columns: stdout.columns || undefined,
          color: stdout.isTTY,
          signal,
          fail,
        })
      })
    })
}
