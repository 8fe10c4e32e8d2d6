import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sqlite } from '@x/host'
import { createChatHost } from './chat-host.ts'
import { fastAgents } from './example-server.fake.ts'
import { startMonitor } from './monitor.ts'

const PAGE = readFileSync(new URL('../../../docs/operating-the-web-chat.md', import.meta.url), 'utf8')

it('tells every metric of the page of operation', async () => {
  const chats = createChatHost(sqlite(':memory:'), fastAgents().agents, { dayBudget: 5, requests: 60 })
  const url = await startMonitor({ chats, port: 0, listen: '127.0.0.1', pages: () => 7 })
  expect(await (await fetch(`${url}/healthz`)).text()).toBe('live\n')
  const text = await (await fetch(`${url}/metrics`)).text()
  expect(text).toMatch(/^web_chat_pages 7$/mu)
  expect(text).toMatch(/^budget_left_dollars\{budget="day"\} 5$/mu)
  expect(text).toMatch(/^limiter_waiting_calls 0$/mu)
  const rows = [...PAGE.matchAll(/^\| `(\w+)(?:\{.*\})?` +\|/gmu)].map(([, name]) => name!)
  const metrics = rows.filter((name) => name.includes('_'))
  expect(metrics.length).toBeGreaterThan(5)
  for (const name of metrics) expect(text).toContain(`# TYPE ${name} gauge\n`)
  expect((await fetch(`${url}/`)).status).toBe(404)
  await chats.host.close()
})

it('is not served without a port', async () => {
  const chats = createChatHost(sqlite(':memory:'), fastAgents().agents)
  expect(await startMonitor({ chats, port: undefined, listen: '127.0.0.1' })).toBe('')
  await chats.host.close()
})
