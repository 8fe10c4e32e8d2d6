import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { printable } from '@x/agent'
import { ChatSession, createSessionAgents } from '@x/session'
import type { Io } from '@x/interfaces'
import { XError } from '@x/kernel'
import { createBudget } from '@x/model'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { listChats } from './chat-folders.ts'
import { Interrupts } from './chat-interrupts.ts'
import { Lines } from './chat-lines.ts'
import { talk } from './chat-loop.ts'
import { chosenModel, PROVIDER_NAMES, type ModelChoice } from './chat-model.ts'
import { runCodeTool, simulatedAssistant } from './chat-tools.ts'
import { ChatView, paintFor } from './chat-view.ts'

/** Options of `x chat`. */
interface ChatCommandOptions extends ModelChoice {
  /** Folder of the chats; default: below the folder for state of the person. */
  readonly chats?: string | undefined
  /** Name of an earlier chat, or true for the last one. */
  readonly resume?: string | true | undefined
  /** Whether events are printed as JSON, a line each. */
  readonly json?: boolean | undefined
  /** Whether tools run without a question. */
  readonly yes?: boolean | undefined
  readonly system?: string | undefined
  /** US dollars for this run. */
  readonly budget?: number | undefined
}

/** Exit status of a program that Ctrl-C ended. */
const INTERRUPTED = 130

/** Talks with an assistant in the terminal. */
async function chat(options: ChatCommandOptions): Promise<void> {
  const { stdin, stdout, stderr, env } = process
  const folder = folderOf(options)
  const real = chosenModel(options, env)
  await using code = runCodeTool({ needsApproval: options.yes !== true })
  const left = new AbortController()
  const interrupts = new Interrupts(() => {
    // A stop that hangs is not waited for: the chat is kept as far as it came.
    if (left.signal.aborted || interrupts.stopping) process.exit(INTERRUPTED)
    process.exitCode = INTERRUPTED
    left.abort()
  })
  const onInterrupt = (): void => interrupts.interrupt()
  const lines = new Lines({ input: stdin, output: stdout, onInterrupt })
  const paint = paintFor(stdout)
  const view = options.json ? null : new ChatView(paint, { prices: options.budget !== undefined })
  const write = async (text: string): Promise<void> => {
    if (!stdout.write(text)) await once(stdout, 'drain')
  }
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read this reads no more, as \`head\` does.
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  const note = (text: string): void => {
    if (lines.isTerminal && view) stderr.write(`${paintFor(stderr)('dim', text)}\n`)
  }

  const io: Io = {
    send() {}, // The events come by the stream of the turn.
    input: async (prompt) => (await lines.ask(printable(prompt), left.signal)) ?? '',
  }
  using session = new ChatSession({
    folder: folder.path,
    agents: () =>
      createSessionAgents({
        llmConfig: real?.llmConfig ?? simulatedAssistant(),
        systemMessage:
          options.system ?? 'You are a helpful assistant in a terminal: write plain text, and keep it short.',
        tools: [code.tool],
        io,
      }),
    ...(options.budget !== undefined && { budget: createBudget({ cost: options.budget }) }),
  })

  process.on('SIGINT', onInterrupt)
  try {
    note(`${real?.words ?? 'The model is simulated.'} Ctrl-C stops an answer, Ctrl-D or /exit ends the chat.`)
    if (view && options.resume) for (const message of session.messages) await write(view.message(message))
    await talk({ session, lines, interrupts, left: left.signal, write, view, prompt: paint('bold', '› ') })
  } finally {
    process.removeListener('SIGINT', onInterrupt)
    lines.close()
    if (session.messages.length > 0 || session.unfinished !== null) note(`To go on: x chat --resume ${folder.name}`)
  }
}

function folderOf({ chats, resume }: ChatCommandOptions): { name: string; path: string } {
  const parent = chats ?? join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'x', 'chats')
  if (!resume) {
    const name = `${new Date().toISOString().slice(0, 19).replaceAll(':', '')}-${randomBytes(2).toString('hex')}`
    return { name, path: join(parent, name) }
  }
  const chat = listChats(parent).find(({ name }) => resume === true || name === resume)
  if (chat) return { name: chat.name, path: chat.folder }
  const what = resume === true ? 'no earlier chat' : `no chat \`${resume}\``
  throw new XError('invalid-argument', `there is ${what} in \`${parent}\`: begin one without \`--resume\``)
}

function dollars(text: string): number {
  const value = Number(text)
  if (!(value >= 0)) throw new InvalidArgumentError('Give US dollars, such as 0.50.')
  return value
}

/** Adds `x chat` to the program. */
export function addChat(program: Command): void {
  program
    .command('chat')
    .description('Talks with an assistant in the terminal; on a simulated model unless there is a key or you name one.')
    .addOption(new Option('--provider <name>', 'whose model to ask').choices(PROVIDER_NAMES))
    .option('--model <name>', 'model to ask; default: a usual one of the provider')
    .option('--base-url <url>', 'root URL of the provider, or of an OpenAI-compatible server')
    .option('--system <text>', 'what the model is told first')
    .option('--resume [chat]', 'goes on with an earlier chat; default: the last one')
    .option('--chats <folder>', 'folder of the chats; default: x/chats in $XDG_STATE_HOME or ~/.local/state')
    .option('--json', 'prints events as JSON, a line each')
    .option('--yes', 'runs tools without asking')
    .option('--budget <dollars>', 'US dollars that this run may cost', dollars)
    .action(async (options: ChatCommandOptions) => await chat(options))
}
