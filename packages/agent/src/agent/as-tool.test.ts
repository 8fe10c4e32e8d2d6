import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { createAgent, tool } from '../index.ts'

const call = (name: string, args: object) => ({
  content: null,
  tool_calls: [{ id: 'c1', function: { name, arguments: JSON.stringify(args) } }],
  usage: [10, 5] as const,
  cost: 1,
})
const said = (content: string) => ({ content, usage: [10, 5] as const, cost: 1 })

/** A model that asks the tool for a fact, and repeats what it was told. */
const asking = (name: string) =>
  functionModel(({ messages }) => {
    const last = messages.at(-1)!
    return last.role === 'tool' ? said(`So: ${last.content as string}`) : call(name, { question: 'How cold?' })
  })

const expert = () =>
  createAgent({
    name: 'expert',
    model: functionModel(({ messages }) => said(`${messages.at(-1)!.content as string} Six.`)),
    instructions: 'You know the weather.',
  })

describe('an agent as a tool', () => {
  it.each(['run', 'runSync'] as const)('answers questions of another one, and counts in its run: %s', async (face) => {
    const chief = createAgent({ name: 'chief', model: asking('expert'), tools: expert().asTool() })
    const { text, cost, usage, toolCalls } = await chief[face]('What do I wear?')
    expect([text, cost, usage.totalTokens]).toEqual(['So: How cold? Six.', 3, 45])
    expect(toolCalls).toMatchObject([
      { name: 'expert', arguments: { question: 'How cold?' }, result: 'How cold? Six.' },
    ])
  })

  it('has the names of the agent, or others', () => {
    expect(expert().asTool()).toMatchObject({ name: 'expert', description: 'You know the weather.' })
    expect(expert().asTool({ name: 'ask', description: 'Asks.' })).toMatchObject({ name: 'ask', description: 'Asks.' })
    expect(() => expert().asTool({ title: 'x' } as never)).toThrow('the option `title` is unknown')
  })

  it('lets the run wait for what it needs', async () => {
    const paid: string[] = []
    const pay = tool({ name: 'pay', description: 'Pays.', needsApproval: true, execute: () => String(paid.push('x')) })
    const chief = () => {
      const clerk = createAgent({
        name: 'clerk',
        model: functionModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? said('paid') : call('pay', {}))),
        tools: pay,
      })
      return createAgent({ name: 'chief', model: asking('clerk'), tools: clerk.asTool() })
    }
    const { terminationReason, pending, journal } = await chief().run('Go.')
    expect([terminationReason, pending.map(({ agent }) => agent), paid]).toEqual(['suspended', ['clerk'], []])
    await journal!.decide(pending[0]!.id, { allow: true })
    expect([(await chief().run('Go.', { journal })).terminationReason, paid]).toEqual(['answered', ['x']])
  })
})
