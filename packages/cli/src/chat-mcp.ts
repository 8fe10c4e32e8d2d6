import type { Tool } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { McpConnection, McpOptions } from '@x/mcp'

/** MCP servers of a chat, which end with it. */
export interface ChatServers extends AsyncDisposable {
  readonly tools: readonly Tool[]
}

/** Connects to servers, each a command line or an address, and takes all their tools. */
export async function connectServers(
  lines: readonly string[],
  { needsApproval }: { readonly needsApproval: boolean },
): Promise<ChatServers> {
  if (lines.length === 0) return { tools: [], [Symbol.asyncDispose]: async () => {} }
  // A third of the time in which the command would start, which most chats need not spend.
  const { mcp } = await import('@x/mcp')
  const open: McpConnection[] = []
  const close = async (): Promise<void> =>
    void (await Promise.all(open.map(async (connection) => await connection.close())))
  try {
    for (const line of lines) {
      const taken = open.map(({ name }) => name)
      open.push(await mcp({ ...serverOf(line, taken), elicitation: true }))
    }
  } catch (error) {
    await close()
    throw error
  }
  const options = { allow: 'all', ...(!needsApproval && { needsApproval }) } as const
  return { tools: open.flatMap((connection) => connection.tools(options)), [Symbol.asyncDispose]: close }
}

/** Reads how a server is reached, and makes a name for it that no other one has. */
export function serverOf(line: string, taken: readonly string[] = []): McpOptions {
  const words = wordsOf(line)
  const [command, ...args] = words
  if (command === undefined) {
    throw new XError(
      'invalid-argument',
      "cannot connect to an MCP server: --mcp is empty; write --mcp 'npx -y package'",
    )
  }
  const isAddress = /^https?:\/\//u.test(command)
  const name = uniqueName(taken, isAddress ? nameOf(new URL(command).hostname) : nameOf(packageOf(words)))
  return isAddress ? { name, url: command } : { name, command, args }
}

/** The word that names the server: the first after a runner and its options, or the command itself. */
function packageOf([command = '', ...args]: readonly string[]): string {
  const isRunner = /^(?:npx|bunx|uvx|pnpx|node|python3?|deno)$/u.test(command)
  return (isRunner && args.find((word) => !word.startsWith('-'))) || command
}

/** `@scope/server-github@1.2` as `github`. */
function nameOf(text: string): string {
  const version = text.lastIndexOf('@')
  const unversioned = version > 0 && !text.includes('/', version) ? text.slice(0, version) : text
  const last = unversioned.split('/').findLast(Boolean) ?? ''
  const short = last.replace(/\.\w+$/u, '').replaceAll(/(?:^|-)(?:mcp|server)(?=-|$)/gu, '')
  const clean = short
    .split(/[^a-zA-Z\d]+/u)
    .filter(Boolean)
    .join('-')
  return clean.slice(0, 28) || 'mcp'
}

/** Returns a name that no other server has: the given one, or that with a number behind it. */
function uniqueName(taken: readonly string[], name: string): string {
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name}-${number}`
    if (!taken.includes(numbered)) return numbered
  }
}

/** The words of a line: parted by spaces, but for those in quotes. No shell reads it. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/gu) ?? []
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/gu, '$1$2'))
}
