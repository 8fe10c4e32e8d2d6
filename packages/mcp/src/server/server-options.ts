import type { Io, Journal, MaybePromise, RunTracer, Tool } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'

/** An agent that runs a task, such as an agent of `@x/agent`. */
interface ServedAgentRun {
  run(
    task: string,
    options: { readonly journal: Journal; readonly signal: AbortSignal; readonly tracer?: RunTracer | undefined },
  ): Promise<{ readonly text: string; readonly terminationReason: string | null }>
}

/** An agent that clients see as a tool with the argument `task`. */
export interface ServedAgent {
  /** Name of the tool: letters, digits, `_` and `-`. */
  readonly name: string
  /** Tells clients what the agent does. */
  readonly description: string
  /**
   * Makes an agent for one task, with the `io` for its events. A task that waited for an approval starts again and replays
   * its answers, so all agents for a task have to be made alike.
   */
  readonly create: (io: Io) => MaybePromise<ServedAgentRun>
}

/** Options of a server. */
export interface McpServerOptions {
  /** Name of the server for clients. */
  readonly name: string
  readonly version?: string | undefined
  /** Tells clients how to use the server. */
  readonly instructions?: string | undefined
  readonly tools?: readonly Tool[] | undefined
  readonly agents?: readonly ServedAgent[] | undefined
  /**
   * Secret of at least 32 characters that seals the state of waiting calls; all servers behind a load balancer need the
   * same. Default: a random one, so that waiting calls are lost with the process.
   */
  readonly key?: string | undefined
  /** Returns the name of the caller of an HTTP request, or null to refuse it; default: all callers are one. */
  readonly authenticate?: ((request: Request) => MaybePromise<string | null>) | undefined
  /** Host names that requests may address; default: the names of this machine. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Hosts with pages that may send requests; default: this machine. */
  readonly allowedOrigins?: readonly string[] | undefined
  /** Whether clients of the older protocol get sessions, with approvals and resumable streams; default false. */
  readonly sessions?: boolean | undefined
  /** Most bytes of a request; default 4 MiB. */
  readonly maxRequestBytes?: number | undefined
  /** Most requests of one caller in a minute; default 600. */
  readonly requestsPerMinute?: number | undefined
  /** Most calls at once, of all callers; default 100. */
  readonly maxCalls?: number | undefined
  /** Seconds that a task waits at the client for an approval; default 600. */
  readonly approvalTimeout?: number | undefined
  /** Receives errors; clients only learn that a call failed. */
  readonly onError?: ((error: unknown) => void) | undefined
  /**
   * Follows the runs of the agents as traces, such as `traceRuns()` of `@x/otel`; default: none. A run goes on with the trace
   * of its caller: that of `traceparent` and `tracestate` in `_meta` of the call, or else in the headers of its request.
   */
  readonly tracer?: RunTracer | undefined
  /** Returns the time in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** A server that listens. */
export interface ListeningServer extends AsyncDisposable {
  /** Base address of the server. */
  readonly url: string
  /** Ends all open requests, and stops listening. */
  close(): Promise<void>
}

/** A server that offers tools and agents. */
export interface McpServer extends AsyncDisposable {
  /** Answers one HTTP request, in any runtime that has `Request` and `Response`. */
  fetch(request: Request): Promise<Response>
  /** Listens on a port in Node; default: a free port, for this machine only. Every path is served. */
  listen(address?: { readonly port?: number | undefined; readonly host?: string | undefined }): Promise<ListeningServer>
  /** Serves the stdio of the process, or other streams of Node, until the input ends. */
  stdio(streams?: { readonly input?: object | undefined; readonly output?: object | undefined }): Promise<void>
  /** Ends all open calls and sessions, and stops listening. */
  close(): Promise<void>
}

const MCP_SERVER_KINDS: OptionKinds<McpServerOptions> = {
  name: kind.text,
  version: kind.text,
  instructions: kind.text,
  tools: { ...kind.list, expected: 'a list of tools, as in [weather]' },
  agents: { ...kind.list, expected: 'a list, as in [{ name, description, create: () => agent }]' },
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
  tracer: runOptionKinds.tracer,
  now: kind.call,
}

/** Refuses invalid options of a server. */
export function checkServerOptions(options: McpServerOptions): void {
  checkOptions(options ?? null, MCP_SERVER_KINDS, 'make an MCP server')
  const { name, key, tools = [], agents = [] } = options
  const refuse = (problem: string): XError => new XError('invalid-argument', `cannot make an MCP server: ${problem}`)
  if (!name) throw refuse('it has no `name`; give a name for clients')
  if (key !== undefined && key.length < 32) throw refuse('`key` has fewer than 32 characters; give a longer random one')
  // Only a call would notice, and its client is told nothing of the reason.
  const unmade = agents.find((each) => typeof each?.create !== 'function')
  if (unmade !== undefined)
    throw refuse(
      `its agent \`${unmade?.name}\` has no function \`create\`; give { name, description, create: () => agent }, which makes an agent for each task`,
    )
  const names = [...tools, ...agents].map((each) => each.name)
  const wrong = names.find((each) => !/^[\w-]{1,64}$/u.test(each))
  if (wrong !== undefined) throw refuse(`\`${wrong}\` is not a valid tool name; use letters, digits, \`_\` and \`-\``)
  const twin = names.find((each, index) => names.indexOf(each) !== index)
  if (twin !== undefined) throw refuse(`two tools or agents are named \`${twin}\`; rename one of them`)
}
