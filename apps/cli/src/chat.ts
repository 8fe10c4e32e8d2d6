import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { clearAttachments, clearToolResults, fit, summarize } from '@x/history'
import { ChatSession, createSessionAgents, listChats } from '@x/session'
import { createExampleGroup, type OrderRequest } from '@x/example-group'
import type { Tool, UsageSummary } from '@x/interfaces'
import { XError } from '@x/kernel'
import { createBudget } from '@x/model'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { chatLines, runCommand, type ChatToOpen, type CommandRunner, type Leave } from './chat-commands.ts'
import { createChatIo } from './chat-io.ts'
import { Interrupts } from './chat-interrupts.ts'
import { Lines } from './chat-lines.ts'
import { talk } from './chat-loop.ts'
import { connectServers } from './chat-mcp.ts'
import { chosenModel, PROVIDER_NAMES, type ModelChoice } from './chat-model.ts'
import { changesByPerson } from './chat-changes.ts'
import { runCodeTool, simulatedAssistant } from './chat-tools.ts'
import { usageLine } from './chat-usage.ts'
import { ChatView, paintFor } from './chat-view.ts'
import { printableJson } from './printable-json.ts'

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
  /** Whether a new chat is a group. */
  readonly group?: boolean | undefined
  /** Whether the chats are listed, and nothing else. */
  readonly list?: boolean | undefined
  /** MCP servers whose tools the assistant may call: command lines or addresses. */
  readonly mcp?: readonly string[] | undefined
  /** Folder of the person, of which code changes a copy; default: none. */
  readonly dir?: string | undefined
  /** US dollars for this run. */
  readonly budget?: number | undefined
}

/** Exit status of a program that Ctrl-C ended. */
const INTERRUPTED_EXIT_STATUS = 130

/** Ends of the names of chats that are groups. */
const GROUP_NAME_SUFFIX = '-group'

/** Talks in the terminal, in one chat after another. */
async function chat(options: ChatCommandOptions): Promise<void> {
  const { stdin, stdout } = process
  const parent =
    options.chats ?? join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'x', 'chats')
  const write = async (text: string): Promise<void> => {
    if (!stdout.write(text)) await once(stdout, 'drain')
  }
  if (options.list) return await write(`${chatLines({ parent, name: '' })}\n`)
  const left = new AbortController()
  const interrupts = new Interrupts(() => {
    // A stop that hangs is not waited for: the chat is kept as far as it came.
    if (left.signal.aborted || interrupts.stopping) process.exit(INTERRUPTED_EXIT_STATUS)
    process.exitCode = INTERRUPTED_EXIT_STATUS
    left.abort()
  })
  const onInterrupt = (): void => interrupts.interrupt()
  const lines = new Lines({ input: stdin, output: stdout, onInterrupt })
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read this reads no more, as `head` does.
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  const shown: Program['shown'] = { view: null }
  const choose = changesByPerson({ lines, left: left.signal, write, view: () => shown.view })
  await using code = runCodeTool({
    needsApproval: options.yes !== true,
    ...(options.dir !== undefined && { workDir: options.dir, apply: options.yes === true ? 'safe' : choose }),
  })
  await using servers = await connectServers(options.mcp ?? [], { needsApproval: options.yes !== true })
  const tools = [code.tool, ...servers.tools]
  const program: Program = { options, parent, left, interrupts, lines, write, shown, tools }
  process.on('SIGINT', onInterrupt)
  try {
    let open: ChatToOpen | null = chatToBegin(options, parent)
    while (open && !left.signal.aborted) open = (await talkIn(open, program)).open
  } finally {
    process.removeListener('SIGINT', onInterrupt)
    lines.close()
  }
}

/** The options that all chats of one program share. */
interface Program {
  readonly options: ChatCommandOptions
  /** Folder of the chats. */
  readonly parent: string
  readonly left: AbortController
  readonly interrupts: Interrupts
  readonly lines: Lines
  readonly write: (text: string) => Promise<void>
  /** The chat as it is shown now. */
  readonly shown: { view: ChatView | null }
  readonly tools: readonly Tool[]
}

/** Talks in one chat until the person leaves it. */
async function talkIn(open: ChatToOpen, program: Program): Promise<Leave> {
  const { options, parent, left, interrupts, lines, write } = program
  const { stdout, stderr, env } = process
  const name = typeof open === 'object' ? open.name : newName(open === 'new-group')
  const isGroup = name.endsWith(GROUP_NAME_SUFFIX)
  const folder = join(parent, name)
  const real = chosenModel(options, env)
  const model = real?.words ?? 'The model is simulated.'
  const paint = paintFor(stdout)
  const note = (text: string): void => {
    if (lines.isTerminal && !options.json && text) stderr.write(`${paintFor(stderr)('dim', text)}\n`)
  }
  const command: CommandRunner = async (line) => {
    const result = runCommand(line, { session, parent, name, model })
    if (result?.text)
      await write(view ? `${result.text}\n` : `${printableJson({ type: 'command', line, ...result })}\n`)
    return result
  }
  const io = createChatIo({ lines, left, command, endLine: async () => await write(view?.end() ?? '') })
  using session = new ChatSession({
    folder,
    agents: () =>
      isGroup
        ? createExampleGroup({ llmConfig: real?.llmConfig, io, order: (request) => keepOrder(folder, request) })
        : createSessionAgents({
            llmConfig: real?.llmConfig ?? simulatedAssistant(),
            systemMessage:
              options.system ?? 'You are a helpful assistant in a terminal: write plain text, and keep it short.',
            tools: program.tools,
            history: fit(clearAttachments(), clearToolResults(), summarize()),
            io,
          }),
    ...(options.budget !== undefined && { budget: createBudget({ cost: options.budget }) }),
  })
  const members = isGroup ? new Set(session.agents.members?.map((member) => member.name)) : null
  const view = options.json ? null : new ChatView(paint, { prices: options.budget !== undefined, members })
  program.shown.view = view

  try {
    note(`${model} Ctrl-C stops an answer, /help lists commands, Ctrl-D or /exit ends the program.`)
    if (members) note(`In this group: ${[...members].join(', ')}, and you.`)
    if (view && typeof open === 'object') for (const message of session.messages) await write(view.message(message))
    const onUsage = (usage: UsageSummary): void => note(usageLine(usage))
    const prompt = paint('bold', '› ')
    return await talk({ session, lines, interrupts, left: left.signal, write, view, prompt, command, onUsage })
  } finally {
    if (session.messages.length > 0 || session.unfinished !== null) note(`To go on: x chat --resume ${name}`)
  }
}

/** Writes an order down, since the shop of the example is a file, and says so. */
function keepOrder(folder: string, request: OrderRequest): string {
  appendFileSync(join(folder, 'orders.jsonl'), `${JSON.stringify(request)}\n`)
  return `${request.items.join(', ')}: ordered at the ${request.shop}`
}

const newName = (group: boolean): string =>
  `${new Date().toISOString().slice(0, 19).replaceAll(':', '')}-${randomBytes(2).toString('hex')}${group ? GROUP_NAME_SUFFIX : ''}`

function chatToBegin({ resume, group }: ChatCommandOptions, parent: string): ChatToOpen {
  if (!resume) return group ? 'new-group' : 'new'
  const chat = listChats(parent).find(({ name }) => resume === true || name === resume)
  if (chat) return { name: chat.name }
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
    .option('--group', 'talks in a group of five: a planner, a cook, a critic, a buyer and you')
    .option('--list', 'lists the chats, the one that changed last first')
    .option('--chats <folder>', 'folder of the chats; default: x/chats in $XDG_STATE_HOME or ~/.local/state')
    .option('--json', 'prints events as JSON, a line each')
    .option('--yes', 'runs tools without asking; of changes in --dir those without a risk come back')
    .option('--mcp <server...>', "MCP servers to use: 'npx -y a-server', or an address")
    .option('--dir <folder>', 'folder that code works on: it changes a copy, and you are asked what comes back')
    .option('--budget <dollars>', 'US dollars that this run may cost', dollars)
    .action(async (options: ChatCommandOptions) => await chat(options))
}
