import { deepStrictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { scriptedModel } from '@x/testing'
import { createChatServer } from './server.ts'

const server = createChatServer(scriptedModel(['Hello, too.'])).listen(0)
await once(server, 'listening')
after(() => server.close())
const { port } = server.address() as AddressInfo

async function ask(body: object) {
  const response = await fetch(`http://localhost:${port}/chat`, { method: 'POST', body: JSON.stringify(body) })
  return [response.status, await response.text()]
}

test('the server answers a message', async () => {
  deepStrictEqual(await ask({ message: 'Hello' }), [200, 'Hello, too.\n'])
})

test('the server refuses what is not a message, empty or too long', async () => {
  for (const body of [{ messages: [] }, { message: ' ' }, { message: 'Hello'.repeat(100_000) }])
    deepStrictEqual(await ask(body), [400, 'Send a `message`.\n'])
})
