import type { ConfigEntry, ModelClient } from '@x/interfaces'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WIRES } from './wires.fake.ts'

/** Ways of requests to the network. */
const WAYS: readonly (readonly [string, ConfigEntry])[] = [
  ['as the platform is', {}],
  ['with a `fetch` in the entry', { fetch: async (input, init) => await globalThis.fetch(input, init) }],
]

/** A server that reads requests and resets their connections. */
async function serveResets(): Promise<{ url: string; requests: () => number }> {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      requests++
      socket.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => await new Promise<void>((resolve) => void server.close(() => resolve())))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests }
}

/** Calls a client in both forms; returns for each if its request has left, by the last report. */
async function leftOf(client: ModelClient): Promise<boolean[]> {
  const params = { messages: [{ role: 'user' as const, content: 'Hi' }] }
  const reports: boolean[][] = [[], []]
  await expect(client.create(params, { onSend: (left) => reports[0]!.push(left === true) > 0 })).rejects.toThrow()
  const stream = client.stream!(params, { onSend: (left) => reports[1]!.push(left === true) > 0 })
  await expect(stream.next()).rejects.toThrow()
  return reports.map((each) => each.at(-1)!)
}

describe.each(WIRES)('a request by %s,', (_, create, entry) => {
  for (const [how, more] of WAYS) {
    const clientOf = (given: ConfigEntry): ModelClient =>
      create().createClient({ apiKey: 'key', ...entry, ...more, ...given })

    test(`${how}: has not left if its key could not be read`, async () => {
      const apiKey = async (): Promise<string> => {
        throw new Error('the vault is closed')
      }
      expect(await leftOf(clientOf({ apiKey, baseUrl: 'http://127.0.0.1:2' }))).toEqual([false, false])
    })

    test(`${how}: has not left if the connection is refused`, async () => {
      // No program gets this port by chance.
      expect(await leftOf(clientOf({ baseUrl: 'http://127.0.0.1:2' }))).toEqual([false, false])
    })

    test(`${how}: has left, once, if the connection is reset when it arrives`, async () => {
      const { url, requests } = await serveResets()
      expect(await leftOf(clientOf({ baseUrl: url }))).toEqual([true, true])
      expect(requests()).toBe(2)
    })
  }
})
