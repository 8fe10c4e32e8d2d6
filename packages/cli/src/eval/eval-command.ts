import { type Command, Option } from 'commander'
import { METHOD_NAMES } from '@x/reasoning'
import { addModelOptions } from '../chosen-model.ts'
import { whileWanted } from '../command-end.ts'
import { oneLine } from '../log/log-text.ts'
import { dollarsOf, shareOf, wholeFrom } from '../option-values.ts'
import type { EvalCommandOptions, EvalOutput } from './eval-actions.ts'

/** Tells of a failure of what a contestant has started and not waited for: the others are evaluated all the same. */
const tellUnwaited = (error: unknown): void => {
  const message = error instanceof Error ? error.message : typeof error
  process.stderr.write(`warning: something failed that nobody waited for: ${oneLine(message)}\n`)
}

/** Adds `x eval` to the program. */
export function addEval(program: Command): void {
  const command = program
    .command('eval')
    .description('Asks agents, models or programs tasks, and compares them: scores with intervals, calls, cost, time.')
    .usage('[options] <tasks>')
    .argument(
      '[tasks]',
      'a set (all, game-of-24, code, arithmetic, logic, tools), a module, JSON lines, or a file of records',
    )
    .option(
      '--contestants <module>',
      'module that exports `contestants`, beside the models that are named, and perhaps a `scorer`',
    )
  addModelOptions(command, new Option('--model <name...>', 'models to ask; default: a usual one of the provider'))
  command
    .addOption(
      new Option('--method <name...>', 'how models answer: as an agent, or by a search').choices([
        'agent',
        ...METHOD_NAMES,
      ]),
    )
    .option('--calls <n>', 'model calls of one search at most', wholeFrom(1))
    .option('--n <n>', 'tasks of each set, or the first ones of a file; default: 20, or all', wholeFrom(1))
    .option('--seed <n>', 'seed of tasks and intervals', wholeFrom(0), 1)
    .option('--repeats <n>', 'answers of each contestant to each task', wholeFrom(1), 1)
    .option('--budget <dollars>', 'US dollars at most, what the file says was spent included', dollarsOf)
    .option('--max-calls <n>', 'model calls at most, in the same way', wholeFrom(0))
    .option('--concurrency <n>', 'answers at once', wholeFrom(1), 8)
    .option('--timeout <seconds>', 'seconds for one answer', wholeFrom(1), 600)
    .option('--out <file>', 'file of the answers, from which the same command goes on; default: eval.jsonl')
    .option('--no-out', 'keeps no answers')
    .option(
      '--record [file]',
      'records the run of each answer with its score, for `x log` and `x studio`; default: x/runs.db in $XDG_STATE_HOME or ~/.local/state',
    )
    .option('--judge <model>', 'model that judges the answers of a data set')
    .option('--rubric <text>', 'what makes an answer right, for the judge')
    .option('--labelled <file>', 'JSON lines of answers that people have judged, to measure the judge')
    .option('--compare <name...>', 'contestants to ask and compare, in this order')
    .option('--floor <share>', 'fails if the lower end of an interval is below it, such as 0.8', shareOf)
    .option('--page <file>', 'writes the results as a page that opens from the file')
    .option('--wrong', 'lists the answers that are not right')
    .option('--json', 'prints the report as JSON')
    .action(async (what: string | undefined, options: EvalCommandOptions) => {
      // Options such as `--model` take all words behind them.
      if (what === undefined)
        return command.error("error: missing required argument 'tasks', which stands before the options")
      await runEval(what, options)
    })
}

/** Runs `x eval` in this process. */
async function runEval(what: string, options: EvalCommandOptions): Promise<void> {
  const { stdout, stderr, env } = process
  const print = stdout.write.bind(stdout)
  // Whoever reads JSON gets the report alone, and not what a module of the person prints.
  if (options.json) stdout.write = stderr.write.bind(stderr)
  process.on('uncaughtException', tellUnwaited)
  await whileWanted(async (signal, fail) => {
    const output: EvalOutput = {
      env,
      signal,
      fail,
      write: (text) => void print(text),
      progress: stderr.isTTY ? (line) => void stderr.write(`\r\u001B[2K${line ?? ''}`) : undefined,
    }
    // Loaded here, since the other commands start faster without it.
    await (await import('./eval-actions.ts')).evaluateTasks(what, options, output)
  }).catch((error: unknown) => {
    process.removeListener('uncaughtException', tellUnwaited)
    throw error
  })
}
