import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Option, type Command } from 'commander'
import type { Model, ReasonMethod, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
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
  type SearchResult,
} from '@x/reasoning'
import { BareModel, numbersOf, questionOf, StandInClient, verifierOf } from '@x/game-of-24'

/** Options of `x reason`. */
export interface ReasonOptions {
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
  /** Model to ask; without it the stand-in for Game of 24 answers. */
  model?: string | undefined
  /** Root URL of an OpenAI-compatible server. */
  baseUrl?: string | undefined
  apiKey?: string | undefined
  /** File for the page of the tree. */
  html?: string | undefined
  /** File for the Mermaid drawing. */
  mermaid?: string | undefined
  /** File with the result of every call, from which a later run continues. */
  journal?: string | undefined
}

/** The output of the command. */
export interface ReasonOutput {
  readonly write: (text: string) => void
  /** Shows a line in place of the one before; null takes it away. */
  readonly progress?: ((line: string | null) => void) | undefined
  readonly columns?: number | undefined
  readonly color?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** Searches for an answer, shows the progress and the tree. */
export async function reason(asked: string, options: ReasonOptions, output: ReasonOutput): Promise<SearchResult> {
  const { question, model, verifier, maxDepth } = taskOf(asked, options)
  const journal = journalOf(question, options.journal)
  const progress = new SearchProgress()
  const events: XEvent[] = []
  const result = await search(question, {
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
    emit(event) {
      progress.take(event)
      if (options.html) events.push(event)
      if (event.type === 'searchJobEnd') output.progress?.(progress.line(output.columns))
    },
  })
  output.progress?.(null)
  show(result, progress, output)
  if (options.html) writeFileSync(options.html, renderHtml(result, { events }))
  if (options.mermaid) writeFileSync(options.mermaid, `${renderMermaid(result)}\n`)
  return result
}

function show(result: SearchResult, progress: SearchProgress, { write, columns, color = false }: ReasonOutput): void {
  write(`${renderText(result, { width: columns, color })}\n\n`)
  write(`${progress.line(columns)}\n`)
  write(`${result.status}: ${result.answer ?? result.reason}\n`)
}

interface Task {
  readonly question: string
  readonly model: Model
  readonly maxDepth?: number
  readonly verifier?: ReturnType<typeof verifierOf>
}

/** A real model when one is named; otherwise the stand-in, which knows one game and checks its answers. */
function taskOf(asked: string, { model, baseUrl, apiKey }: ReasonOptions): Task {
  if (model !== undefined || baseUrl !== undefined) {
    const entry = { model: model ?? 'gpt-5-mini', baseUrl, apiKey }
    return { question: asked, model: llmConfig({ providers: [openai], configList: [entry] }).createModel() }
  }
  const numbers = asked.match(/\d+/g)?.slice(0, 4) ?? []
  if (numbers.length < 4) {
    throw new XError(
      'invalid-argument',
      `the simulated model was asked \`${asked}\` and knows Game of 24 only: give four numbers, or name a real one by \`--model\``,
    )
  }
  const puzzle = numbers.join(' ')
  return {
    question: questionOf(numbersOf(puzzle)),
    model: new BareModel(new StandInClient()),
    maxDepth: 3,
    verifier: verifierOf(puzzle),
  }
}

function journalOf(question: string, file: string | undefined): MemorySearchJournal {
  if (!file) return new MemorySearchJournal({ question })
  const saved = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  // Written as it comes: a search that is killed loses no call that was answered.
  return new MemorySearchJournal({ question, saved, append: (line) => appendFileSync(file, line) })
}

/** Adds `x reason` to the program. */
export function addReason(program: Command): void {
  program
    .command('reason')
    .description(
      'Answers by searching a tree of thoughts; on a simulated model for Game of 24 unless you name a real one.',
    )
    .argument('<question>', 'the question, or four numbers for the simulated model')
    .addOption(new Option('--method <name>', 'how the tree is searched').choices(METHOD_NAMES).default('best_first'))
    .option('--max-depth <n>', 'depth of the tree', Number)
    .option('--beam-size <n>', 'paths kept by a beam', Number)
    .option('--nsim <n>', 'simulations, or answers of best_of_n and the like', Number)
    .option('--trees <n>', 'independent trees', Number)
    .option('--calls <n>', 'model calls at most', Number)
    .option('--seconds <n>', 'seconds at most', Number)
    .option('--concurrency <n>', 'model calls at once', Number)
    .option('--html <file>', 'writes the tree as a page that opens from the file')
    .option('--mermaid <file>', 'writes the tree as a Mermaid drawing')
    .option('--journal <file>', 'keeps what came of every call; a stopped search goes on from it')
    .option('--base-url <url>', 'root URL of an OpenAI-compatible server')
    .option('--model <name>', 'model to ask')
    .action(async (question: string, options: ReasonOptions) => {
      const stop = new AbortController()
      const onInterrupt = (): void => stop.abort()
      process.once('SIGINT', onInterrupt)
      const { stdout, stderr } = process
      const apiKey = process.env['OPENAI_API_KEY']
      const live = stderr.isTTY
      try {
        await reason(
          question,
          { ...options, apiKey },
          {
            write: (text) => void stdout.write(text),
            progress: live ? (line) => void stderr.write(`\r\u001B[2K${line ?? ''}`) : undefined,
            columns: stdout.columns,
            color: stdout.isTTY,
            signal: stop.signal,
          },
        )
      } finally {
        process.removeListener('SIGINT', onInterrupt)
      }
    })
}
