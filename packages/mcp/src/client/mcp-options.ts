import type { Io, MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { McpAuth } from './authorization.ts'
import type { ServerCommand } from './server-process.ts'
import { checkServerName } from './tool-name.ts'

/** Options of a connection to a server: `name`, and either `command` or `url`. */
export interface McpOptions {
  /** Prefix of the tool names: at most 32 letters, digits, `-` and single `_`. */
  readonly name: string
  /** Program to start as the server, without a shell. */
  readonly command?: string | undefined
  /** Arguments of the command. */
  readonly args?: readonly string[] | undefined
  /** Variables for the program, beside a short list that it inherits (`PATH`, `HOME`, …); the values count as secrets. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Working directory of the program. */
  readonly cwd?: string | undefined
  /** Changes the command before it starts, for example to run it in a sandbox; default: no change. */
  readonly sandbox?: ((command: ServerCommand) => MaybePromise<ServerCommand>) | undefined
  /** Address of a running server: streamable HTTP, or server-sent events with older servers. */
  readonly url?: string | URL | undefined
  /** Headers for the origin of `url` only; the values count as secrets. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** OAuth, for a server that requires authentication. */
  readonly auth?: McpAuth | undefined
  /** Replaces the `fetch` of the platform, for example to use a proxy or TLS options. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Whether the server may ask the person a question during a call; default false. */
  readonly elicitation?: boolean | undefined
  /** Answers the questions of the server in calls outside of agents; default: they are cancelled. */
  readonly io?: Pick<Io, 'input'> | undefined
  /** Timeout of connecting, and of listing the tools, in seconds; default 60. */
  readonly connectTimeout?: number | undefined
  /** Most bytes of one message of the server; default 16 MiB. */
  readonly maxMessageBytes?: number | undefined
  /** Stops connecting. */
  readonly signal?: AbortSignal | undefined
}

const MCP_KINDS: OptionKinds<McpOptions> = {
  // `checkServerName` refuses an invalid name with its own error code.
  name: kind.any,
  command: kind.text,
  args: { ...kind.list, expected: "a list of texts, as in ['-y', 'a-server']" },
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

/** Options that require `command`, and options that require `url`. */
const COMMAND_OPTIONS = ['args', 'env', 'cwd', 'sandbox'] as const
const URL_OPTIONS = ['headers', 'auth', 'fetch'] as const

const KIND_OF_TRANSPORT = '`command` starts a program, and `url` is the address of a server'

/** Words of config files and other clients, and what is written here. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  mcpServers: "call `mcp` for each server: mcp({ name: 'files', command: 'npx', args: ['-y', 'a-server'] })",
  servers: "call `mcp` for each server: mcp({ name: 'files', command: 'npx', args: ['-y', 'a-server'] })",
  transport: `leave \`transport\` out: ${KIND_OF_TRANSPORT}`,
  type: `leave \`type\` out: ${KIND_OF_TRANSPORT}`,
  'timeout timeoutMs requestTimeout connectionTimeout':
    'write `connectTimeout`, in seconds; calls have a `timeout` of their own',
  'id serverName serverLabel': 'write `name`',
  'cmd fullCommand serverParams params': 'write `command`, the program alone, and `args`',
  'serverUrl baseUrl endpoint uri httpUrl sse sseUrl address': 'write `url`',
  'apiKey token accessToken authToken authorization bearer':
    'write `headers: { authorization: `Bearer ${token}` }`, or `auth` for OAuth',
  'requestInit httpHeaders extraHeaders': 'write `headers`',
  'authProvider oauth': 'write `auth`',
  'environment envVars': 'write `env`',
  'workingDirectory workDir directory': 'write `cwd`',
  'allow tools allowedTools toolFilter needsApproval requireApproval totalTimeout':
    "give it when you take the tools, as in `connection.tools({ allow: ['read_file'] })`",
}

/** Refuses invalid options of a connection. */
export function checkMcpOptions(options: McpOptions): void {
  const attempt = 'connect to an MCP server'
  const given: unknown = options ?? null
  if (typeof given !== 'object') {
    const isCommand = typeof given === 'string' && !URL.canParse(given)
    const example = isCommand
      ? "{ name: 'files', command: 'npx', args: ['-y', 'a-server'] }"
      : "{ name: 'files', url: 'http://localhost:3000/mcp' }"
    throw new XError(
      'invalid-argument',
      `cannot ${attempt}: its options are a ${typeof given}; give an object, as in ${example}`,
    )
  }
  checkOptions(given, MCP_KINDS, attempt, FOREIGN_WORDS)
  const { name, command, url } = options
  checkServerName(name)
  const refuse = (problem: string): XError =>
    new XError('invalid-argument', `cannot connect to the MCP server \`${name}\`: ${problem}`)
  if ((command === undefined) === (url === undefined)) {
    throw refuse('give either `command`, a program to start, or `url`, the address of a server that runs')
  }
  const stray = (command === undefined ? COMMAND_OPTIONS : URL_OPTIONS).find((key) => options[key] !== undefined)
  if (stray) throw refuse(`\`${stray}\` requires \`${command === undefined ? 'command' : 'url'}\``)
  if (command !== undefined && !command.trim()) throw refuse('`command` is empty; name the program')
  if (url !== undefined && !isAddress(url)) {
    throw refuse('`url` is not an address; give one that begins with https:// or http://')
  }
  const { username = '', password = '' } = url === undefined ? {} : new URL(url)
  if (username !== '' || password !== '')
    throw refuse('`url` has a name or a password; give them in `headers`, as `authorization`')
}

const isAddress = (url: string | URL): boolean => URL.canParse(String(url)) && /^https?:$/u.test(new URL(url).protocol)
