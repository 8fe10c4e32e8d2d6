import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

/** A proxy of a test in front of a server, which loses the answers to some commands: it cuts the connection in place of them. */
export interface LossyProxy {
  readonly url: string
  /** Loses the answer to the next command that holds a text, once. */
  lose(text: string): void
  /** Answers that were lost. */
  readonly lost: number
}

/** Starts a proxy, which ends with its connections. */
export async function startLossyProxy(url: string): Promise<LossyProxy> {
  const target = new URL(url)
  let wanted: string | undefined
  let lost = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let isLosing = false
    client.on('data', (piece) => {
      if (wanted !== undefined && String(piece).includes(wanted)) {
        isLosing = true
        wanted = undefined
      }
      upstream.write(piece)
    })
    upstream.on('data', (piece) => {
      if (!isLosing) return void client.write(piece)
      lost++
      client.destroy()
    })
    client.on('close', () => upstream.destroy()).on('error', () => {})
    upstream.on('close', () => client.destroy()).on('error', () => {})
  }).listen(0, '127.0.0.1')
  server.unref()
  await once(server, 'listening')
  const own = new URL(url)
  own.port = String((server.address() as AddressInfo).port)
  return {
    url: own.href,
    get lost() {
      return lost
    },
    lose: (text) => void (wanted = text),
  }
}
