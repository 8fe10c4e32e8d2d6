import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join, parse } from 'node:path'
import { clearAttachments, clearToolResults, fit, summarize } from '@x/history'
import type { Io, LlmConfig, RunTracer, Tool, UsageSummary } from '@x/interfaces'
import { XError } from '@x/kernel'
import { createBudget } from '@x/model'
import { ChatSession, createSessionAgents, listChats, type SessionAgents } from '@x/session'
import type { Command } from 'commander'
import {
  chatLines,
  resumingCommand,
  runCommand,
  type ChatToOpen,
  type CommandRunner,
  type Leave,
} from './chat-commands.ts'
import { Interrupts } from './chat-interrupts.ts'
import { Lines } from './chat-lines.ts'
import { talk } from './chat-loop.ts'
import { connectServers } from './chat-mcp.ts'
import { addModelOptions, chosenModel, type ModelChoice } from './chosen-model.ts'
import { changesByPerson, createChatIo } from './chat-questions.ts'
import { runCodeTool, simulatedAssistant } from './chat-tools.ts'
import { usageLine } from './chat-usage.ts'
import { ChatView, paintFor } from './chat-view.ts'
import { INTERRUPTED_EXIT_STATUS } from './command-end.ts'
import { checkedMade, importFrom, type FileExport } from './file-export.ts'
import { dollarsOf } from './option-values.ts'
import { printableJson } from './printable-json.ts'
import { openChatRecording, type RecordChoice, stateFolder } from './recording.ts'

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
  /** Whether the chats are listed, and nothing else. */
  readonly list?: boolean | undefined
  /** MCP servers whose tools the assistant may call: command lines or addresses. */
  readonly mcp?: readonly string[] | undefined
  /** Folder of the person, of which code changes a copy; default: none. */
  readonly dir?: string | undefined
  /** US dollars for this run. */
  readonly budget?: number | undefined
  /** File of records; false for none. Default: the usual one. */
  readonly record?: RecordChoice
}

/** The export of a file of agents. */
const AGENTS_EXPORT: FileExport = {
  name: 'agents',
  type: 'function',
  example: 'export const agents = ({ llmConfig, io, tools, folder }) => createSessionAgents({ … })',
}

/** The parts of a chat from which a file makes its agents. */
interface ChatParts {
  /** The model that the person chose; undefined without one: the file brings its own, or a simulated one. */
  readonly llmConfig: LlmConfig | undefined
  /** Asks the person, as the agents have to. */
  readonly io: Io
  /** A tool that runs code in a sandbox, and those of the MCP servers that the person named. */
  readonly tools: readonly Tool[]
  /** Folder of the chat, in which tools may keep files. */
  readonly folder: string
}

/** Makes the agents of a chat; a file exports such a function as `agents`. */
type MakeAgents = (parts: ChatParts) => SessionAgents

/** Talks in the terminal, in one chat after another; with the agents of a file, if one is given. */
async function chat(file: string | undefined, options: ChatCommandOptions): Promise<void> {
  const { stdin, stdout } = process
  const parent = options.chats ?? chatsFolder(file)
  const left = new AbortController()
  let isRead = true
  stdout.on('error', () => {
    // The turn is stopped, and what was paid so far is kept.
    isRead = false
    left.abort()
    interrupts.stop()
  })
  const write = async (text: string): Promise<void> => {
    // The failure of a text that was not read is told above.
    if (isRead && !stdout.write(text)) await once(stdout, 'drain').catch(() => {})
  }
  const interrupts = new Interrupts(() => {
    // A stop that hangs is not waited for: the chat is kept as far as it came.
    if (left.signal.aborted || interrupts.stopping) process.exit(INTERRUPTED_EXIT_STATUS)
    process.exitCode = INTERRUPTED_EXIT_STATUS
    left.abort()
  })
  if (options.list) return await write(options.json ? chatObjects(parent) : `${chatLines({ parent, name: '' })}\n`)
  if (file !== undefined && options.system !== undefined)
    throw new XError('invalid-argument', `cannot use \`--system\` with \`${file}\`: its agents have their own`)
  const ofFile = file === undefined ? undefined : await agentsOf(file)
  const onInterrupt = (): void => interrupts.interrupt()
  const lines = new Lines({ input: stdin, output: stdout, onInterrupt })
  const shown: Program['shown'] = { view: null }
  const choose = changesByPerson({ lines, left: left.signal, write, view: () => shown.view })
  await using code = runCodeTool({
    needsApproval: options.yes !== true,
    ...(options.dir !== undefined && { workDir: options.dir, apply: options.yes === true ? 'safe' : choose }),
  })
  await using servers = await connectServers(options.mcp ?? [], { needsApproval: options.yes !== true })
  const tools = [code.tool, ...servers.tools]
  const makeAgents = ofFile ?? createAssistant(options, lines.isTerminal)
  const { records, notice } = openChatRecording(options.record, process.env)
  if (notice) process.stderr.write(`${paintFor(process.stderr)('dim', notice)}\n`)
  const tags = { command: 'chat', ...(file !== undefined && { agents: parse(file).name }) }
  const tracerOf: Program['tracerOf'] = (name) => records?.tagged({ ...tags, chat: name })
  const program: Program = { file, options, parent, makeAgents, left, interrupts, lines, write, shown, tools, tracerOf }
  process.on('SIGINT', onInterrupt)
  try {
    let open: ChatToOpen | null = chatToBegin(options, parent)
    while (open && !left.signal.aborted) open = (await talkIn(open, program)).open
  } finally {
    process.removeListener('SIGINT', onInterrupt)
    lines.close()
    records?.close()
  }
}

/** Imports the function of a file that makes agents. */
async function agentsOf(file: string): Promise<MakeAgents> {
  const make = await importFrom<(parts: ChatParts) => unknown>(file, AGENTS_EXPORT)
  return (parts) =>
    checkedMade(make(parts), { file, of: AGENTS_EXPORT, fields: ['user', 'assistant'] }) as SessionAgents
}

/** The options that all chats of one program share. */
interface Program {
  /** File of the agents, if they come from one. */
  readonly file: string | undefined
  readonly options: ChatCommandOptions
  /** Folder of the chats. */
  readonly parent: string
  readonly makeAgents: MakeAgents
  readonly left: AbortController
  readonly interrupts: Interrupts
  readonly lines: Lines
  readonly write: (text: string) => Promise<void>
  /** The chat as it is shown now. */
  readonly shown: { view: ChatView | null }
  readonly tools: readonly Tool[]
  /** Records the chat of a name; undefined if it is not recorded. */
  readonly tracerOf: (name: string) => RunTracer | undefined
}

/** Talks in one chat until the person leaves it. */
async function talkIn(open: ChatToOpen, program: Program): Promise<Leave> {
  const { file, options, parent, makeAgents, left, interrupts, lines, write, tools, tracerOf } = program
  const { stdout, stderr, env } = process
  const name = typeof open === 'object' ? open.name : newName()
  const folder = join(parent, name)
  const real = chosenModel(options, env)
  const model = real?.words ?? (file === undefined ? 'The model is simulated.' : `The model is that of ${file}.`)
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
    agents: () => makeAgents({ llmConfig: real?.llmConfig, io, tools, folder }),
    ...(options.budget !== undefined && { budget: createBudget({ cost: options.budget }) }),
    tracer: tracerOf(name),
  })
  const group = session.agents.members
  const members = group ? new Set(group.map((member) => member.name)) : null
  const view = options.json ? null : new ChatView(paint, { prices: options.budget !== undefined, members })
  program.shown.view = view

  try {
    note(`${model} Ctrl-C stops an answer, /help lists commands, Ctrl-D or /exit ends the program.`)
    if (members) note(`In this group: ${[...members].join(', ')}, and you.`)
    if (view && typeof open === 'object') await write(lastLines(session.messages.map((each) => view.message(each))))
    const onUsage = (usage: UsageSummary): void => note(usageLine(usage))
    const prompt = paint('bold', '› ')
    return await talk({ session, lines, interrupts, left: left.signal, write, view, prompt, command, onUsage })
  } finally {
    if (session.messages.length > 0 || session.unfinished !== null)
      note(`To go on: ${resumingCommand(name, file, options)}`)
  }
}

/** Returns a function that makes a person's agent and an assistant with tools, on a simulated model where there is no real one. */
const createAssistant =
  (
    { system = 'You are a helpful assistant in a terminal: write plain text, and keep it short.' }: ChatCommandOptions,
    isWatched: boolean,
  ): MakeAgents =>
  // It takes time to write only for a person who looks on.
  ({ llmConfig = simulatedAssistant(isWatched ? undefined : 0), io, tools }) =>
    createSessionAgents({
      llmConfig,
      systemMessage: system,
      tools,
      history: fit(clearAttachments(), clearToolResults(), summarize()),
      io,
    })

/** Lists the chats as JSON, a line each. */
const chatObjects = (parent: string): string =>
  listChats(parent)
    .map((chat) => `${printableJson(chat)}\n`)
    .join('')

/** The folder of the chats: below that for state of the person, for each file of agents another one. */
function chatsFolder(file: string | undefined): string {
  return join(stateFolder(process.env), file === undefined ? 'chats' : `chats-${parse(file).name}`)
}

/** Most lines of an earlier chat that are shown before it goes on. */
const MAX_EARLIER_LINES = 60

/** Returns the end of an earlier chat, with a word about how much comes before it. */
function lastLines(messages: readonly string[]): string {
  const lines = messages.join('').split('\n')
  const left = lines.length - 1 - MAX_EARLIER_LINES
  return left > 0 ? `… ${left} earlier lines: \`x log\` shows them\n${lines.slice(left).join('\n')}` : lines.join('\n')
}

const newName = (): string =>
  `${new Date().toISOString().slice(0, 19).replaceAll(':', '')}-${randomBytes(2).toString('hex')}`

function chatToBegin({ resume }: ChatCommandOptions, parent: string): ChatToOpen {
  if (!resume) return 'new'
  const chat = listChats(parent).find(({ name }) => resume === true || name === resume)
  if (chat) return { name: chat.name }
  const what = resume === true ? 'no earlier chat' : `no chat \`${resume}\``
  throw new XError('invalid-argument', `there is ${what} in \`${parent}\`: begin one without \`--resume\``)
}

/** Adds `x chat` to the program. */
export function addChat(program: Command): void {
  const command = program
    .command('chat')
    .description('Talks with an assistant in the terminal; on a simulated model unless there is a key or you name one.')
    .argument('[file]', 'module that exports `agents`; default: an assistant that runs code in a sandbox')
  addModelOptions(command)
  command
    .option('--system <text>', 'what the model is told first')
    .option('--resume [chat]', 'goes on with an earlier chat; default: the last one')
    .option('--list', 'lists the chats, the one that changed last first')
    .option('--chats <folder>', 'folder of the chats; default: x/chats in $XDG_STATE_HOME or ~/.local/state')
    .option('--json', 'prints events, or the chats of --list, as JSON, a line each')
    .option('--yes', 'runs tools without asking; of changes in --dir those without a risk come back')
    .option('--mcp <server...>', "MCP servers to use: 'npx -y a-server', or an address")
    .option('--dir <folder>', 'folder that code works on: it changes a copy, and you are asked what comes back')
    .option('--budget <dollars>', 'US dollars that this run may cost', dollarsOf)
    .option(
      '--record <file>',
      'file in which the chat is recorded, for `x log`; default: x/runs.db in $XDG_STATE_HOME or ~/.local/state',
    )
    .option('--no-record', 'records nothing; so does X_NO_RECORD=1 in the environment')
    .action(async (file: string | undefined, options: ChatCommandOptions) => await chat(file, options))
}
