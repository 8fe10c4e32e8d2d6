import { awaitKernel } from './await-kernel.ts'
import type { ChannelEnd, KernelChannel } from './kernel-channel.ts'
import { readMessage, type KernelMessage } from './messages.ts'
import type { JupyterServer } from './jupyter-server.ts'

/** Seconds until a kernel must answer by its connection; a server may first wait for the kernel itself. */
const PATIENCE = 60

/** States of a kernel that has died, as a server tells them. */
const DEAD: ReadonlySet<unknown> = new Set(['restarting', 'autorestarting', 'dead'])

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
    giveUp(new Error(`the kernel was not ready within ${PATIENCE} s: look at the log of the Jupyter server`))
  }, PATIENCE * 1000)
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
  if (type === 'status' && DEAD.has(content['execution_state'])) return 'died'
  return type === 'shutdown_reply' ? 'shut-down' : undefined
}
