import {
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  UnauthorizedError,
  type ElicitRequest,
  type ElicitResult,
  type Transport,
} from '@modelcontextprotocol/client'
import { abortable } from '@x/kernel/abort'
import { XError } from '@x/kernel'
import { ChildTransport } from './child-transport.ts'
import { serverFetch } from './http-fetch.ts'
import { HttpTransport } from './http-transport.ts'
import type { Authorization } from './authorization.ts'
import type { ServerCommand } from './server-command.ts'

/** Settings of a connection. */
export interface LinkSettings {
  /** A program to start, or the address of a server. */
  readonly command: ServerCommand | undefined
  readonly http: HttpTarget | undefined
  readonly maxMessageBytes: number
  /** Milliseconds that connecting may take. */
  readonly connectMs: number
  /** Answers questions of the server; undefined: it may not ask. */
  readonly elicit: ((request: ElicitRequest, signal: AbortSignal) => Promise<ElicitResult>) | undefined
  /** Hears that the server's list of tools has changed, or may have. */
  readonly onToolsChanged: () => void
}

/** A server by its address. */
export interface HttpTarget {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch | undefined
  readonly authorization: Authorization | undefined
}

/** A connection to a server. */
export interface Link {
  readonly client: Client
  /** Whether the server speaks a version of the protocol before 2026. */
  readonly isOld: boolean
  readonly hasSession: boolean
  /** Whether it has ended. */
  readonly closed: boolean
  /** What is known of its end. */
  readonly lastWords: string
  close(): Promise<void>
}

/** What stands behind a connection: how it is spoken on, and what else ends with it. */
interface Wire {
  readonly transport: Transport
  /** Whether an error ends it: of server-sent events the SDK would open the stream again, without what was under way. */
  readonly endsWithError?: true
  /** Says goodbye, where that is due. */
  readonly leave?: () => Promise<void>
  readonly release?: () => Promise<void>
}

/** Milliseconds that a server has to take a goodbye. */
const GOODBYE = 1000

/**
 * Connects to a server, unless `stop` fires before; `old` says that it speaks a version of the protocol before 2026.
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
  late: AbortSignal,
): Promise<Link> {
  const attempt = async (asOld: boolean): Promise<Link> => {
    const transport = new ChildTransport(command, settings.maxMessageBytes)
    return await connect(settings, { transport }, asOld, late)
  }
  try {
    return await attempt(old)
  } catch (error) {
    // A server that ends at the first question of the newer protocol may speak the older one.
    if (old || late.aborted || !(error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed))
      throw error
    return await attempt(true)
  }
}

async function openHttp(settings: LinkSettings, target: HttpTarget, old: boolean, late: AbortSignal): Promise<Link> {
  const { url, authorization, headers, fetch } = target
  const pool = serverFetch({
    ...{ url, headers, maxMessageBytes: settings.maxMessageBytes },
    fetch: fetch && (async (input, init) => await fetch(input, init)),
  })
  const release = async (): Promise<void> => await pool.close()
  const authProvider = authorization?.provider
  const options = { fetch: pool.fetch, ...(authProvider && { authProvider }) }
  const attempt = async (): Promise<Link> => {
    const transport = new HttpTransport(url, options)
    const leave = async (): Promise<void> => await transport.endSession()
    try {
      return await connect(settings, { transport, leave, release }, old, late)
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !authorization) throw error
      await authorization.finish(transport)
      const again = new HttpTransport(url, options)
      return await connect(
        settings,
        { transport: again, leave: async () => await again.endSession(), release },
        old,
        late,
      )
    }
  }
  try {
    try {
      return await attempt()
    } catch (error) {
      if (!speaksOtherwise(error)) throw error
      try {
        return await connect(
          settings,
          { transport: new SSEClientTransport(url, options), endsWithError: true, release },
          true,
          late,
        )
      } catch {
        // What the usual way said is what helps.
        throw error
      }
    }
  } catch (error) {
    await release()
    throw error
  }
}

/** Whether an error says that the server may speak HTTP with server-sent events only, as before 2025-03-26. */
const speaksOtherwise = (error: unknown): boolean =>
  error instanceof SdkHttpError && error.status >= 400 && error.status < 500 && ![401, 403, 429].includes(error.status)

async function connect(settings: LinkSettings, wire: Wire, old: boolean, late: AbortSignal): Promise<Link> {
  const { elicit, connectMs, onToolsChanged } = settings
  const transport: Transport = wire.transport
  let closed = false
  const client = new Client(
    { name: 'x-mcp', version: '0.1.0' },
    {
      capabilities: elicit ? { elicitation: { form: {}, url: {} } } : {},
      versionNegotiation: { mode: old ? 'legacy' : 'auto', probe: { timeoutMs: Math.ceil(connectMs / 3) } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  )
  client.onclose = () => {
    closed = true
  }
  if (elicit) client.setRequestHandler('elicitation/create', (request, { mcpReq }) => elicit(request, mcpReq.signal))
  try {
    await abortable(client.connect(transport, { timeout: connectMs, signal: late }), late)
  } catch (error) {
    const words = lastWordsOf(transport)
    await Promise.allSettled([client.close(), transport.close()])
    if (late.aborted) throw late.reason
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), {
      lastWords: words || lastWordsOf(transport),
    })
  }
  if (wire.endsWithError) {
    const { onerror } = transport
    transport.onerror = (error) => {
      onerror?.(error)
      void client.close()
    }
  }
  deliverAnswersLast(transport)
  void client.autoOpenedSubscription?.closed.then(onToolsChanged)
  const { leave, release } = wire
  let closing: Promise<void> | undefined
  return {
    client,
    isOld: client.getProtocolEra() === 'legacy',
    hasSession: transport.sessionId !== undefined,
    get closed() {
      return closed
    },
    get lastWords() {
      return lastWordsOf(transport)
    },
    async close() {
      closing ??= (async () => {
        if (leave && !closed && transport.sessionId !== undefined) await atMost(GOODBYE, leave())
        await Promise.allSettled([client.close(), transport.close()])
        await release?.()
      })()
      await closing
    },
  }
}

/**
 * Delivers answers after what came with them: the SDK hands notifications on in a turn of their own, and an answer that
 * came in the same one would overtake the progress before it.
 */
function deliverAnswersLast(transport: Transport): void {
  const deliver = transport.onmessage
  transport.onmessage = (message, extra) => {
    if ('method' in message) deliver?.(message, extra)
    else setTimeout(() => deliver?.(message, extra), 0)
  }
}

/** Waits for a promise, however it ends, but not longer. */
async function atMost(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise.catch(() => {}), late])
  clearTimeout(timer)
}

const lastWordsOf = (transport: Transport): string =>
  transport instanceof ChildTransport ? [transport.fault, transport.lastWords].filter(Boolean).join('; ') : ''

/** The error for a connection that is used after its end. */
export const connectionClosed = (server: string): XError =>
  new XError(
    'invalid-state',
    `the connection to the MCP server \`${server}\` is closed: connect anew with \`mcp({ … })\`, and keep it open while agents use its tools`,
  )
