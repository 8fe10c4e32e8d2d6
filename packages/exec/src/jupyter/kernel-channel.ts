import type { KernelMessage } from './messages.ts'

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
