import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A test proxy in front of a server, with the faults of networks. It ends with its process. */
export interface TestProxy {
  /** URL of the server through the proxy. */
  readonly url: string
  /** Number of sockets that were cut. */
  readonly cuts: number
  /** Number of answers that were lost. */
  readonly lost: number
  /** Cuts all connections at once. */
  cut(): void
  /** Cuts the connection of the next command that contains a text after the server has got the command: its answer is lost. */
  lose(text: string): void
  /**
   * Makes all connections half-open, as a firewall does that has forgotten them: they stay open and carry nothing any more.
   * New connections work, or are half-open too until `restore` if they are to be swallowed. `subscriptions`: only those that
   * have subscribed to something.
   */
  halfOpen(options?: { readonly swallowNew?: boolean; readonly subscriptions?: boolean }): void
  /** Lets new connections work again. */
  restore(): void
  /** Delays every chunk from now on, in order. */
  delay(delayMs: () => number): void
  /** Connects to another server from now on, and cuts the connections to the server before. */
  redirect(url: string): void
  close(): Promise<void>
}

/** A connection through the proxy: both of its sockets. */
interface ProxiedConnection {
  readonly sockets: readonly Socket[]
  isHalfOpen: boolean
  hasSubscribed: boolean
}

/** Starts a proxy, which forwards everything at once until it is told otherwise. */
export async function startProxy(url: string): Promise<TestProxy> {
  const connections = new Set<ProxiedConnection>()
  let target = new URL(url)
  let delayMs: (() => number) | undefined
  let isSwallowingNew = false
  let losingText: string | undefined
  let cuts = 0
  let lost = 0

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const connection: ProxiedConnection = {
      ...{ sockets: [client, upstream], isHalfOpen: isSwallowingNew, hasSubscribed: false },
    }
    connections.add(connection)
    let isLosing = false
    forward(connection, client, upstream, (chunk) => {
      connection.hasSubscribed ||= /subscribe|LISTEN/u.test(String(chunk))
      if (losingText !== undefined && String(chunk).includes(losingText)) {
        losingText = undefined
        isLosing = true
      }
      return true
    })
    forward(connection, upstream, client, () => {
      if (!isLosing) return true
      lost++
      client.destroy()
      return false
    })
  }).listen(0, '127.0.0.1')
  server.unref()

  /** Forwards what `passes` lets through, in order. Nobody hears of the end of a half-open connection. */
  function forward(connection: ProxiedConnection, from: Socket, to: Socket, passes: (chunk: Buffer) => boolean): void {
    let before = Promise.resolve()
    from.on('data', (chunk) => {
      if (connection.isHalfOpen || !passes(chunk)) return
      if (!delayMs) return void to.write(chunk)
      const ms = delayMs()
      before = before.then(async () => {
        await new Promise((resolve) => setTimeout(resolve, ms))
        if (!connection.isHalfOpen && !to.destroyed) to.write(chunk)
      })
    })
    from.on('error', () => {})
    from.on('close', () => {
      if (connection.isHalfOpen) return
      connections.delete(connection)
      to.destroy()
    })
  }

  function cut(): void {
    for (const connection of connections) {
      // The ends of a half-open connection hear of it at last.
      connection.isHalfOpen = false
      for (const socket of connection.sockets) {
        cuts++
        socket.destroy()
      }
    }
  }

  await once(server, 'listening')
  const own = new URL(url)
  own.port = String((server.address() as AddressInfo).port)
  return {
    url: own.href,
    get cuts() {
      return cuts
    },
    get lost() {
      return lost
    },
    cut,
    lose: (text) => void (losingText = text),
    halfOpen({ swallowNew = false, subscriptions = false } = {}) {
      isSwallowingNew = swallowNew
      for (const connection of connections) connection.isHalfOpen ||= !subscriptions || connection.hasSubscribed
    },
    restore: () => void (isSwallowingNew = false),
    delay: (ms) => void (delayMs = ms),
    redirect(other) {
      target = new URL(other)
      cut()
    },
    async close() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
