import type { ChatMessage, Io, Journal, MaybePromise, Tool } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** One task of an agent: what agents of `@x/agent` do by `run`. */
export interface ServedAgentRun {
  run(
    task: string,
    options: { readonly journal: Journal; readonly signal: AbortSignal; readonly userInput: false },
  ): Promise<{
    readonly summary: unknown
    readonly chatHistory: readonly ChatMessage[]
    readonly terminationReason: string | null
  }>
}

/** An agent that clients give tasks to, as a tool with the argument `task`. */
export interface ServedAgent {
  /** Name of the tool: letters, digits, `_` and `-`. */
  readonly name: string
  /** Says to clients what the agent does. */
  readonly description: string
  /**
   * Makes an agent for one task; it gets the `io` for its events. A task that waits for an approval is begun again with
   * the answers it has had, so that every agent for it has to be made alike.
   */
  readonly create: (io: Io) => MaybePromise<ServedAgentRun>
}

/** Options of a server. */
export interface McpServerOptions {
  /** Name that clients read. */
  readonly name: string
  readonly version?: string | undefined
  /** Says to clients how the server wants to be used. */
  readonly instructions?: string | undefined
  readonly tools?: readonly Tool[] | undefined
  readonly agents?: readonly ServedAgent[] | undefined
  /**
   * Secret of at least 32 characters that seals what waits at the client; all servers behind a balancer need the same.
   * Default: a random one, so that what waits is lost with the process.
   */
  readonly key?: string | undefined
  /** Says who sends a request over HTTP: a name, or null to refuse it; default: all are one. */
  readonly authenticate?: ((request: Request) => MaybePromise<string | null>) | undefined
  /** Names of hosts that requests may be for; default: those of this machine. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Names of hosts whose pages may send requests; default: those of this machine. */
  readonly allowedOrigins?: readonly string[] | undefined
  /** Whether clients of the older protocol get sessions, which can ask for approvals and resume streams; default false. */
  readonly sessions?: boolean | undefined
  /** Bytes that a request may have; default 4 MiB. */
  readonly maxRequestBytes?: number | undefined
  /** Requests of one caller in a minute; default 600. */
  readonly requestsPerMinute?: number | undefined
  /** Calls under way at once, of all callers; default 100. */
  readonly maxCalls?: number | undefined
  /** Seconds that a task waits at the client for an approval; default 600. */
  readonly approvalTimeout?: number | undefined
  /** Hears what goes wrong; clients are told no more than that something did. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Gives the time, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** A server that listens. */
export interface ListeningServer extends AsyncDisposable {
  /** Root of its addresses. */
  readonly url: string
  /** Ends what is under way, and stops listening. */
  close(): Promise<void>
}

/** A server that offers tools and agents. */
export interface McpServer extends AsyncDisposable {
  /** Answers one request over HTTP, in any runtime that has `Request` and `Response`. */
  fetch(request: Request): Promise<Response>
  /** Listens on a port of Node's; default: a free one, on this machine alone. The path is not looked at. */
  listen(address?: { readonly port?: number | undefined; readonly host?: string | undefined }): Promise<ListeningServer>
  /** Speaks by the input and output of the process, or by other streams of Node, until the input ends. */
  stdio(streams?: { readonly input?: object | undefined; readonly output?: object | undefined }): Promise<void>
  /** Ends everything that is under way, and listens no more. */
  close(): Promise<void>
}

const KINDS: OptionKinds<McpServerOptions> = {
  name: kind.text,
  version: kind.text,
  instructions: kind.text,
  tools: kind.list,
  agents: kind.list,
  key: kind.text,
  authenticate: kind.call,
  allowedHosts: kind.list,
  allowedOrigins: kind.list,
  sessions: kind.flag,
  maxRequestBytes: kind.whole(1024),
  requestsPerMinute: kind.limit(1),
  maxCalls: kind.limit(1),
  approvalTimeout: kind.timeout,
  onError: kind.call,
  now: kind.call,
}

/** Refuses options that no server can be made with. */
export function checkServerOptions(options: McpServerOptions): void {
  checkOptions(options ?? null, KINDS, 'make an MCP server')
  const { name, key, tools = [], agents = [] } = options
  const refuse = (problem: string): XError => new XError('invalid-argument', `cannot make an MCP server: ${problem}`)
  if (!name) throw refuse('it has no `name`; give one that clients read')
  if (key !== undefined && key.length < 32) throw refuse('`key` has less than 32 characters; give a random one')
  const names = [...tools, ...agents].map((each) => each.name)
  const wrong = names.find((each) => !/^[\w-]{1,64}$/u.test(each))
  if (wrong !== undefined) throw refuse(`\`${wrong}\` is not a name of a tool; use letters, digits, \`_\` and \`-\``)
  const twin = names.find((each, index) => names.indexOf(each) !== index)
  if (twin !== undefined) throw refuse(`two tools or agents are named \`${twin}\`; rename one of them`)
}
