import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { printable } from '@x/agent'
import {
  type Contestant,
  evaluate,
  type EvalOptions,
  type EvalReport,
  type EvalTask,
  judge,
  makeTasks,
  readLabelled,
  readTasks,
  renderEvalPage,
  type Scorer,
  TASK_SETS,
  tasksFromRuns,
} from '@x/eval'
import { createCodeExecutor } from '@x/exec'
import type { CodeExecutor, LlmConfig, ReasonMethod } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { type ProviderName, requiredModel } from '../chosen-model.ts'
import { loadModule } from '../file-export.ts'
import { openLog } from '../log/log-source.ts'
import { oneLine } from '../log/log-text.ts'
import { printableJson } from '../printable-json.ts'
import { defaultRecordsFile, type Environment, type RecordChoice, whileRecording } from '../recording.ts'
import { agentContestant, contestantsOf, type EvalModule, searchContestant } from './eval-contestants.ts'
import { reportText } from './eval-text.ts'

/** Options of `x eval`. */
export interface EvalCommandOptions {
  readonly contestants?: string | undefined
  readonly provider?: ProviderName | undefined
  readonly model?: readonly string[] | undefined
  readonly baseUrl?: string | undefined
  readonly method?: readonly (ReasonMethod | 'agent')[] | undefined
  /** Model calls of one search. */
  readonly calls?: number | undefined
  /** Tasks: of each set, or the first of a data set. */
  readonly n?: number | undefined
  readonly seed?: number | undefined
  readonly repeats?: number | undefined
  /** US dollars. */
  readonly budget?: number | undefined
  readonly maxCalls?: number | undefined
  readonly concurrency?: number | undefined
  /** Seconds for one answer. */
  readonly timeout?: number | undefined
  /** File of the answers; false for none. */
  readonly out?: string | false | undefined
  readonly record?: RecordChoice
  readonly judge?: string | undefined
  readonly rubric?: string | undefined
  readonly labelled?: string | undefined
  readonly compare?: readonly string[] | undefined
  readonly floor?: number | undefined
  readonly page?: string | undefined
  readonly wrong?: boolean | undefined
  readonly json?: boolean | undefined
}

/** Where the command writes, and what it needs of the process. */
export interface EvalOutput {
  readonly env: Environment
  readonly write: (text: string) => void
  /** Shows a line in place of the one before; null takes it away. */
  readonly progress?: ((line: string | null) => void) | undefined
  readonly signal: AbortSignal
  /** Lets the command end with an exit status that tells of a failure. */
  readonly fail: () => void
}

/** File in which answers are kept unless another one is named. */
const USUAL_FILE = 'eval.jsonl'

const MODULE_NAME = /\.[cm]?[jt]s$/u
const LINES_NAME = /\.(?:jsonl|ndjson)$/iu

/** Asks contestants the tasks of a set, a module, a data set or recorded runs, and shows the table. */
export async function evaluateTasks(
  what: string,
  options: EvalCommandOptions,
  output: EvalOutput,
): Promise<EvalReport> {
  await using executor = createCodeExecutor('auto', { timeout: 20 })
  const module = MODULE_NAME.test(what) ? await importModule(what) : null
  const others = options.contestants === undefined ? null : await importModule(options.contestants)
  const scorer = module?.exports.scorer ?? others?.exports.scorer
  if (scorer && options.judge !== undefined) throw needless('the module exports a `scorer`')
  const isJudged = scorer !== undefined || options.judge !== undefined
  const tasks = module
    ? (module.exports.tasks ?? [])
    : await tasksOf(what, { ...options, executor, isJudged }, output.env)
  const contestants = [
    ...[module, others].flatMap((each) => (each ? contestantsOf(each.exports, each.text) : [])),
    ...modelContestants(options, output.env, { isNeeded: !module?.exports.contestants && !others }),
  ]
  const { repeats, seed, budget: cost, maxCalls: calls, concurrency, timeout, out = USUAL_FILE } = options
  const evaluation: EvalOptions = {
    tasks: options.n === undefined ? tasks : firstOf(tasks, options.n, what),
    repeats,
    seed,
    concurrency,
    timeout,
    contestants: comparedOnly(contestants, options.compare),
    scorer: scorer ?? judgeFor(tasks, options, output.env),
    file: out === false ? undefined : out,
    name: what,
    budget: { ...(cost !== undefined && { cost }), ...(calls !== undefined && { calls }) },
    signal: output.signal,
    onCell: (_, done, wanted) => output.progress?.(`${done} of ${wanted} answers`),
  }
  const recording = { choice: options.record, tags: {}, env: output.env }
  const report = await whileRecording(recording, (_, records) => evaluate({ ...evaluation, records })).finally(() =>
    output.progress?.(null),
  )
  show(report, { what, out, options }, output)
  // Behind the table, which is there then if the page cannot be written.
  if (options.page !== undefined) writePage(options.page, report, what)
  return report
}

function writePage(file: string, report: EvalReport, what: string): void {
  try {
    writeFileSync(file, renderEvalPage(report, { title: `x eval ${what}` }))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new XError('invalid-argument', `cannot write the page to \`${file}\`: ${reason}`, { cause: error })
  }
}

/** Cuts a data set; a set of tasks has been made with the number. */
const firstOf = (tasks: readonly EvalTask[], n: number, what: string): readonly EvalTask[] =>
  isTaskSet(what) ? tasks : tasks.slice(0, n)

function show(
  report: EvalReport,
  { what, out, options }: { readonly what: string; readonly out: string | false; readonly options: EvalCommandOptions },
  { env, write, fail }: EvalOutput,
): void {
  const { json, wrong, floor, record, budget } = options
  const low = report.rows.filter(({ kind, score }) => kind === null && floor !== undefined && (score?.low ?? 0) < floor)
  if (!report.isComplete || low.length > 0) fail()
  if (json) return write(`${printableJson(report)}\n`)
  write(reportText(report, { withWrong: wrong === true }))
  if (budget !== undefined && report.spent.unpriced)
    write('\nThe budget holds no calls whose price is unknown: limit them by --max-calls.\n')
  for (const { contestant } of low) write(`\n${oneLine(contestant)} is not above the floor of ${floor}.\n`)
  if (out !== false) {
    const command = report.stopped === 'budget' ? 'the same command with a larger budget' : 'the same command'
    const next = report.isComplete ? '' : `; ${command} goes on from there`
    write(`\nThe answers are in ${printable(out)}${next}.\n`)
  }
  if (record && report.cells.every(({ runs }) => runs.length === 0)) {
    write(
      '\nNo answer has a run: answers of the file keep the runs that they had, and answers without agents and models have none.\n',
    )
  } else if (record) {
    const file = record === true ? defaultRecordsFile(env) : record
    write(`\nTheir runs are in ${printable(file)}: x log ls ${printable(file)} --tag ${printable(`eval=${what}`)}\n`)
  }
}

const isTaskSet = (what: string): what is Parameters<typeof makeTasks>[0] =>
  what === 'all' || (TASK_SETS as readonly string[]).includes(what)

async function tasksOf(
  what: string,
  {
    n: count,
    seed,
    executor,
    isJudged,
  }: EvalCommandOptions & { readonly executor: CodeExecutor; readonly isJudged: boolean },
  env: Environment,
): Promise<readonly EvalTask[]> {
  if (isTaskSet(what)) return makeTasks(what, { count, seed, executor })
  if (!existsSync(what)) {
    throw new XError(
      'invalid-argument',
      `cannot evaluate \`${what}\`: it is neither a set of tasks (all, ${TASK_SETS.join(', ')}) nor a file; name a module, a data set in JSON lines, or a file of records`,
    )
  }
  if (statSync(what).isDirectory()) {
    throw new XError('invalid-argument', `cannot evaluate \`${what}\`: it is a folder; name a file of tasks or records`)
  }
  if (LINES_NAME.test(what)) {
    const text = dataText(what)
    // Records may be JSON lines too, and say so in their first one.
    if (!text.startsWith('{"x-records"')) return readTasks(text)
  }
  await using source = await openRuns(what, env)
  const tasks: EvalTask[] = []
  let unlabelled = 0
  // One after another: only the tasks stay in memory, and a run without a question, such as a search, takes the place of none.
  for (const { runId } of await source.list({ limit: Number.MAX_SAFE_INTEGER })) {
    if (count !== undefined && tasks.length >= count) break
    const run = await source.read(runId)
    const [task] = run ? tasksFromRuns([run]) : []
    if (!task) continue
    // Without a scorer, an answer to it would be paid and never be judged.
    if (task.expected === undefined && !isJudged) unlabelled++
    else tasks.push(task)
  }
  if (tasks.length > 0 || unlabelled === 0) return tasks
  throw new XError(
    'invalid-argument',
    `cannot evaluate \`${what}\`: none of its runs has a right answer; label some, as \`x log label <run> expected=Paris\` does, or give \`--judge <model>\``,
  )
}

/** Reads the text of a data set, in which other letters than those of UTF-8 would be lost. */
function dataText(file: string): string {
  const bytes = readFileSync(file)
  if (isUtf8(bytes)) return bytes.toString()
  throw new XError(
    'invalid-argument',
    `cannot read \`${file}\`: it is not UTF-8; write it so, as \`iconv -t UTF-8\` does`,
  )
}

/** Opens records; any other file may be a data set with another name. */
async function openRuns(what: string, env: Environment): ReturnType<typeof openLog> {
  try {
    return await openLog(what, env)
  } catch (error) {
    if (!isXError(error, 'invalid-state')) throw error
    const next = 'a data set is a file of JSON lines whose name ends with `.jsonl`'
    throw new XError('invalid-argument', `${error.message}; ${next}`, { cause: error })
  }
}

async function importModule(file: string): Promise<{ readonly exports: EvalModule; readonly text: string }> {
  const exports = await loadModule<EvalModule>(file)
  const wrong = (['tasks', 'contestants'] as const).find(
    (name) => exports[name] !== undefined && !Array.isArray(exports[name]),
  )
  if (wrong) throw new XError('invalid-argument', `cannot use \`${file}\`: its \`${wrong}\` is not a list; export one`)
  return { exports, text: readFileSync(file, 'utf8') }
}

/** Makes the contestants of the models and methods that a person names; without any, the usual model where one is needed. */
function modelContestants(
  options: EvalCommandOptions,
  env: Environment,
  { isNeeded }: { readonly isNeeded: boolean },
): readonly Contestant[] {
  const { model: models, method: methods = [], calls } = options
  if (calls !== undefined && methods.length === 0)
    throw new XError(
      'invalid-argument',
      '`--calls` would limit nothing: it is for searches; give `--method`, or limit all calls by `--max-calls`',
    )
  if (!isNeeded && !models && methods.length === 0) return []
  return (models ?? [undefined]).flatMap((model) => {
    const config = modelConfig(options, model, env)
    const name = model ?? String(config.config.configList?.[0]?.model ?? config.config.model)
    if (methods.length === 0) return [agentContestant(name, config)]
    return methods.map((method) =>
      method === 'agent'
        ? agentContestant(name, config)
        : searchContestant(`${name} ${method}`, config, { method, calls }),
    )
  })
}

const modelConfig = (
  { provider, baseUrl }: EvalCommandOptions,
  model: string | undefined,
  env: Environment,
): LlmConfig =>
  requiredModel({ provider, baseUrl, model }, env, { attempt: 'evaluate', other: 'a module with `contestants`' })

const needless = (reason: string): XError =>
  new XError('invalid-argument', `\`--judge\` would judge nothing: ${reason}; leave it out`)

function judgeFor(tasks: readonly EvalTask[], options: EvalCommandOptions, env: Environment): Scorer | undefined {
  const { judge: model, rubric, labelled } = options
  if (model !== undefined) {
    if (tasks.length > 0 && tasks.every(({ scorer }) => scorer)) throw needless('each task has a checker of its own')
    return judge({
      model: modelConfig(options, model, env),
      rubric,
      title: `judge ${model}`,
      labelled: labelled === undefined ? undefined : readLabelled(dataText(labelled)),
    })
  }
  if (rubric === undefined && labelled === undefined) return undefined
  throw new XError('invalid-argument', 'cannot use `--rubric` or `--labelled` without a judge: give `--judge <model>`')
}

/** Returns the two contestants that a person wants to compare, in that order; all without a wish. */
function comparedOnly(contestants: readonly Contestant[], names: readonly string[] | undefined): readonly Contestant[] {
  if (!names) return contestants
  return names.map((name) => {
    const found = contestants.find((each) => each.name === name)
    if (found) return found
    const known = contestants.map((each) => `\`${each.name}\``).join(', ')
    throw new XError('invalid-argument', `cannot compare \`${name}\`: there is no such contestant; there are ${known}`)
  })
}
