import { readMessage, type KernelMessage } from './messages.ts'
import type { JupyterServer } from './jupyter-server.ts'

/** The connection to a kernel. */
export interface KernelChannel {
  readonly closed: boolean
  send(text: string): void
  /** Takes what the kernel says from now on; null when the connection has ended. */
  hear(listener: (message: KernelMessage | null) => void): void
  close(): void
}

/** Seconds until a connection must stand; the server first waits for the kernel. */
const PATIENCE = 60

/** Node's `WebSocket` takes headers too, which its standard does not know. */
type SocketWithHeaders = new (url: string, options: { headers: Readonly<Record<string, string>> }) => WebSocket

/** Opens the connection to a kernel. */
export async function openChannel(server: JupyterServer, kernel: string, session: string): Promise<KernelChannel> {
  const socket = new (WebSocket as unknown as SocketWithHeaders)(server.channels(kernel, session), {
    headers: server.headers,
  })
  let listener: (message: KernelMessage | null) => void = () => {}
  let closed = false
  socket.addEventListener('message', ({ data }) => {
    const message = readMessage(data)
    if (message) listener(message)
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const end = (): void => {
    closed = true
    reject(new Error('the Jupyter server refuses the connection to the kernel: look at its log'))
    listener(null)
  }
  socket.addEventListener('open', () => resolve())
  socket.addEventListener('error', end)
  socket.addEventListener('close', end)
  const late = setTimeout(() => {
    reject(new Error(`the kernel was not ready within ${PATIENCE} s: look at the log of the Jupyter server`))
    socket.close()
  }, PATIENCE * 1000)
  try {
    await promise
  } finally {
    clearTimeout(late)
  }
  return {
    get closed() {
      return closed
    },
    send: (text) => socket.send(text),
    hear(next) {
      listener = next
    },
    close: () => socket.close(),
  }
}
