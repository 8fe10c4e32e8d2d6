import { UserProxyAgent } from '@x/agent'
import type { Budget, Spending } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'
import { ReasoningAgent } from '../index.ts'
import type { PerformJob } from '../strategy/job-request.ts'

const used = { calls: 1, promptTokens: 20, completionTokens: 10, cost: 0.5, model: 'far away' }

function asking(perform: PerformJob) {
  const llmConfig = functionModel(() => expect.unreachable())
  const reasonConfig = { method: 'best_of_n', nsim: 4, perform } as const
  const reasoner = new ReasoningAgent({ name: 'reasoner', llmConfig, silent: true, reasonConfig })
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })
  return { reasoner, user }
}

const perform: PerformJob = async ({ kind }) => ({ outcome: { kind, text: '42', verdict: null }, used })

it('jobs that a reasoning agent has performed elsewhere count in the cost of its chat', async () => {
  const { reasoner, user } = asking(perform)
  const chat = await user.initiateChat(reasoner, { message: 'Q', maxTurns: 1, silent: true })
  expect(chat.summary).toBe('42')
  const { models, totalCost } = chat.cost.usageExcludingCachedInference
  expect(totalCost).toBeGreaterThan(0)
  expect(Object.keys(models)).toEqual(['far away'])
  expect(totalCost).toBe((models['far away']!.totalTokens / 30) * 0.5)
})

it('the budget of a chat admits each job, and counts its cost', async () => {
  const spent: Spending = { cost: 0, tokens: 0, calls: 0 }
  const reserved: Spending[] = []
  const budget: Budget = {
    spent,
    reserve(estimate) {
      reserved.push(estimate)
      return {
        settle(actual) {
          for (const key of ['cost', 'tokens', 'calls'] as const) spent[key] += actual[key]
        },
        release: () => {},
      }
    },
  }
  let failures = 1
  const { reasoner, user } = asking(async (job, request, run) => {
    if (failures-- > 0) throw new Error('its worker has gone')
    return await perform(job, request, run)
  })
  await user.initiateChat(reasoner, { message: 'Q', maxTurns: 1, silent: true, budget })
  expect(reserved.length).toBeGreaterThan(1)
  expect(spent).toEqual({
    cost: (reserved.length - 1) * 0.5,
    tokens: (reserved.length - 1) * 30,
    calls: reserved.length,
  })
})
