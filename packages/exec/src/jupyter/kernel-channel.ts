import { readMessage, type KernelMessage, kernelInfoRequest } from './messages.ts'
import type { JupyterServer } from './jupyter-server.ts'
import { randomUUID } from 'node:crypto'

/** How a connection ended: the kernel died, the kernel was shut down, or only the connection was lost. */
export type ChannelEnd = 'died' | 'shut-down' | 'cut'

/** Connection to a kernel. */
export interface KernelChannel {
  /** How the connection ended; undefined while it is open. */
  readonly end: ChannelEnd | undefined
  send(text: string): void
  /** Calls a listener with each message from now on, and with null when the connection ends. */
  listen(listener: (message: KernelMessage | null) => void): void
  close(): void
}

/** Seconds in which a kernel has to answer on its connection; a server may first wait for the kernel itself. */
const KERNEL_READY_TIMEOUT_S = 60

/** States with which a server reports a dead kernel. */
const DEAD_STATES: ReadonlySet<unknown> = new Set(['restarting', 'autorestarting', 'dead'])

/** `WebSocket` of Node, which accepts headers beyond the standard. */
type SocketWithHeaders = new (url: string, options: { headers: Readonly<Record<string, string>> }) => WebSocket

/** Options of {@link openChannel}. */
export interface ChannelOptions {
  /** Identifier of the kernel. */
  readonly kernel: string
  /** Name of this side of the connection. */
  readonly session: string
  /** Aborts the opening. */
  readonly signal: AbortSignal
}

/** Opens a connection to a kernel; resolves once the kernel answers on it. */
export async function openChannel(
  server: JupyterServer,
  { kernel, session, signal }: ChannelOptions,
): Promise<KernelChannel> {
  const socket = new (WebSocket as unknown as SocketWithHeaders)(server.channels(kernel, session), {
    headers: server.headers,
  })
  let listener: (message: KernelMessage | null) => void = () => {}
  let end: ChannelEnd | undefined
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>()
  const finish = (how: ChannelEnd): void => {
    if (end) return
    end = how
    socket.close()
    reject(new Error('cannot connect to the kernel: the Jupyter server refuses the connection. Look at its log'))
    listener(null)
  }
  socket.addEventListener('message', ({ data }) => {
    const message = readMessage(data)
    const how = message && endOf(message)
    if (how) finish(how)
    else if (message) listener(message)
  })
  socket.addEventListener('open', () => resolve())
  socket.addEventListener('error', () => finish('cut'))
  socket.addEventListener('close', () => finish('cut'))
  const channel: KernelChannel = {
    get end() {
      return end
    },
    send: (text) => socket.send(text),
    listen(next) {
      listener = next
      if (end) next(null)
    },
    close: () => finish('cut'),
  }
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    fail(
      new Error(
        `cannot connect to the kernel: it was not ready within ${KERNEL_READY_TIMEOUT_S} s. Look at the log of the Jupyter server`,
      ),
    )
  }, KERNEL_READY_TIMEOUT_S * 1000)
  const onAbort = (): void =>
    fail(new Error('cannot connect to the kernel: the executor was closed before it was ready'))
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    await Promise.race([opened.then(() => awaitKernel(channel, session)), failed])
  } catch (error) {
    channel.close()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
  return channel
}

/**
 * Returns how a kernel ended if a message says so, else undefined. The server reports a dead kernel; a kernel that is shut
 * down reports that itself, and the server leaves its connections open.
 */
function endOf({ type, content }: KernelMessage): ChannelEnd | undefined {
  if (type === 'status' && DEAD_STATES.has(content['execution_state'])) return 'died'
  return type === 'shutdown_reply' ? 'shut-down' : undefined
}

/** Milliseconds between two requests for information about a kernel. */
const INFO_RETRY_DELAY_MS = 500

/**
 * Resolves when the kernel publishes an answer on this connection. The server subscribes to the messages of a kernel when a
 * connection opens; messages before that, such as output or the end of a block, are lost. Servers wait for the subscription
 * themselves, but not if they take the kernel for busy.
 */
async function awaitKernel(channel: KernelChannel, session: string): Promise<void> {
  const requestIds = new Set<string>()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const requestInfo = (): void => {
    // While a block runs, kernels answer on the control channel, if they have it.
    for (const kind of ['shell', 'control'] as const) {
      const id = randomUUID()
      requestIds.add(id)
      channel.send(kernelInfoRequest({ id, session }, kind))
    }
  }
  channel.listen((message) => {
    if (!message)
      reject(
        new Error('cannot connect to the kernel: it ended before it was ready. Look at the log of the Jupyter server'),
      )
    // Only published messages prove the subscription: replies come in another way.
    else if (message.type === 'status' && requestIds.has(message.parent ?? '')) resolve()
  })
  const timer = setInterval(requestInfo, INFO_RETRY_DELAY_MS)
  try {
    if (!channel.end) requestInfo()
    await promise
  } finally {
    clearInterval(timer)
  }
}
