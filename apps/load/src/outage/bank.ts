import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A fake bank, which makes a payment once for each key. */
export interface Bank extends AsyncDisposable {
  readonly url: string
  /** Keys of the payments of each order. */
  readonly keysByOrder: ReadonlyMap<number, ReadonlySet<string>>
  /** Number of calls with a key that had been paid. */
  readonly repeated: number
}

/** Starts the bank: `POST /<order>` with the header `idempotency-key` pays. */
export async function startBank(): Promise<Bank> {
  const keysByOrder = new Map<number, Set<string>>()
  let repeated = 0
  const server = createServer((request, response) => {
    const order = Number(request.url?.slice(1))
    const key = String(request.headers['idempotency-key'])
    const keys = keysByOrder.get(order) ?? new Set()
    keysByOrder.set(order, keys)
    if (keys.has(key)) repeated++
    keys.add(key)
    request.resume().once('end', () => response.end('paid'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keysByOrder,
    get repeated() {
      return repeated
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Tries of a call whose connection is lost, such as one that was idle while its worker was stopped. */
const MAX_TRIES = 3

/** Pays at a bank; a call whose connection is lost is repeated with its key. */
export async function payAt(url: string, order: number, key: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const response = await fetch(`${url}/${order}`, { method: 'POST', headers: { 'idempotency-key': key } })
      if (!response.ok) throw new Error(`the bank answers with ${response.status}`)
      return void (await response.text())
    } catch (error) {
      if (!(error instanceof TypeError) || tries === MAX_TRIES) throw error
    }
  }
}
