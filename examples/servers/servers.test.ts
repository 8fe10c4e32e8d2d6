import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { app as expressApp } from './express.ts'
import { POST } from './fetch-handler.ts'
import { app as honoApp } from './hono.ts'
import { model } from './model.ts'
import { server as nodeServer } from './node-http.ts'

const chat = (user: string): string => `/chat/${user}`
const post = (message: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
})

const opened: Server[] = []

async function listen(server: Server): Promise<string> {
  opened.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Ask = (user: string, init: RequestInit) => Promise<Response>

/** Sends the message of a user to each of the servers. */
const servers: Record<string, Ask> = {
  'a fetch handler': (_, init) => POST(new Request('http://localhost/chat', init)),
  Hono: async (_, init) => await honoApp.request('/chat', init),
}

beforeAll(async () => {
  const node = await listen(nodeServer)
  const express = await listen(createServer(expressApp as RequestListener))
  servers['node:http'] = (_, init) => fetch(node, init)
  servers['Express'] = (user, init) => fetch(express + chat(user), init)
})

afterAll(async () => {
  for (const server of opened) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

describe.each(['a fetch handler', 'Hono', 'node:http', 'Express'])('%s', (name) => {
  const ask: Ask = (user, init) => servers[name]!(user, init)

  it('shows nobody the words of another, one after the other and at once', async () => {
    const ann = await (await ask(`${name}-ann`, post('Ann: my PIN is 4711'))).text()
    expect(ann).toBe('I was shown: Ann: my PIN is 4711')
    const users = Array.from({ length: 20 }, (_, index) => `user ${index}`)
    const answers = await Promise.all(
      users.map(async (user) => await (await ask(`${name}-${user}`, post(user))).text()),
    )
    expect(answers).toEqual(users.map((user) => `I was shown: ${user}`))
    for (const { messages } of model.calls.slice(-users.length)) expect(JSON.stringify(messages)).not.toContain('4711')
  })

  it('stops a run when its client goes away, and goes on with others', async () => {
    const left = new AbortController()
    const gone = ask(`${name}-gone`, { ...post('I am off'), signal: left.signal }).then((response) => response.text())
    left.abort()
    await expect(gone).rejects.toThrow()
    expect(await (await ask(`${name}-next`, post('next'))).text()).toBe('I was shown: next')
  })
})

it('keeps the history of each user where the program keeps it', async () => {
  const say = async (user: string, text: string): Promise<string> =>
    await (await servers['Express']!(user, post(text))).text()
  await say('eve', 'one')
  await say('fay', 'other')
  expect(await say('eve', 'two')).toBe('I was shown: one / two')
  expect(await say('fay', 'again')).toBe('I was shown: other / again')
})

it('answers a body that is no JSON with a failure', async () => {
  const shown = vi.spyOn(console, 'error').mockImplementation(() => {})
  const broken = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"message": "no end' }
  for (const name of ['node:http', 'Express']) {
    const response = await servers[name]!('x', broken)
    expect(response.status).toBeGreaterThanOrEqual(400)
  }
  shown.mockRestore()
})
