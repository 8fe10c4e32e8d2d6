import { ConversableAgent, tool } from '@x/agent'
import { llmConfig } from '@x/model'
import { scriptedModel, startFakeOpenAI } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { anthropic, createAgent, google, openai } from './index.ts'

const add = tool({
  name: 'add',
  description: 'Adds.',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})

describe('createAgent', () => {
  it('asks models by name, the next one if one fails, and executes its tools', async () => {
    const calls = [{ id: 'c1', type: 'function' as const, function: { name: 'add', arguments: '{"a":1,"b":2}' } }]
    await using server = await startFakeOpenAI({
      models: { down: { failure: '503' }, up: [{ tool_calls: calls }, 'It is 3.'] },
    })
    const at = { apiKey: 'sk-x', baseUrl: server.url, maxRetries: 0, cacheSeed: null }
    const model = [openai('down', at), openai('up', at)]
    const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.', tools: add })
    const { text, toolCalls } = await agent.run('1 + 2?')
    expect([text, toolCalls]).toEqual([
      'It is 3.',
      [{ id: 'c1', name: 'add', arguments: { a: 1, b: 2 }, result: '3', error: null }],
    ])
    const asked = server.requests.map(({ body }) => body as { model: string; messages: { content: string }[] })
    expect(asked.map((body) => body.model)).toEqual(['down', 'up', 'down', 'up'])
    expect(asked[1]!.messages[0]!.content).toBe('Be brief.')
  })

  it('gives the same object as the full form', () => {
    const models = llmConfig([anthropic('claude-sonnet-4-5'), google('gemini-2.5-flash')])
    const full = new ConversableAgent({
      name: 'a',
      systemMessage: 'Be brief.',
      llmConfig: models,
      humanInputMode: 'NEVER',
    }).use(add)
    const short = createAgent({ name: 'a', model: models, instructions: 'Be brief.', tools: [add] })
    expect(short).toBeInstanceOf(ConversableAgent)
    expect(short.saveState()).toEqual(full.saveState())
    const facts = (agent: ConversableAgent): unknown[] => [
      agent.systemMessage,
      agent.humanInputMode,
      agent.tools.map(({ name }) => name),
      Object.keys(agent.functionMap),
    ]
    expect(facts(short)).toEqual(facts(full))
    expect(short.llmConfig && short.llmConfig.config).toEqual(full.llmConfig && full.llmConfig.config)
  })

  it('passes on every option of an agent', () => {
    const agent = createAgent({ name: 'a', model: scriptedModel([]), contextVariables: { a: 1 }, silent: true })
    expect([agent.getContext('a'), agent.silent]).toEqual([1, true])
    expect(agent.systemMessage).toBe('You are a helpful AI Assistant.')
  })

  it.each<[what: string, options: object, says: string]>([
    ['a model by its name', { model: 'gpt-5-mini' }, "write `model: openai('gpt-5-mini')`"],
    ['no model', {}, 'it has no `model`'],
    ['the full form’s word', { systemMessage: 'x' }, 'write `instructions`'],
    ['AG2’s word', { model: scriptedModel([]), llm_config: {} }, 'write `model`'],
    ['a misspelt option', { model: scriptedModel([]), instruction: 'x' }, '`instruction`'],
    ['a function in place of a tool', { model: scriptedModel([]), tools: { add } }, 'is not a tool'],
  ])('refuses %s, and says what to write', (_, options, says) => {
    expect(() => createAgent({ name: 'a', ...options } as never)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(says) as string }),
    )
  })
})
