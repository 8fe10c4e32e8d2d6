import type { ServerResponse } from 'node:http'
import { isThenable } from '@x/kernel'
import type { Delay, Delivery } from './delivery.ts'

/** Connection on which a delivery is played. */
export interface Player {
  readonly response: ServerResponse
  /** Fires when the client has left or the server is closed. */
  readonly gone: AbortSignal
  /** Called with the status when it is sent. */
  readonly onHead: (status: number) => void
  /** Called before the connection is reset. */
  readonly onReset: () => void
}

/** Sends a delivery packet by packet until it ends or the client has left. */
export async function playDelivery(delivery: Delivery, { response, gone, onHead, onReset }: Player): Promise<void> {
  const { before, head, body = [], ending = 'close' } = delivery
  if (before !== undefined) await waited(before, gone)
  if (gone.aborted) return
  if (head) {
    response.writeHead(head.status, head.headers)
    response.flushHeaders()
    onHead(head.status)
  }
  for (const part of body) {
    if (typeof part === 'string' || part instanceof Uint8Array) await written(part, response, gone)
    else await waited(part.pause, gone)
    if (gone.aborted) return
  }
  if (ending === 'close') response.end()
  if (ending === 'reset') {
    onReset()
    response.socket?.resetAndDestroy()
  }
}

/** Writes one packet and waits until it is on its way, so that packets stay packets. */
async function written(part: string | Uint8Array, response: ServerResponse, gone: AbortSignal): Promise<void> {
  await unlessGone(gone, (done) => response.write(part, () => done()))
}

async function waited(delay: Delay, gone: AbortSignal): Promise<void> {
  if (isThenable(delay)) return await unlessGone(gone, (done) => delay.then(done, done))
  let timer: NodeJS.Timeout | undefined
  await unlessGone(gone, (done) => (timer = setTimeout(done, delay)))
  clearTimeout(timer)
}

/** Resolves when `start` calls back, or when the client has left. */
async function unlessGone(gone: AbortSignal, start: (done: () => void) => unknown): Promise<void> {
  if (gone.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = (): void => resolve()
  gone.addEventListener('abort', done)
  start(done)
  await promise
  gone.removeEventListener('abort', done)
}
