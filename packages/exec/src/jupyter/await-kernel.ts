import { randomUUID } from 'node:crypto'
import type { KernelChannel } from './kernel-channel.ts'
import { kernelInfoRequest } from './messages.ts'

/** Milliseconds after which a kernel is asked again. */
const AGAIN = 500

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
  const timer = setInterval(ask, AGAIN)
  try {
    if (!channel.end) ask()
    await promise
  } finally {
    clearInterval(timer)
  }
}
