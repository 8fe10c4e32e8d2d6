import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { printable } from '@x/agent'
import { XError } from '@x/kernel'
import { createAgent } from '@x/kit'
import { functionModel } from '@x/testing'
import type { Command } from 'commander'
import { addModelOptions, chosenModel, type ModelChoice } from './chosen-model.ts'
import { whileWanted } from './command-end.ts'
import { costText } from './log/log-text.ts'
import { type Environment, type RecordChoice, whileRecording } from './recording.ts'

/** Options of `x ask`. */
interface AskCommandOptions extends ModelChoice {
  readonly system?: string | undefined
  /** File in which the run is recorded, or true for the usual one; default: it is not recorded. */
  readonly record?: RecordChoice
}

/** Where an answer goes, and what stops it. */
interface AskOptions {
  readonly write: (text: string) => void
  /** Tells the person what is no part of the answer, which a program may read. */
  readonly tell: (text: string) => void
  readonly env: Environment
  readonly signal?: AbortSignal | undefined
}

/** Stands for a model where none is named and no key is set. */
const SIMULATED = functionModel(({ messages }) => `Simulated: you asked "${messages.at(-1)?.content as string}"`)

/** Asks one agent one question, and writes the answer as it comes. */
export async function ask(
  question: string,
  options: AskCommandOptions,
  { write, tell, env, signal }: AskOptions,
): Promise<void> {
  const { record } = options
  // The shell gives the word behind `--record` as its file, also where it begins the question.
  if (typeof record === 'string' && !/[./\\]/u.test(record) && !existsSync(record))
    throw new XError(
      'invalid-argument',
      `cannot record in a new file \`${record}\`, which may be the first word of the question: write \`--record\` behind the question, or the file as \`./${record}\``,
    )
  const chosen = chosenModel(options, env)
  if (!chosen) tell('The model is simulated. Set OPENAI_API_KEY or --base-url for a real one.\n')
  const model = chosen?.llmConfig ?? SIMULATED
  const agent = createAgent({ name: 'assistant', model, instructions: options.system ?? 'Be brief.' })
  await whileRecording({ choice: record, tags: { command: 'ask' }, env }, async (tracer) => {
    const stream = agent.runStream(question, { signal, tracer })
    let isBegun = false
    try {
      for await (const text of stream.textStream) {
        write(printable(text))
        isBegun = true
      }
      const { cost, usage } = await stream.result
      const unpriced = agent.getActualUsage()?.unpriced?.length
      write('\n')
      tell(`(${usage.totalTokens} tokens, ${costText({ cost, unpriced })})\n`)
    } catch (error) {
      // What went wrong is told on a line of its own.
      if (isBegun) write('\n')
      throw error
    }
  })
}

/** Returns the question that a person has typed or piped in; an empty one without either. */
export const questionIn = async (
  words: readonly string[],
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
): Promise<string> => (words.length > 0 || input.isTTY ? words.join(' ') : await text(input)).trim()

/** Adds `x ask` to the program. */
export function addAsk(program: Command): void {
  const command = program
    .command('ask')
    .description('One question to one agent; on a simulated model unless you name a real one.')
    .argument('[question...]', 'the question; without one, the input that is piped in')
  addModelOptions(command)
  command
    .option('--system <text>', 'what the model is told first; default: Be brief.')
    .option('--record [file]', 'records the run, for `x log`; default: x/runs.db in $XDG_STATE_HOME or ~/.local/state')
    .action(async (words: readonly string[], options: AskCommandOptions) => {
      const { stdin, stdout, stderr } = process
      const question = await questionIn(words, stdin)
      if (question === '') command.error("error: missing required argument 'question'")
      await whileWanted(async (signal) => {
        const write = (piece: string): void => void stdout.write(piece)
        const tell = (piece: string): void => void stderr.write(piece)
        await ask(question, options, { write, tell, env: process.env, signal })
      })
    })
}
