import { printable } from '@x/agent'
import { redact } from '@x/kernel/redact'
import { listChats, type ChatSession } from '@x/session'
import { usageLines } from './chat-usage.ts'
import type { ModelChoice } from './chosen-model.ts'

/** The state of a chat that commands show. */
export interface CommandContext {
  readonly session: Pick<ChatSession, 'usage'>
  /** Folder of the chats. */
  readonly parent: string
  /** Name of the chat that is open. */
  readonly name: string
  /** The model, in words. */
  readonly model: string
}

/** The result of a command: a text to show, and whether to leave this chat, for another one if it has a name. */
export interface CommandResult {
  readonly text: string
  readonly leave?: Leave | undefined
}

/** Runs a command that a person typed and shows its output; returns null if the line is not a command. */
export type CommandRunner = (line: string) => Promise<CommandResult | null>

/** A person's wish to leave a chat: for another one, or with null for good. */
export interface Leave {
  readonly open: ChatToOpen | null
}

/** The chat to go on with: one of a name, or a new one. */
export type ChatToOpen = { readonly name: string } | 'new'

const COMMANDS = [
  ['/help', 'lists the commands'],
  ['/model', 'says which model answers'],
  ['/usage', 'says what the chat has used: tokens and cost of each model'],
  ['/chats', 'lists the chats'],
  ['/open <number>', 'opens a chat of the list'],
  ['/new', 'begins a new chat'],
  ['/exit', 'ends the program, as Ctrl-D does'],
] as const

/** Number of chats that `/chats` lists at most. */
const MAX_LISTED_CHATS = 20

/** Runs a command that a person typed; null when the line is not a command, such as `/usr/bin`. */
export function runCommand(line: string, context: CommandContext): CommandResult | null {
  const typed = line.trim()
  const [word = ''] = typed.split(/\s/u, 1)
  if (!/^\/[a-z]+$/u.test(word)) return null
  const rest = typed.slice(word.length).trim()
  switch (word) {
    case '/help':
      return { text: COMMANDS.map(([command, does]) => `${command.padEnd(15)} ${does}`).join('\n') }
    case '/model':
      return { text: context.model }
    case '/usage':
      return { text: usageLines(context.session.usage) }
    case '/chats':
      return { text: chatLines(context) }
    case '/open':
      return openChat(rest, context)
    case '/new':
      return { text: '', leave: { open: 'new' } }
    case '/exit':
      return { text: '', leave: { open: null } }
    default:
      return { text: `There is no command ${printable(word)}; /help lists them.` }
  }
}

/** The list of chats: number, when each changed, and how it begins; the open one is marked. */
export function chatLines({ parent, name }: Pick<CommandContext, 'parent' | 'name'>): string {
  const chats = listChats(parent)
  if (chats.length === 0) return 'There are no chats yet.'
  const lines = chats.slice(0, MAX_LISTED_CHATS).map((chat, index) => {
    const begins = printable((chat.title ?? '(cannot be read)').replaceAll(/\s+/gu, ' ').slice(0, 60))
    const mark = chat.name === name ? '*' : ' '
    return `${mark}${String(index + 1).padStart(2)}  ${dateOf(chat.changed)}  ${printable(chat.name)}  ${begins}`
  })
  const more = chats.length - lines.length
  return more > 0 ? `${lines.join('\n')}\n    and ${more} more` : lines.join('\n')
}

function openChat(which: string, { parent }: CommandContext): CommandResult {
  const chats = listChats(parent)
  const chat = /^\d+$/u.test(which) ? chats[Number(which) - 1] : chats.find(({ name }) => name === which)
  if (chat) return { text: '', leave: { open: { name: chat.name } } }
  return { text: `There is no chat ${printable(which) || 'without a number'}; /chats lists them with their numbers.` }
}

/** The options of `x chat` that say where a chat is and who answers in it. */
interface ChatChoice extends ModelChoice {
  readonly system?: string | undefined
  readonly chats?: string | undefined
  readonly dir?: string | undefined
}

/** Returns the command that goes on with a chat: by the model and in the folders that the person has named, secrets left out. */
export function resumingCommand(name: string, file: string | undefined, choice: ChatChoice): string {
  const { provider, model, baseUrl, system, chats, dir } = choice
  const options = Object.entries({ provider, model, 'base-url': baseUrl, system, chats, dir })
  const named = options.flatMap(([option, value]) => (value === undefined ? [] : [`--${option}`, redact(value, [])]))
  const words = ['x', 'chat', ...(file === undefined ? [] : [file]), '--resume', name, ...named]
  return printable(words.map(quoted).join(' '))
}

/** Quotes a word for a shell, if it needs that. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ')
