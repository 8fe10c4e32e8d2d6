import {
  Client,
  SSEClientTransport,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  type ElicitRequest,
  type ElicitResult,
  type Transport,
} from '@modelcontextprotocol/client'
import { abortable } from '@x/kernel/abort'
import { XError } from '@x/kernel'
import { leaveOutBrokenParts } from './broken-parts.ts'
import { ChildTransport } from './child-transport.ts'
import { createServerFetch } from './http-fetch.ts'
import { HttpTransport } from './http-transport.ts'
import type { Authorization } from './authorization.ts'
import type { ServerCommand } from './server-process.ts'

/** Settings of a connection. */
export interface LinkSettings {
  /** A program to start, or the address of a server. */
  readonly command: ServerCommand | undefined
  readonly http: HttpTarget | undefined
  readonly maxMessageBytes: number
  /** Timeout of connecting, in milliseconds. */
  readonly connectMs: number
  /** Answers questions of the server; undefined when the server may not ask. */
  readonly elicit: ((request: ElicitRequest, signal: AbortSignal) => Promise<ElicitResult>) | undefined
  /** Called when the list of tools of the server has changed, or may have changed. */
  readonly onToolsChanged: () => void
}

/** The address of a server, with its settings. */
interface HttpTarget {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch | undefined
  readonly authorization: Authorization | undefined
}

/** A connection to a server. */
export interface Link {
  readonly client: Client
  /** True if the server speaks a version of the protocol before 2026. */
  readonly isOld: boolean
  readonly hasSession: boolean
  /** True once the connection has ended. */
  readonly closed: boolean
  /** How the process of the server ended, if it did. */
  readonly exitReport: string
  close(): Promise<void>
}

/** The transport of a connection, and the resources that end with it. */
interface Wire {
  readonly transport: Transport
  /** Set if an error ends the connection: the SDK would reopen server-sent events without the open requests. */
  readonly endsWithError?: true
  /** Ends the session of the server. */
  readonly leave?: () => Promise<void>
  readonly release?: () => Promise<void>
}

/** Time for a server to end a session. */
const LEAVE_TIMEOUT_MS = 1000

/**
 * Connects to a server, unless `stop` fires first; `old` means that the server speaks a protocol version before 2026.
 */
export async function openLink(settings: LinkSettings, old: boolean, stop: AbortSignal): Promise<Link> {
  const { command, http, connectMs } = settings
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new SdkError(SdkErrorCode.RequestTimeout, 'too late')), connectMs)
  const onStop = (): void => deadline.abort(stop.reason)
  stop.addEventListener('abort', onStop)
  try {
    return command
      ? await openChild(settings, command, old, deadline.signal)
      : await openHttp(settings, http!, old, deadline.signal)
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', onStop)
  }
}

async function openChild(
  settings: LinkSettings,
  command: ServerCommand,
  old: boolean,
  deadline: AbortSignal,
): Promise<Link> {
  const attempt = async (asOld: boolean): Promise<Link> => {
    const transport = new ChildTransport(command, settings.maxMessageBytes)
    return await connect(settings, { transport }, asOld, deadline)
  }
  try {
    return await attempt(old)
  } catch (error) {
    // A server that ends at the first message of the newer protocol may speak the older one.
    if (old || deadline.aborted || !(error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed))
      throw error
    return await attempt(true)
  }
}

async function openHttp(
  settings: LinkSettings,
  target: HttpTarget,
  old: boolean,
  deadline: AbortSignal,
): Promise<Link> {
  const { url, authorization, headers, fetch } = target
  const pool = createServerFetch({
    url,
    headers,
    maxMessageBytes: settings.maxMessageBytes,
    fetch: fetch && (async (input, init) => await fetch(input, init)),
  })
  const release = async (): Promise<void> => await pool.close()
  const authProvider = authorization?.provider
  const options = { fetch: pool.fetch, ...(authProvider && { authProvider }) }
  const connectByHttp = async (transport: HttpTransport): Promise<Link> =>
    await connect(settings, { transport, leave: async () => await transport.endSession(), release }, old, deadline)
  const attempt = async (): Promise<Link> => {
    const transport = new HttpTransport(url, options)
    try {
      return await connectByHttp(transport)
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !authorization) throw error
      await authorization.finish(transport)
      return await connectByHttp(new HttpTransport(url, options))
    }
  }
  try {
    try {
      return await attempt()
    } catch (error) {
      if (!maySpeakServerSentEvents(error)) throw error
      try {
        return await connect(
          settings,
          { transport: new SSEClientTransport(url, options), endsWithError: true, release },
          true,
          deadline,
        )
      } catch {
        // The error of the usual transport is the helpful one.
        throw error
      }
    }
  } catch (error) {
    await release()
    throw error
  }
}

/** True if the error suggests a server that speaks HTTP with server-sent events only, as before 2025-03-26. */
const maySpeakServerSentEvents = (error: unknown): boolean =>
  error instanceof SdkHttpError && error.status >= 400 && error.status < 500 && ![401, 403, 429].includes(error.status)

async function connect(settings: LinkSettings, wire: Wire, old: boolean, deadline: AbortSignal): Promise<Link> {
  const { transport, leave, release } = wire
  const client = createClient(settings, old)
  let closed = false
  client.onclose = () => {
    closed = true
  }
  try {
    await abortable(client.connect(transport, { timeout: settings.connectMs, signal: deadline }), deadline)
  } catch (error) {
    const report = exitReportOf(transport)
    await Promise.allSettled([client.close(), transport.close()])
    if (deadline.aborted) throw deadline.reason
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), {
      exitReport: report || exitReportOf(transport),
    })
  }
  if (wire.endsWithError) closeOnError(transport, client)
  deliverAnswersLast(transport)
  void client.autoOpenedSubscription?.closed.then(settings.onToolsChanged)
  let closing: Promise<void> | undefined
  return {
    client,
    isOld: client.getProtocolEra() === 'legacy',
    hasSession: transport.sessionId !== undefined,
    get closed() {
      return closed
    },
    get exitReport() {
      return exitReportOf(transport)
    },
    async close() {
      closing ??= (async () => {
        if (leave && !closed && transport.sessionId !== undefined) await waitAtMost(LEAVE_TIMEOUT_MS, leave())
        await Promise.allSettled([client.close(), transport.close()])
        await release?.()
      })()
      await closing
    },
  }
}

/** Creates the client of the SDK; `old` skips the negotiation of the newer protocol. */
function createClient({ elicit, connectMs, onToolsChanged }: LinkSettings, old: boolean): Client {
  const client = new Client(
    { name: 'x-mcp', version: '0.1.0' },
    {
      capabilities: elicit ? { elicitation: { form: {}, url: {} } } : {},
      versionNegotiation: { mode: old ? 'legacy' : 'auto', probe: { timeoutMs: Math.ceil(connectMs / 3) } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  )
  if (elicit) client.setRequestHandler('elicitation/create', (request, { mcpReq }) => elicit(request, mcpReq.signal))
  return client
}

/** Closes the client after an error of its transport. */
function closeOnError(transport: Transport, client: Client): void {
  const { onerror } = transport
  transport.onerror = (error) => {
    onerror?.(error)
    void client.close()
  }
}

/**
 * Delivers answers one turn later than notifications: the SDK defers notifications, so that an answer from the same chunk
 * would overtake the progress before it. Broken parts of answers are left out.
 */
function deliverAnswersLast(transport: Transport): void {
  const deliver = transport.onmessage
  transport.onmessage = (message, extra) => {
    if ('method' in message) deliver?.(message, extra)
    else setTimeout(() => deliver?.(leaveOutBrokenParts(message), extra), 0)
  }
}

/** Waits for a promise to settle, but not longer than a timeout. */
async function waitAtMost(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise.catch(() => {}), deadline])
  clearTimeout(timer)
}

const exitReportOf = (transport: Transport): string =>
  transport instanceof ChildTransport ? [transport.fault, transport.exitReport].filter(Boolean).join('; ') : ''

/** Makes the error for a connection that is used after its end. */
export const connectionClosed = (server: string): XError =>
  new XError(
    'invalid-state',
    `the connection to the MCP server \`${server}\` is closed: connect anew with \`mcp({ … })\`, and keep it open while agents use its tools`,
  )
