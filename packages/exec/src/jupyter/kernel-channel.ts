import { readMessage, type KernelMessage, kernelInfoRequest } from './messages.ts'
import type { JupyterServer } from './jupyter-server.ts'
import { randomUUID } from 'node:crypto'

/** Seconds until a kernel must answer by its connection; a server may first wait for the kernel itself. */
const KERNEL_READY_TIMEOUT_S = 60

/** States of a kernel that has died, as a server tells them. */
const DEAD_STATES: ReadonlySet<unknown> = new Set(['restarting', 'autorestarting', 'dead'])

/** Node's `WebSocket` takes headers too, which its standard does not know. */
type SocketWithHeaders = new (url: string, options: { headers: Readonly<Record<string, string>> }) => WebSocket

/** The ends of a connection. */
export interface ChannelOptions {
  /** Identifier of the kernel. */
  readonly kernel: string
  /** Name of this side of the connection. */
  readonly session: string
  /** Ends the opening. */
  readonly signal: AbortSignal
}

/** Opens the connection to a kernel; resolves once the kernel answers by it. */
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
    reject(new Error('the Jupyter server refuses the connection to the kernel: look at its log'))
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
    hear(next) {
      listener = next
      if (end) next(null)
    },
    close: () => finish('cut'),
  }
  const { promise: gaveUp, reject: giveUp } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    giveUp(
      new Error(`the kernel was not ready within ${KERNEL_READY_TIMEOUT_S} s: look at the log of the Jupyter server`),
    )
  }, KERNEL_READY_TIMEOUT_S * 1000)
  const onAbort = (): void => giveUp(new Error('the executor was closed before its kernel was ready'))
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    await Promise.race([opened.then(() => awaitKernel(channel, session)), gaveUp])
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
 * Reads how a kernel has ended from what was said of it; undefined when it has not. The server tells of one that died. One
 * that is shut down says so itself, and the server leaves its connections open.
 */
function endOf({ type, content }: KernelMessage): ChannelEnd | undefined {
  if (type === 'status' && DEAD_STATES.has(content['execution_state'])) return 'died'
  return type === 'shutdown_reply' ? 'shut-down' : undefined
}

/** Milliseconds after which a kernel is asked again. */
const INFO_RETRY_DELAY_MS = 500

/**
 * Resolves when a kernel answers and its answer comes by this connection. The server subscribes to what a kernel publishes
 * when a connection opens, and what the kernel publishes before the subscription has reached it is lost: output, and the
 * word that a block is done. Servers wait for that themselves, but not where they take the kernel for busy.
 */
export async function awaitKernel(channel: KernelChannel, session: string): Promise<void> {
  const asked = new Set<string>()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const ask = (): void => {
    // Kernels that have the control channel answer there while a block runs.
    for (const on of ['shell', 'control'] as const) {
      const id = randomUUID()
      asked.add(id)
      channel.send(kernelInfoRequest({ id, session }, on))
    }
  }
  channel.hear((message) => {
    if (!message) reject(new Error('the kernel ended before it was ready: look at the log of the Jupyter server'))
    // Status messages are published, and no answers of their own.
    else if (message.type === 'status' && asked.has(message.parent ?? '')) resolve()
  })
  const timer = setInterval(ask, INFO_RETRY_DELAY_MS)
  try {
    if (!channel.end) ask()
    await promise
  } finally {
    clearInterval(timer)
  }
}

/** How a connection has ended: the kernel died, somebody shut it down, or the connection alone is gone. */
export type ChannelEnd = 'died' | 'shut-down' | 'cut'

/** The connection to a kernel. */
export interface KernelChannel {
  /** How it has ended; undefined as long as it stands. */
  readonly end: ChannelEnd | undefined
  send(text: string): void
  /** Takes what the kernel says from now on; null when the connection has ended. */
  hear(listener: (message: KernelMessage | null) => void): void
  close(): void
}
