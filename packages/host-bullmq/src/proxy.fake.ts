import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A test proxy in front of a server that delays data and cuts connections. */
export interface TestProxy {
  /** URL of the server through the proxy. */
  readonly url: string
  /** Number of connections that were cut. */
  readonly cuts: number
  /** Cuts all connections at once. */
  cut(): void
  close(): Promise<void>
}

/** Starts a proxy that delays every chunk by up to `delay` milliseconds, in order. */
export async function startProxy(url: string, delay: number, random: () => number): Promise<TestProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let cuts = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      let before = Promise.resolve()
      sockets.add(from)
      from.on('data', (chunk) => {
        const ms = random() * delay
        before = before.then(async () => {
          await new Promise((resolve) => setTimeout(resolve, ms))
          if (!to.destroyed) to.write(chunk)
        })
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(url)
  own.port = String((server.address() as AddressInfo).port)
  const cut = (): void => {
    for (const socket of sockets) {
      cuts++
      socket.destroy()
    }
  }
  return {
    url: own.href,
    get cuts() {
      return cuts
    },
    cut,
    async close() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
