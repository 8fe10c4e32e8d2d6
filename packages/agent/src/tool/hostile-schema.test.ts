import { scriptedModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { AssistantAgent, tool, UserProxyAgent } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

/** Milliseconds that a check may take; with the square of these lengths it would be minutes. */
const LIMIT_MS = 5000

const HOSTILE_TEXT = `${'a'.repeat(50_000)}!`
const HOSTILE_SCHEMA = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } }, required: ['a'] }

describe('a hostile pattern', () => {
  it('in the schema of a tool does not stop the chat when a model writes the text for it', async () => {
    let calls = 0
    const echo = tool({ name: 'echo', description: 'Echoes', parameters: HOSTILE_SCHEMA, execute: () => ++calls })
    const model = scriptedModel([
      { tool_calls: [{ id: 'c', function: { name: 'echo', arguments: JSON.stringify({ a: HOSTILE_TEXT }) } }] },
      'done TERMINATE',
    ])
    const io = recordingIo()
    const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model, io })
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', io })
    assistant.registerForLlm(echo)
    user.registerForExecution(echo)
    const before = performance.now()
    const { chatHistory } = await user.initiateChat(assistant, { message: 'go', silent: true, maxTurns: 2 })
    expect(performance.now() - before).toBeLessThan(LIMIT_MS)
    expect(calls).toBe(0)
    expect(JSON.stringify(chatHistory)).toContain('a: does not match the pattern ^(a+)+$')
  })

  it('in the schema of a result does not stop the run', async () => {
    const answers = [JSON.stringify({ a: HOSTILE_TEXT }), JSON.stringify({ a: 'aaa' })]
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: scriptedModel(answers), io: recordingIo() })
    const before = performance.now()
    const { result } = await agent.run('go', { result: HOSTILE_SCHEMA })
    expect(performance.now() - before).toBeLessThan(LIMIT_MS)
    expect(result).toEqual({ a: 'aaa' })
  })

  it('in the schema of a result that cannot be checked in linear time is refused before a model is asked', async () => {
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: scriptedModel([]), io: recordingIo() })
    const result = { type: 'object', properties: { a: { pattern: '(a)\\1' } } }
    await expect(agent.run('go', { result })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('back-reference'),
    })
    const deep = JSON.parse(`${'{"items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`) as Record<string, unknown>
    await expect(agent.run('go', { result: { type: 'object', properties: { a: deep } } })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('more than 100 schemas inside each other'),
    })
  })
})
