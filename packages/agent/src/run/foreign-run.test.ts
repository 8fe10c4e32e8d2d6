import type { Run, RunScope } from '@x/interfaces'
import { currentRun, runAsync, wait } from '@x/kernel'
import { scriptedModel, withRun } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { AssistantAgent, tool } from '../index.ts'
import { scopeIn } from './scope.ts'
import { callsOf } from './tool-chat.fake.ts'

const agent = (...replies: Parameters<typeof scriptedModel>[0][number][]): AssistantAgent =>
  new AssistantAgent({ name: 'clerk', llmConfig: scriptedModel(replies) })

describe('an agent in a run of another package', () => {
  it('answers, and spends from the budget of the run', async () => {
    const budget = callsOf(1)
    const runs = await withRun({ budget }, async (run) => [
      await agent('tea').run('What?', { run }),
      await agent('cake').run('And?', { run }),
    ])
    expect(runs.map(({ text, terminationReason }) => [text, terminationReason])).toEqual([
      ['tea', 'answered'],
      ['', 'budget'],
    ])
    expect(budget.spent.calls).toBe(1)
  })

  it('has the cache of the run in its tools too', async () => {
    const scopes: RunScope[] = []
    const look = tool({
      name: 'look',
      description: 'Looks.',
      parameters: { type: 'object', properties: {} },
      execute: async (_, { run }) => {
        scopes.push(scopeIn(run!))
        return (await agent('inner').run('Look', { run })).text
      },
    })
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } } as const
    const cache = { name: 'own', get: () => undefined, set: () => {} }
    const text = await inRunWith(cache, async (run) => {
      const outer = agent({ content: null, tool_calls: [call] }, 'done')
      return (await outer.run('Go', { run, tools: look })).text
    })
    expect(text).toBe('done')
    expect(scopes.map((scope) => scope.cache)).toEqual([cache])
  })
})

/** Uses a run whose scope has a cache. */
async function inRunWith<T>(cache: RunScope['cache'], use: (run: Run) => Promise<T>): Promise<T> {
  const scope: RunScope = {
    ...{ chatId: null, agentPath: null, budget: null, cache, spanId: null, callKind: null },
    newSpanId: () => '',
    inside: () => scope,
    heard: () => scope,
    takes: () => false,
    now: () => 0,
    send: () => undefined,
  }
  function* steps() {
    return yield* wait(use(yield* currentRun()), 'the use of a run')
  }
  return await runAsync(steps(), { scope })
}
