import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

/** A test proxy in front of a server that loses the answers to some commands: it cuts the connection instead. */
export interface LossyProxy {
  readonly url: string
  /** Loses the answer to the next command that contains a text. */
  lose(text: string): void
  /** Number of lost answers. */
  readonly lost: number
}

/** Starts a proxy, which ends with its connections. */
export async function startLossyProxy(url: string): Promise<LossyProxy> {
  const target = new URL(url)
  let losingText: string | undefined
  let lost = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let isLosing = false
    client.on('data', (chunk) => {
      if (losingText !== undefined && String(chunk).includes(losingText)) {
        isLosing = true
        losingText = undefined
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!isLosing) return void client.write(chunk)
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
    lose: (text) => void (losingText = text),
  }
}
