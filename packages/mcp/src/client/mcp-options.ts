import type { Io, MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { McpAuth } from './mcp-auth.ts'
import type { ServerCommand } from './server-command.ts'
import { checkServerName } from './tool-name.ts'

/** Options of a connection to a server: `name`, and either `command` or `url`. */
export interface McpOptions {
  /** Prefix of the names of its tools: at most 32 letters, digits, `-` and single `_`. */
  readonly name: string
  /** Program to start as the server; it is started without a shell. */
  readonly command?: string | undefined
  /** Words after the command. */
  readonly args?: readonly string[] | undefined
  /** Variables for the program beside a short list of this one's own (`PATH`, `HOME`, …); the values count as secrets. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Working directory of the program. */
  readonly cwd?: string | undefined
  /** Changes the command before it is started, as to run it in a sandbox; default: it is started as it is. */
  readonly sandbox?: ((command: ServerCommand) => MaybePromise<ServerCommand>) | undefined
  /** Address of a server that runs: streamable HTTP, or the older server-sent events where it has no other. */
  readonly url?: string | URL | undefined
  /** Headers for the host of `url` alone; the values count as secrets. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** OAuth, where the server wants to know who asks. */
  readonly auth?: McpAuth | undefined
  /** Sends requests in place of the platform's `fetch`, as through a proxy or with TLS options of one's own. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Whether the server may ask the person a question during a call; default false. */
  readonly elicitation?: boolean | undefined
  /** Answers the questions of the server in calls that no agent makes; default: they are cancelled. */
  readonly io?: Pick<Io, 'input'> | undefined
  /** Seconds that connecting and listing the tools may take each; default 60. */
  readonly connectTimeout?: number | undefined
  /** Bytes that one message of the server may have; default 16 MiB. */
  readonly maxMessageBytes?: number | undefined
  /** Stops connecting. */
  readonly signal?: AbortSignal | undefined
}

const KINDS: OptionKinds<McpOptions> = {
  // A name that cannot be a prefix has a code of its own.
  name: kind.any,
  command: kind.text,
  args: kind.list,
  env: kind.object,
  cwd: kind.text,
  sandbox: kind.call,
  url: { ...kind.either(kind.text, kind.object), expected: 'an address' },
  headers: kind.object,
  auth: kind.having('`{ store, redirectUrl, open, returned }`', 'open', 'returned'),
  fetch: kind.call,
  elicitation: kind.flag,
  io: kind.having('an object with `input`', 'input'),
  connectTimeout: kind.timeout,
  maxMessageBytes: kind.whole(1024),
  signal: kind.having('an `AbortSignal`', 'addEventListener'),
}

/** Options that belong to one way of reaching a server. */
const OF_COMMAND = ['args', 'env', 'cwd', 'sandbox'] as const
const OF_URL = ['headers', 'auth', 'fetch'] as const

/** Refuses options that no connection can be made with. */
export function checkMcpOptions(options: McpOptions): void {
  checkOptions(options ?? null, KINDS, 'connect to an MCP server')
  const { name, command, url } = options
  checkServerName(name)
  const refuse = (problem: string): XError =>
    new XError('invalid-argument', `cannot connect to the MCP server \`${name}\`: ${problem}`)
  if ((command === undefined) === (url === undefined)) {
    throw refuse('give either `command`, a program to start, or `url`, the address of a server that runs')
  }
  const stray = (command === undefined ? OF_COMMAND : OF_URL).find((key) => options[key] !== undefined)
  if (stray) throw refuse(`\`${stray}\` goes with \`${command === undefined ? 'command' : 'url'}\``)
  if (command !== undefined && !command.trim()) throw refuse('`command` is empty; name the program')
  if (url !== undefined && !isAddress(url)) {
    throw refuse('`url` is not an address; give one that begins with https:// or http://')
  }
}

const isAddress = (url: string | URL): boolean =>
  URL.canParse(String(url)) && /^https?:$/u.test(new URL(url).protocol) && new URL(url).username === ''
