import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { createBudget, llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'

const io = { send: () => {}, input: () => '' }

test('a chat whose model answers after `timeout` pays one request by default, and says so', async () => {
  let requests = 0
  const server = createServer((request) => {
    request.resume().on('end', () => requests++)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const models = llmConfig({
    ...{ providers: [openai], model: 'm', apiKey: 'k', baseUrl, timeout: 0.5, price: [1, 1], cacheSeed: null },
    max_tokens: 1000,
  })
  const budget = createBudget({ cost: 10 })
  const agent = new AssistantAgent({ name: 'agent', llmConfig: models, io })
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', io })
  await expect(user.initiateChat(agent, { message: 'Hi', maxTurns: 3, budget })).rejects.toMatchObject({
    code: 'timeout',
  })
  expect([requests, budget.spent.calls]).toEqual([1, 1])
  expect(budget.spent.cost).toBeGreaterThan(1)
  expect(agent.getActualUsage()?.totalCost).toBeCloseTo(budget.spent.cost, 9)
})
